import { AsyncLocalStorage } from "node:async_hooks";
import type { Cloud, JsonObject } from "@liveplane/core/clouds";
import type { CloudVariation, NewPlaces, ResourceChanged, SimulatedPlace } from "@liveplane/simulator";
import { bodyOf, castCloud, parametersIn, patchOf } from "./cast.ts";
import type { Troupe } from "./casts.ts";
import { type Asked, fetchFrom } from "./in-process.ts";
import { lateIndex } from "./late-index.ts";
import { castIn, type KeptState, truthOf, typesOf } from "./place.ts";

type SlownessOf = NonNullable<Parameters<NewPlaces>[2]>;
type CloudUser = Parameters<SimulatedPlace["open"]>[0];

/** How a write takes its time; `null`: it is done when it is answered. */
export type DrawnSlowness = ReturnType<SlownessOf>;

/** A change of a double's resource, as its vendor's half knows it. */
export interface DoubleChanged {
  /** `cloud`: a write that was accepted before has come to its end. */
  readonly by: "caller" | "hand" | "cloud";
  readonly type: string;
  readonly before: KeptState | null;
  readonly after: KeptState | null;
}

/** What a double is made with. */
export interface DoubleHooks {
  readonly now: () => number;
  readonly onChange: (change: DoubleChanged) => void;
  /** Asked of each write that is carried out, and that the vendor has an operation for. */
  readonly slownessOf: () => DrawnSlowness;
}

/** A double, as a place is built of it. */
export interface PlacedDouble<All> {
  readonly answer: (asked: Asked) => ReturnType<Parameters<typeof fetchFrom>[0]>;
  readonly all: () => All;
  /** Lets bulk reads show this. */
  readonly show: (index: All) => void;
  readonly get: (resourceId: string) => { readonly type: string; readonly state: KeptState } | null;
  /** What a person does; parameters are the vendor's members by then. */
  readonly make: (resourceId: string, type: string, body: JsonObject, tags: Readonly<Record<string, string>>) => void;
  readonly setTags: (resourceId: string, tags: Readonly<Record<string, string>>) => void;
  readonly patch: (resourceId: string, patch: JsonObject) => void;
  readonly remove: (resourceId: string) => void;
  /** A resource is to be made at this id. */
  readonly naming?: (type: string, resourceId: string) => void;
}

/** A vendor: its adapter that ships, and who plays in its types. */
export interface DoubledVendor<All> extends Pick<SimulatedPlace, "provider" | "location" | "scope"> {
  readonly zone?: string;
  readonly troupe: Troupe;
  readonly adapter: (options?: { readonly fetch: typeof fetch; readonly now: () => number }) => Cloud;
  readonly double: (hooks: DoubleHooks) => PlacedDouble<All>;
}

/** A write of the agent's that is under way: whose it is, and what it is. */
interface Asking {
  readonly operation: ResourceChanged["operation"];
  readonly resourceId: string;
  readonly type: string;
  readonly tell: (change: ResourceChanged) => void;
  isTold: boolean;
}

/** A cloud of a simulation by its vendor's double, with the adapter that ships before it. */
export function doublePlace<All>(
  vendor: DoubledVendor<All>,
  { lagMs, now, slownessOf }: Pick<CloudVariation, "lagMs"> & Pick<DoubleHooks, "now"> & { slownessOf: SlownessOf },
): SimulatedPlace {
  const { provider, location, scope, zone, troupe, adapter } = vendor;
  const casts = [troupe.net, troupe.app, troupe.rule];
  const asking = new AsyncLocalStorage<Asking>();
  let told: (change: ResourceChanged) => void = () => {};
  let landed: CloudUser["onLanding"] = () => {};

  const double = vendor.double({
    now,
    onChange({ by, type, before, after }) {
      const cast = castIn(troupe, type);
      const [was, is] = [before && truthOf(before, cast), after && truthOf(after, cast)];
      const write = asking.getStore();
      const resourceId = was?.resourceId ?? is?.resourceId ?? "";
      const seen = { resourceId, before: was, after: is };
      if (by === "hand") told({ operation: byHand(seen), ...seen });
      else if (by === "cloud")
        landed({
          operation: before?.underway?.operation ?? "update",
          ...seen,
          failed: before?.underway?.fails === true,
        });
      else if (write !== undefined) {
        write.isTold = true;
        write.tell({ operation: write.operation, ...seen });
      }
      index.note();
    },
    slownessOf() {
      const write = asking.getStore();
      return write === undefined || write.operation === "removeTag" ? null : slownessOf(provider, write);
    },
  });
  const index = lateIndex({ now, lagMs, all: double.all });

  return {
    provider,
    types: typesOf(troupe),
    location,
    scope,
    capabilities: { ...adapter().capabilities, conditionalWrites: troupe.isBound },
    factsOf: castCloud(adapter(), casts).resourceType,
    open({ runtime, onChange, onLanding }) {
      landed = onLanding;
      const send = fetchFrom((asked) => {
        double.show(index.shown());
        return double.answer(asked);
      });
      const cloud = castCloud(adapter({ fetch: send, now: runtime.clock.now }), casts, { ...(zone && { zone }) });
      const during = <T>(write: Omit<Asking, "tell" | "isTold">, run: () => Promise<T>): Promise<T> => {
        const own: Asking = { ...write, tell: onChange, isTold: false };
        return asking.run(own, async () => {
          const written = await run();
          const there = double.get(write.resourceId);
          // What somebody else has changed in between already leaves nothing to be sent: a write of nothing. A creation that is asked for
          // again by its token makes nothing.
          if (!own.isTold && there !== null && write.operation !== "create") {
            const truth = truthOf(there.state, castIn(troupe, there.type));
            onChange({ operation: write.operation, resourceId: truth.resourceId, before: truth, after: truth });
          }
          return written;
        });
      };
      return {
        ...cloud,
        create(resource, call) {
          const { type, name, target } = resource;
          const resourceId = resource.resourceId ?? cloud.resourceIdFor(type, name, target) ?? "";
          double.naming?.(type, resourceId);
          return during({ operation: "create", type, resourceId }, () => cloud.create(resource, call));
        },
        update: (ref, ...call) => during({ operation: "update", ...ref }, () => cloud.update(ref, ...call)),
        remove: (ref, ...call) => during({ operation: "remove", ...ref }, () => cloud.remove(ref, ...call)),
        removeTag: (ref, ...call) => during({ operation: "removeTag", ...ref }, () => cloud.removeTag(ref, ...call)),
      };
    },
    onHand: (tell) => {
      told = tell;
    },
    hand: {
      async get(id) {
        const there = double.get(id);
        if (there === null) return null;
        const cast = castIn(troupe, there.type);
        const { tags, parameters } = truthOf(there.state, cast);
        return { tags, parameters, outputs: { id, ...parametersIn(cast, there.state.body) } };
      },
      async put(id, { type, tags, parameters }) {
        const body = bodyOf(castIn(troupe, type), parameters as JsonObject);
        double.make(id, type, body, tags as Readonly<Record<string, string>>);
      },
      putTags: async (id, tags) => double.setTags(id, tags),
      async patchParameters(id, patch) {
        const there = double.get(id);
        if (there !== null) double.patch(id, patchOf(castIn(troupe, there.type), patch as JsonObject));
      },
      delete: async (id) => double.remove(id),
    },
  };
}

function byHand({ before, after }: Pick<ResourceChanged, "before" | "after">): ResourceChanged["operation"] {
  if (before === null) return "create";
  return after === null ? "remove" : "update";
}
