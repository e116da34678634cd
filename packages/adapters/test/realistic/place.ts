import type { Cloud, JsonObject, ResourceRef } from "@liveplane/core/clouds";
import type { DoubleSlowness } from "../azure/azure-double.ts";
import type { departures } from "../descriptions/departures.ts";
import type { Json } from "./forms.ts";

/** How the service behind an adapter behaves. */
export interface PlaceOptions {
  readonly type: string;
  readonly now: () => number;
  /** What it makes of a body of the type. What is called `holder` is something else. */
  readonly rewrites: (body: JsonObject) => JsonObject;
  readonly slowness?: DoubleSlowness;
  /** So many reads after a write still show what was before it. @default 0 */
  readonly lateReads?: number;
  /** Whether the next call is refused, because there are too many. @default never */
  readonly throttles?: () => boolean;
}

/** A service behind its real adapter. */
export interface Place {
  readonly provider: "provider-a" | "provider-b";
  readonly cloud: Cloud;
  /** The writes of properties, but for those of the holder: at Azure those that were taken. */
  readonly writes: () => number;
  readonly body: (resourceId: string) => JsonObject | null;
  readonly edit: (resourceId: string, change: { readonly pointer: string; readonly value: Json }) => void;
  readonly setTags: (ref: ResourceRef, tags: Readonly<Record<string, string>>) => void;
  readonly judged: ReturnType<typeof departures>;
}
