import type { JsonObject } from "../../json-pointer.ts";
import type { BoundBy, TypeDescription } from "../../ports/resource-type.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Sealer } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store.ts";
import type { Fault, SimulatedOperation } from "./simulated-faults.ts";
import type { SimulatedResource } from "./simulated-resources.ts";
import type { SlownessOptions } from "./simulated-slowness.ts";

/** How a simulated cloud behaves. Without more than the first three it is instant, fresh and never fails. */
export interface SimulatedCloudOptions {
  /** A behaves like Azure, B like Google Cloud. */
  readonly provider: "provider-a" | "provider-b";
  readonly store: Store;
  readonly runtime: Runtime;
  /** Seals the resources in the store. @default they lie there in the clear */
  readonly sealer?: Sealer;
  /** Writes can be bound to an etag. @default true for A, false for B, whose services mostly have none */
  readonly conditionalWrites?: boolean;
  /** What binds the writes of a type. @default etags with `conditionalWrites`, else masks */
  readonly boundBy?: (type: string) => BoundBy | undefined;
  /** Which writes take their time. @default as the console says */
  readonly slownessOf?: NonNullable<SlownessOptions["slownessOf"]>;
  /** Resources tell their incarnations apart. @default true */
  readonly identities?: boolean;
  /** Ids aren't known before the resource is there. @default false */
  readonly choosesIds?: boolean;
  /** @default 500 */
  readonly bulkReadSize?: number;
  /** How far bulk reads lag behind. @default 0 */
  readonly lagMs?: number;
  /** How long each call takes. @default 0 */
  readonly latencyMs?: number;
  /** How many calls a subscription or project bears. @default without end */
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  /** Faults call by call, beside those set at the console. */
  readonly faultOf?: (call: {
    readonly operation: SimulatedOperation;
    readonly resourceId: string | null;
  }) => Fault | null;
  /** What it makes of parameters that a write sends: other spellings, defaults, values that it ignores. @default they stay as sent */
  readonly rewrites?: (write: SimulatedRewrite) => JsonObject;
  /** What it says when it is asked of a type that its facts lack; `null`: they have it. @default they have every type */
  readonly describe?: (type: string) => TypeDescription | null;
  /** Told of each change right after it was made: what an invariant is checked against. */
  readonly onChange?: (change: SimulatedChange) => void;
}

/** A write, as far as a cloud rewrites what it sends. */
export interface SimulatedRewrite {
  readonly type: string;
  readonly resourceId: string;
  /** `null`: the resource is being created. */
  readonly before: JsonObject | null;
  readonly parameters: JsonObject;
}

/** A change that was made, through the cloud's interface or by hand. */
export interface SimulatedChange {
  /** `cloud`: a write that was accepted before, and is done now. */
  readonly by: "caller" | "console" | "cloud";
  readonly operation: "create" | "update" | "remove" | "removeTag";
  readonly resourceId: string;
  readonly before: SimulatedResource | null;
  readonly after: SimulatedResource | null;
}
