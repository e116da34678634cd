import { LiveplaneError } from "../errors.ts";
import { compareEncoded, decodeKey, encodeKey } from "./key.ts";
import { appendedKey, type Bounds, boundsOf, prepare } from "./prepare.ts";
import type { Entry, Store, StoreOptions, StoreSnapshot } from "./store.ts";

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

interface Row {
  readonly key: string;
  readonly json: string;
  readonly version: number;
  readonly expiresAt: number | undefined;
}

/** A store in memory, for tests and tries: as strict as the strictest of the others, and gone with the process. */
export function memoryStore({ now = Date.now }: MemoryStoreOptions = {}): Store {
  let rows = new SortedRows();
  let version = 0;
  let closed = false;

  const enter = async ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    await Promise.resolve();
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };
  const live = (row: Row | undefined) =>
    row !== undefined && (row.expiresAt === undefined || row.expiresAt > now()) ? row : undefined;
  const view = (of: () => SortedRows): Pick<Store, "get" | "list"> => ({
    async get(keys, options) {
      const encoded = keys.map(encodeKey);
      await enter(options);
      return encoded.map((key) => entryOf(live(of().get(key))));
    },
    async list(range, options) {
      const bounds = boundsOf(range);
      await enter(options);
      return listRows(of(), bounds, live);
    },
  });

  return {
    ...view(() => rows),
    capabilities: { sharedByProcesses: false, durable: false, snapshot: true },
    async commit(commit, options) {
      const prepared = prepare(commit);
      await enter(options);
      for (const check of prepared.checks) {
        if ((live(rows.get(check.key))?.version ?? null) !== check.version) return null;
      }
      version += 1;
      for (const key of prepared.deletes) rows.delete(key);
      for (const { key, json, expiresAt } of prepared.sets) rows.set({ key, json, version, expiresAt });
      for (const [at, { prefix, json }] of prepared.appends.entries()) {
        rows.set({ key: encodeKey([...prefix, ...appendedKey(version, at)]), json, version, expiresAt: undefined });
      }
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

function entryOf(row: Row | undefined): Entry | null {
  return row === undefined ? null : { key: decodeKey(row.key), value: JSON.parse(row.json), version: row.version };
}

function listRows(
  rows: SortedRows,
  { lower, upper, limit, reverse }: Bounds,
  live: (row: Row | undefined) => Row | undefined,
): Entry[] {
  const found: Entry[] = [];
  const start = rows.upperBound(lower);
  const stop = upper === null ? rows.size : rows.lowerBound(upper);
  for (let at = 0; at < stop - start && found.length < limit; at++) {
    const entry = entryOf(live(rows.at(reverse ? stop - 1 - at : start + at)));
    if (entry !== null) found.push(entry);
  }
  return found;
}

/** Rows by key, and the keys in byte order. Keys are sorted when they are next read, since writes come in bursts. */
class SortedRows {
  readonly #rows: Map<string, Row>;
  #keys: string[] | null;
  #added: string[] = [];

  constructor(rows: Map<string, Row> = new Map(), keys: string[] | null = null) {
    this.#rows = rows;
    this.#keys = keys;
  }

  get size(): number {
    return this.#sorted().length;
  }

  copy(): SortedRows {
    return new SortedRows(new Map(this.#rows));
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  set(row: Row): void {
    if (!this.#rows.has(row.key)) this.#added.push(row.key);
    this.#rows.set(row.key, row);
  }

  delete(key: string): void {
    if (this.#rows.delete(key)) this.#keys = null;
  }

  at(index: number): Row | undefined {
    const key = this.#sorted()[index];
    return key === undefined ? undefined : this.#rows.get(key);
  }

  lowerBound(key: string): number {
    return this.#bound((other) => compareEncoded(other, key) < 0);
  }

  upperBound(key: string): number {
    return this.#bound((other) => compareEncoded(other, key) <= 0);
  }

  #bound(before: (key: string) => boolean): number {
    const keys = this.#sorted();
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(keys[middle] ?? "")) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sorted(): string[] {
    if (this.#keys === null) {
      this.#keys = [...this.#rows.keys()].sort(compareEncoded);
      this.#added = [];
    }
    if (this.#added.length > 0) {
      const added = this.#added.filter((key) => this.#rows.has(key));
      this.#keys = merged(this.#keys, added.sort(compareEncoded));
      this.#added = [];
    }
    return this.#keys;
  }
}

function merged(keys: string[], added: readonly string[]): string[] {
  const last = keys.at(-1);
  if (last === undefined || compareEncoded(last, added[0] ?? "") < 0) return keys.concat(added);
  return keys.concat(added).sort(compareEncoded);
}
