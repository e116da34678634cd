import type { JsonObject } from "../../json-pointer.ts";
import type { BoundBy, TypeDescription } from "../../ports/resource-type.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Sealer } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store.ts";
import type { Fault, SimulatedOperation } from "./simulated-faults.ts";
import type { SimulatedResource } from "./simulated-resources.ts";
import type { SlownessOptions } from "./simulated-slowness.ts";

/** How a simulated cloud behaves. With the required options alone it is instant, never stale and never fails. */
export interface SimulatedCloudOptions {
  /** Provider A behaves like Azure, provider B like Google Cloud. */
  readonly provider: "provider-a" | "provider-b";
  readonly store: Store;
  readonly runtime: Runtime;
  /** Seals the resources in the store. @default stored as plain text */
  readonly sealer?: Sealer;
  /** The console's address, where people enter device codes. @default named in words */
  readonly consoleUrl?: string;
  /** Writes can be bound to an etag. @default true for A, false for B, whose services mostly have none */
  readonly conditionalWrites?: boolean;
  /** How the writes of a type are bound. @default by etag with `conditionalWrites`, otherwise by mask */
  readonly boundBy?: (type: string) => BoundBy | undefined;
  /** Which writes take time. @default as set at the console */
  readonly slownessOf?: NonNullable<SlownessOptions["slownessOf"]>;
  /** Each incarnation of a resource has an identity. @default true */
  readonly identities?: boolean;
  /** An ID is unknown until the resource exists. @default false */
  readonly choosesIds?: boolean;
  /** @default 500 */
  readonly bulkReadSize?: number;
  /** How far bulk reads lag behind. @default 0 */
  readonly lagMs?: number;
  /** How long each call takes. @default 0 */
  readonly latencyMs?: number;
  /** How many calls a subscription or project may make. @default no limit */
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  /** Faults for single calls, besides those set at the console. */
  readonly faultOf?: (call: {
    readonly operation: SimulatedOperation;
    readonly resourceId: string | null;
  }) => Fault | null;
  /** How the cloud changes the parameters of a write: other spellings, defaults, ignored values. @default unchanged */
  readonly rewrites?: (write: SimulatedRewrite) => JsonObject;
  /** The answer about a type that the facts lack; `null` if the facts have it. @default the facts have every type */
  readonly describe?: (type: string) => TypeDescription | null;
  /** Called right after each change; tests check invariants here. */
  readonly onChange?: (change: SimulatedChange) => void;
}

/** A write whose parameters the cloud may change. */
export interface SimulatedRewrite {
  readonly type: string;
  readonly resourceId: string;
  /** `null` while the resource is being created. */
  readonly before: JsonObject | null;
  readonly parameters: JsonObject;
}

/** A change, made through the cloud's API or by hand. */
export interface SimulatedChange {
  /** `cloud`: a write that was accepted earlier has finished. */
  readonly by: "caller" | "console" | "cloud";
  readonly operation: "create" | "update" | "remove" | "removeTag";
  readonly resourceId: string;
  readonly before: SimulatedResource | null;
  readonly after: SimulatedResource | null;
}
