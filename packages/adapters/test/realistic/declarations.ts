import type { JsonObject } from "@liveplane/core/clouds";
import type { FormWords, Json } from "./forms.ts";

/** A place, and another value for it. */
export type Edit = readonly [pointer: string, value: Json];

/** What somebody may well declare, and what the vendor documents that its service makes of it. */
export interface Declaration {
  readonly type: string;
  readonly declared: JsonObject;
  /** Of parts: the names of what they are in, and their own. */
  readonly name?: string;
  /** Its id, where it isn't made where its type usually is: beneath the whole world, not in a region. */
  readonly at?: string;
  readonly forms?: FormWords;
  /** Defaults of the service, by pointer, also inside the items of lists. */
  readonly adds?: JsonObject;
  /** What a person changes, and what a later deploy changes; without, the type can't be changed. */
  readonly edit?: Edit;
}

export const subscription = "3f2504e0-4f89-41d3-9a0c-0305e82c3302";
const group = `/subscriptions/${subscription}/resourceGroups/dev`;

/** The id of another resource of the same group. */
export const idOf = (type: string, name: string): string => `${group}/providers/${type}/${name}`;

/** A name for each, unlike all others. */
export function named(all: readonly Declaration[]): readonly (readonly [string, Declaration])[] {
  const seen = new Map<string, number>();
  return all.map((one) => {
    const nth = (seen.get(one.type) ?? 0) + 1;
    seen.set(one.type, nth);
    return [nth === 1 ? one.type : `${one.type} (${nth})`, one];
  });
}
