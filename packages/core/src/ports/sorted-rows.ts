import { compareEncoded, decodeKey } from "./key.ts";
import type { Bounds } from "./prepare.ts";
import type { Entry } from "./store.ts";

/** An entry as a store in memory keeps it: under its encoded key, as the text that was written. */
export interface Row {
  readonly key: string;
  readonly json: string;
  readonly version: number;
  readonly expiresAt: number | undefined;
}

/** The row if it is there and has not expired. */
export function liveRow(row: Row | null | undefined, now: number): Row | null {
  if (row === undefined || row === null) return null;
  return row.expiresAt === undefined || row.expiresAt > now ? row : null;
}

/** A row as its reader gets it. */
export function entryOf(row: Row | null): Entry | null {
  return row === null ? null : { key: decodeKey(row.key), value: JSON.parse(row.json), version: row.version };
}

/** The entries of a range that have not expired. */
export function listRows(rows: SortedRows, { lower, upper, limit, reverse }: Bounds, now: number): Entry[] {
  const found: Entry[] = [];
  const start = rows.upperBound(lower);
  const stop = upper === null ? rows.size : rows.lowerBound(upper);
  for (let at = 0; at < stop - start && found.length < limit; at++) {
    const entry = entryOf(liveRow(rows.at(reverse ? stop - 1 - at : start + at), now));
    if (entry !== null) found.push(entry);
  }
  return found;
}

/** Rows in memory by key, in byte order. Keys are sorted when they are next listed, since writes come in bursts. */
export class SortedRows {
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

  /** All of them, in order. */
  *all(): Generator<Row> {
    for (const key of this.#sorted()) {
      const row = this.#rows.get(key);
      if (row !== undefined) yield row;
    }
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
