import { LiveplaneError } from "../errors.ts";
import { encodeKey, encodeKeys } from "./key.ts";
import { appendedKey, boundsOf, prepare } from "./prepare.ts";
import { entryOf, listRows, liveRow, SortedRows } from "./sorted-rows.ts";
import type { Store, StoreOptions, StoreSnapshot } from "./store.ts";

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

/** Expired entries count as absent; after so many commits they are taken away. */
const sweepEvery = 4096;

/** A store in memory, for tests and tries: as strict as the strictest of the others, and gone with the process. */
export function memoryStore({ now = Date.now }: MemoryStoreOptions = {}): Store {
  let rows = new SortedRows();
  /** Keys whose rows had an end when they were last written. */
  const expiring = new Set<string>();
  let version = 0;
  let closed = false;

  const enter = async ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    await Promise.resolve();
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };
  const view = (of: () => SortedRows): Pick<Store, "get" | "list"> => ({
    async get(keys, options) {
      const encoded = encodeKeys(keys);
      await enter(options);
      return encoded.map((key) => entryOf(liveRow(of().get(key), now())));
    },
    async list(range, options) {
      const bounds = boundsOf(range);
      await enter(options);
      return listRows(of(), bounds, now());
    },
  });

  function sweep(): void {
    for (const key of expiring) {
      const row = rows.get(key);
      const expired = liveRow(row, now()) === null;
      if (expired) rows.delete(key);
      if (expired || row?.expiresAt === undefined) expiring.delete(key);
    }
  }

  return {
    ...view(() => rows),
    capabilities: { sharedByProcesses: false, durable: false, snapshot: true },
    async commit(commit, options) {
      const prepared = prepare(commit);
      await enter(options);
      for (const check of prepared.checks) {
        if ((liveRow(rows.get(check.key), now())?.version ?? null) !== check.version) return null;
      }
      version += 1;
      for (const key of prepared.deletes) rows.delete(key);
      for (const { key, json, expiresAt } of prepared.sets) {
        rows.set({ key, json, version, expiresAt });
        if (expiresAt !== undefined) expiring.add(key);
      }
      for (const [at, { prefix, json }] of prepared.appends.entries()) {
        rows.set({ key: encodeKey([...prefix, ...appendedKey(version, at)]), json, version, expiresAt: undefined });
      }
      if (version % sweepEvery === 0) sweep();
      return version;
    },
    async snapshot(options): Promise<StoreSnapshot> {
      await enter(options);
      const frozen = rows;
      rows = rows.copy();
      return { ...view(() => frozen), release: async () => {} };
    },
    async close() {
      closed = true;
    },
  };
}
