import { LiveplaneError } from "../errors.ts";
import { decodeKey, encodeKey, encodeKeys } from "./key.ts";
import { appendedKey, boundsOf, prepareAs, toFrozen, toJson } from "./prepare.ts";
import { entryOf, liveRow, liveRows, type Row, SortedRows, sharedEntries } from "./sorted-rows.ts";
import type { Entry, Json, Store, StoreOptions, StoreSnapshot } from "./store.ts";

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** The current time, for entries that expire. @default Date.now */
  readonly now?: () => number;
  /**
   * `copied`: written values are copied, as in any other store. `frozen`: written values are frozen and shared, which is cheaper with many
   * writes.
   * @default "copied"
   */
  readonly values?: "copied" | "frozen";
}

/** How values are stored and returned. */
interface Keeping<Kept> {
  readonly keep: (value: Json) => Kept;
  readonly got: (rows: readonly (Row<Kept> | null)[]) => (Entry | null)[];
  readonly listed: (row: Row<Kept>) => Entry;
}

/** Expired entries count as absent; they are removed after this many commits. */
const sweepEvery = 4096;

/** A store in memory that can be forked. */
export interface MemoryStore extends Store {
  /** A store with the same entries and versions that changes separately, so that tests can share an expensive setup. */
  fork(): MemoryStore;
}

interface Beginning<Kept> {
  readonly rows: SortedRows<Kept>;
  readonly expiring: Iterable<string>;
  readonly version: number;
}

/** A store in memory, for tests and trials: as strict as the strictest of the others, and gone with the process. */
export function memoryStore({ now = Date.now, values = "copied" }: MemoryStoreOptions = {}): MemoryStore {
  return values === "copied" ? storeOf(now, copiedValues()) : storeOf(now, frozenValues());
}

/** Awaited before each answer: a store that answered at once would hide races. */
const othersTurn = Promise.resolve();
const nothing = { rows: new SortedRows<never>(), expiring: [], version: 0 };

function storeOf<Kept>(now: () => number, keeping: Keeping<Kept>, begin: Beginning<Kept> = nothing): MemoryStore {
  const { keep, got, listed } = keeping;
  let rows = begin.rows.copy();
  /** Keys whose rows had an expiry when last written. */
  const expiring = new Set(begin.expiring);
  let version = begin.version;
  let closed = false;

  const refuseAborted = ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
  };
  const refuseClosed = () => {
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };
  const found = (all: SortedRows<Kept>, encoded: readonly string[], time: number) =>
    got(encoded.map((key) => liveRow(all.get(key), time)));
  const view = (of: () => SortedRows<Kept>): Pick<Store, "get" | "list"> => ({
    async get(keys, options) {
      const encoded = encodeKeys(keys);
      refuseAborted(options);
      await othersTurn;
      refuseClosed();
      return found(of(), encoded, now());
    },
    async list(range, options) {
      const bounds = boundsOf(range);
      refuseAborted(options);
      await othersTurn;
      refuseClosed();
      return liveRows(of(), bounds, now()).map(listed);
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
      const prepared = prepareAs(commit, keep);
      refuseAborted(options);
      await othersTurn;
      refuseClosed();
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
      refuseAborted(options);
      await othersTurn;
      refuseClosed();
      const frozen = rows;
      rows = rows.copy();
      return { ...view(() => frozen), release: async () => {} };
    },
    fork: () => storeOf(now, keeping, { rows, expiring, version }),
    async close() {
      closed = true;
    },
  };
}

function copiedValues(): Keeping<string> {
  return { keep: toJson, got: sharedEntries(), listed: entryOf };
}

/** A written value, and its entry once somebody has read it. */
interface Shown {
  readonly value: Json;
  entry: Entry | null;
}

/** Each row has one entry, however often it is read. */
function frozenValues(): Keeping<Shown> {
  const shown = ({ key, json, version, expiresAt }: Row<Shown>) => {
    json.entry ??= Object.freeze({
      key: Object.freeze(decodeKey(key)),
      value: json.value,
      version,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    return json.entry;
  };
  const keep = (value: Json) => ({ value: toFrozen(value), entry: null });
  return { keep, got: (rows) => rows.map((row) => row && shown(row)), listed: shown };
}
