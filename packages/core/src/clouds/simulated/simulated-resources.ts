import { fromUtf8, utf8 } from "../../encoding.ts";
import type { JsonObject } from "../../json-pointer.ts";
import { unlessUnopened } from "../../keys/rotation.ts";
import type { ProviderFailure, ResourceChange } from "../../ports/cloud.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Sealed, SealedStock, Sealer, Unopened } from "../../ports/secrets.ts";
import type { Entry, Json, Key, SetEntry, Store, StoreOptions } from "../../ports/store.ts";
import type { CloudFacts } from "../facts/cloud-facts.ts";
import type { SlowOperation } from "./simulated-faults.ts";

/** A resource as a simulated cloud stores it. */
export interface SimulatedResource {
  readonly resourceId: string;
  readonly type: string;
  readonly name: string;
  /** A new one for each incarnation. */
  readonly identity: string;
  /** Counts the changes of this incarnation. */
  readonly revision: number;
  readonly intent: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: JsonObject;
  /** A write that was accepted and hasn't finished. */
  readonly underway?: Underway;
  /** How the last slow write failed. */
  readonly failed?: ProviderFailure;
}

/** A write that a simulated cloud has accepted and not finished. */
export interface Underway {
  readonly operationId: string;
  readonly operation: SlowOperation;
  /** In epoch milliseconds. */
  readonly since: number;
  readonly until: number;
  /** Why it fails at the end. `null` if it succeeds. */
  readonly fails: ProviderFailure | null;
  /** Whether the resource itself says afterwards that it failed. */
  readonly marksFailed: boolean;
  /** No read shows the resource until the write is done. */
  readonly hidden: boolean;
  readonly lands: Landing;
}

/** The result of a finished write. */
export type Landing =
  | { readonly what: "made" | "removed" }
  | { readonly what: "changed"; readonly change: ResourceChange }
  | { readonly what: "untagged"; readonly key: string };

export interface SimulatedResourcesOptions {
  readonly provider: string;
  readonly facts: CloudFacts;
  readonly store: Store;
  readonly runtime: Runtime;
  /** How far bulk reads lag behind. */
  readonly lagMs: number;
  /** Seals the resources, so that the store holds no plain parameters. */
  readonly sealer?: Sealer;
}

/** A resource and, while bulk reads lag, its earlier state and when that ended. */
interface Kept {
  readonly current: SimulatedResource | null;
  readonly past: readonly { readonly until: number; readonly resource: SimulatedResource | null }[];
}

/** A resource's current state, and the state that bulk reads see. */
export interface Lagging {
  readonly current: SimulatedResource | null;
  readonly seen: SimulatedResource | null;
}

/** The resources of one simulated cloud. */
export interface SimulatedResources {
  /** The current resource; `null` if there is none. */
  get(resourceId: string, options?: StoreOptions): Promise<SimulatedResource | null>;
  /** The current states, and those that bulk reads see: `lagMs` old. */
  getLagging(resourceIds: readonly string[], options?: StoreOptions): Promise<Lagging[]>;
  /** Resources by ID, after `after`. */
  list(after: string | null, limit: number): Promise<SimulatedResource[]>;
  /** The resource created for this intent; `null` if there is none. */
  findByIntent(intent: string): Promise<SimulatedResource | null>;
  /** Changes one atomically. `work` returns the new state, `null` to delete, or the same object for no change; it may run again. */
  change(resourceId: string, work: SimulatedEdit): Promise<SimulatedWrite>;
  /** The sealed values, for when the sealer's key changes. */
  readonly sealed: SealedStock;
}

/** A change that was made. The same object twice means no change. */
export interface SimulatedWrite {
  readonly before: SimulatedResource | null;
  readonly after: SimulatedResource | null;
}

/** Computes a resource's next state. */
export type SimulatedEdit = (current: SimulatedResource | null) => SimulatedResource | null;

