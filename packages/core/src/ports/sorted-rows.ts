import { EntryMemory, mostRememberedAtOnce } from "./entry-memory.ts";
import { parseFrozen } from "./frozen.ts";
import { compareEncoded, decodeKey } from "./key.ts";
import type { Bounds } from "./prepare.ts";
import type { Entry } from "./store.ts";

/** An entry as a store in memory keeps it: under its encoded key, as written text or in the store's own form. */
export interface Row<Kept = string> {
  readonly key: string;
  readonly json: Kept;
  readonly version: number;
  readonly expiresAt: number | undefined;
}

/** The row if it exists and hasn't expired. */
export function liveRow<Kept>(row: Row<Kept> | null | undefined, now: number): Row<Kept> | null {
  if (row === undefined || row === null) return null;
  return row.expiresAt === undefined || row.expiresAt > now ? row : null;
}

/** A row as a list returns it: a copy for the reader. */
export function entryOf(row: Row): Entry {
  const { key, json, version, expiresAt } = row;
  return { key: decodeKey(key), value: JSON.parse(json), version, ...(expiresAt !== undefined && { expiresAt }) };
}

/** A row as an entry that all readers share: deeply frozen. */
export function frozenEntry({ key, json, version, expiresAt }: Row): Entry {
  const entry = { key: Object.freeze(decodeKey(key)), value: parseFrozen(json), version };
  return Object.freeze(expiresAt === undefined ? entry : { ...entry, expiresAt });
}

/** The most memory for cached entries of a store in memory: 64 MiB. */
const mostBytes = 64 * 2 ** 20;

/**
 * Returns rows as shared entries. A row never changes (another write makes another row), so its entry is cached by the row and never needs
 * to be dropped.
 */
export function sharedEntries(): (rows: readonly (Row | null)[]) => (Entry | null)[] {
  const memory = new EntryMemory<Row>(mostBytes);
  const remembered = (row: Row) => {
    const known = memory.get(row);
    if (known !== undefined) return known;
    const entry = frozenEntry(row);
    memory.keep(row, entry, row.json.length);
    return entry;
  };
  return (rows) => {
    const shown = rows.length <= mostRememberedAtOnce ? remembered : frozenEntry;
    return rows.map((row) => row && shown(row));
  };
}

/** The entries of a range that haven't expired. */
export function listRows(rows: SortedRows, bounds: Bounds, now: number): Entry[] {
  return liveRows(rows, bounds, now).map(entryOf);
}

/** The rows of a range that haven't expired. */
export function liveRows<Kept>(
  rows: SortedRows<Kept>,
  { lower, upper, limit, reverse }: Bounds,
  now: number,
): Row<Kept>[] {
  const found: Row<Kept>[] = [];
  if (limit === 0) return found;
  for (const row of reverse ? rows.down(lower, upper) : rows.up(lower, upper)) {
    if (liveRow(row, now) !== null && found.push(row) === limit) break;
  }
  return found;
}

/** Large enough for few chunks, small enough for cheap insertion. */
const largestChunk = 1024;

/** Rows in memory by key, in byte order. The keys are in chunks, so that an insertion moves few others. */
export class SortedRows<Kept = string> {
  readonly #rows: Map<string, Row<Kept>>;
  /** No chunk is empty. */
  readonly #chunks: string[][];

  constructor(rows: Map<string, Row<Kept>> = new Map(), chunks: string[][] = []) {
    this.#rows = rows;
    this.#chunks = chunks;
  }

  /** A copy that changes separately. */
  copy(): SortedRows<Kept> {
    return new SortedRows(
      new Map(this.#rows),
      this.#chunks.map((chunk) => [...chunk]),
    );
  }

  /** All of them, in order. */
  all(): Generator<Row<Kept>> {
    return this.up("", null);
  }

  /** The row of a key, expired or not. */
  get(key: string): Row<Kept> | undefined {
    return this.#rows.get(key);
  }

  /** Inserts or replaces a row. */
  set(row: Row<Kept>): void {
    if (!this.#rows.has(row.key)) this.#place(row.key);
    this.#rows.set(row.key, row);
  }

  /** Removes a row, if it exists. */
  delete(key: string): void {
    if (!this.#rows.delete(key)) return;
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] ?? [];
    chunk.splice(firstNotBefore(chunk, key), 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** The rows between two keys, both exclusive, in order. */
  *up(lower: string, upper: string | null): Generator<Row<Kept>> {
    const first = this.#chunkOf(lower);
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      for (let place = at === first ? firstBehind(chunk, lower) : 0; place < chunk.length; place++) {
        const key = chunk[place] ?? "";
        if (upper !== null && compareEncoded(key, upper) >= 0) return;
        yield this.#rows.get(key) as Row<Kept>;
      }
    }
  }

  /** The rows between two keys, both exclusive, in reverse order. */
  *down(lower: string, upper: string | null): Generator<Row<Kept>> {
    const last = upper === null ? this.#chunks.length - 1 : this.#chunkOf(upper);
    for (let at = last; at >= 0; at--) {
      const chunk = this.#chunks[at] ?? [];
      const end = at === last && upper !== null ? firstNotBefore(chunk, upper) : chunk.length;
      for (let place = end - 1; place >= 0; place--) {
        const key = chunk[place] ?? "";
        if (compareEncoded(key, lower) <= 0) return;
        yield this.#rows.get(key) as Row<Kept>;
      }
    }
  }

  #place(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([key]);
      return;
    }
    chunk.splice(firstNotBefore(chunk, key), 0, key);
    if (chunk.length <= largestChunk) return;
    // Ascending keys fill the last chunk, which is then left full.
    const from = at === this.#chunks.length - 1 && chunk.at(-1) === key ? chunk.length - 1 : chunk.length >>> 1;
    this.#chunks.splice(at + 1, 0, chunk.splice(from));
  }

  /** The index of the chunk that has the key or would: the last one that begins at or before it. */
  #chunkOf(key: string): number {
    return Math.max(0, bound(this.#chunks, (chunk) => compareEncoded(chunk[0] ?? "", key) <= 0) - 1);
  }
}

const firstNotBefore = (keys: readonly string[], key: string) => bound(keys, (other) => compareEncoded(other, key) < 0);
const firstBehind = (keys: readonly string[], key: string) => bound(keys, (other) => compareEncoded(other, key) <= 0);

/** The number of leading items for which a condition holds that fails for all later ones. */
function bound<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