/** Stores the resources of a simulated cloud. */
export function simulatedResources(options: SimulatedResourcesOptions): SimulatedResources {
  const { provider, facts, store, runtime, lagMs, sealer } = options;
  const { pack, unpack } = envelope(sealer);
  const root: Key = ["simulated-cloud", provider];
  const normal = (resourceId: string) => (facts.caselessIds ? resourceId.toLowerCase() : resourceId);
  const keyOf = (resourceId: string): Key => [...root, "resource", normal(resourceId)];
  const intentKey = (intent: string): Key => [...root, "intent", intent];

  async function put(key: Key, kept: Kept, intent: string | null): Promise<SetEntry[]> {
    const gone = kept.current === null ? { expiresAt: runtime.clock.now() + lagMs } : {};
    const sets: SetEntry[] = [{ key, value: await pack(key, kept), ...gone }];
    if (intent !== null) sets.push({ key: intentKey(intent), value: kept.current?.resourceId ?? null });
    return sets;
  }

  async function get(resourceId: string, readOptions?: StoreOptions) {
    const [entry] = await store.get([keyOf(resourceId)], readOptions);
    return entry ? (await unpack(entry)).current : null;
  }

  return {
    get,
    sealed: sealedResources({ store, prefix: [...root, "resource"], name: `simulated-cloud ${provider}`, sealer }),
    async getLagging(resourceIds, readOptions) {
      const entries = await store.get(resourceIds.map(keyOf), readOptions);
      const seenAt = runtime.clock.now() - lagMs;
      const kept = await Promise.all(entries.map((entry) => (entry === null ? null : unpack(entry))));
      return kept.map((one) => ({ current: one?.current ?? null, seen: one === null ? null : asOf(one, seenAt) }));
    },
    list: (after, limit) =>
      listed({ store, prefix: [...root, "resource"], unpack }, after === null ? undefined : keyOf(after), limit),
    async findByIntent(intent) {
      const [entry] = await store.get([intentKey(intent)]);
      const found = typeof entry?.value === "string" ? await get(entry.value) : null;
      return found?.intent === intent ? found : null;
    },
    async change(resourceId, work) {
      const key = keyOf(resourceId);
      for (;;) {
        const [entry = null] = await store.get([key]);
        const kept = entry === null ? { current: null, past: [] } : await unpack(entry);
        const before = kept.current;
        const after = work(before);
        if (after === before) return { before, after };
        const past = lagMs === 0 ? [] : grown(kept, runtime.clock.now(), lagMs);
        const checks = [{ key, version: entry?.version ?? null }];
        const newIntent = after !== null && before === null ? after.intent : null;
        const forgotten = after === null && lagMs === 0;
        const commit = forgotten
          ? { checks, deletes: [key] }
          : { checks, sets: await put(key, { current: after, past }, newIntent) };
        if ((await store.commit(commit)) !== null) return { before, after };
      }
    },
  };
}

interface Listing {
  readonly store: Pick<Store, "list">;
  readonly prefix: Key;
  readonly unpack: (entry: Entry) => Promise<Kept>;
}

/** Up to `limit` existing resources after a key. Deleted ones that bulk reads still see don't count. */
async function listed({ store, prefix, unpack }: Listing, after: Key | undefined, limit: number) {
  const found: SimulatedResource[] = [];
  for (let from = after; ; ) {
    const entries = await store.list({ prefix, limit, ...(from && { after: from }) });
    for (const entry of entries) {
      const { current } = await unpack(entry);
      if (current !== null && found.push(current) === limit) return found;
    }
    if (entries.length < limit) return found;
    from = entries.at(-1)?.key;
  }
}

/** How resources are stored: plain or sealed. */
function envelope(sealer: Sealer | undefined) {
  return {
    async unpack({ key, value }: Entry): Promise<Kept> {
      if (sealer === undefined) return value as unknown as Kept;
      return JSON.parse(fromUtf8(await sealer.open(value as unknown as Sealed, key))) as Kept;
    },
    async pack(key: Key, kept: Kept): Promise<Json> {
      if (sealer === undefined) return kept as unknown as Json;
      return (await sealer.seal(utf8(JSON.stringify(kept)), key)) as unknown as Json;
    },
  };
}

/** Each is resealed against its version. One that is written meanwhile already uses the current key. */
function sealedResources(of: {
  readonly store: Store;
  readonly prefix: Key;
  readonly name: string;
  readonly sealer: Sealer | undefined;
}): SealedStock {
  const { store, prefix, name, sealer } = of;
  return {
    name,
    async rewrap(after, limit) {
      if (sealer === undefined) return { rewrapped: 0, failed: 0, after: null };
      const entries = await store.list({ prefix, limit, ...(after && { after }) });
      const unopened: Unopened[] = [];
      let rewrapped = 0;
      for (const entry of entries) {
        const named = { place: entry.key, unopened };
        const isMoved = await unlessUnopened(sealedIn(entry), named, () => rewrapEntry(store, sealer, entry));
        if (isMoved === true) rewrapped += 1;
      }
      const next = entries.length < limit ? null : (entries.at(-1)?.key ?? null);
      return { rewrapped, failed: unopened.length, unopened, after: next };
    },
  };
}

const sealedIn = ({ value }: Entry) => value as unknown as Sealed;

async function rewrapEntry(store: Store, sealer: Sealer, { key, value, version, expiresAt }: Entry): Promise<boolean> {
  const again = await sealer.rewrap(value as unknown as Sealed, key);
  if (again === null) return false;
  const set = { key, value: again as unknown as Json, ...(expiresAt !== undefined && { expiresAt }) };
  await store.commit({ checks: [{ key, version }], sets: [set] });
  return true;
}

function asOf({ current, past }: Kept, instant: number): SimulatedResource | null {
  const then = past.find(({ until }) => until > instant);
  return then === undefined ? current : then.resource;
}

function grown({ current, past }: Kept, now: number, lagMs: number): Kept["past"] {
  return [...past.filter(({ until }) => until > now - lagMs), { until: now, resource: current }];
}
