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
  if (row === null) return null;
  const { key, json, version, expiresAt } = row;
  return { key: decodeKey(key), value: JSON.parse(json), version, ...(expiresAt !== undefined && { expiresAt }) };
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

/**
 * Rows in memory by key, in byte order. Writes come in bursts, so keys are put in their place when rows are next listed; the
 * key of a deleted row keeps its place until many have gone.
 */
export class SortedRows {
  readonly #rows: Map<string, Row>;
  #keys: string[];
  #added: string[] = [];
  readonly #removed = new Set<string>();

  constructor(rows: Map<string, Row> = new Map(), keys: string[] = []) {
    this.#rows = rows;
    this.#keys = keys;
  }

  /** The number of places, some of which may be empty. */
  get size(): number {
    return this.#sorted().length;
  }

  copy(): SortedRows {
    return new SortedRows(
      new Map(this.#rows),
      this.#sorted().filter((key) => this.#rows.has(key)),
    );
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
    if (!this.#rows.has(row.key) && !this.#removed.delete(row.key)) this.#added.push(row.key);
    this.#rows.set(row.key, row);
  }

  delete(key: string): void {
    if (this.#rows.delete(key)) this.#removed.add(key);
  }

  /** The row at a place; `undefined` where one was deleted. */
  at(index: number): Row | undefined {
    const key = this.#sorted()[index];
    return key === undefined ? undefined : this.#rows.get(key);
  }

  lowerBound(key: string): number {
    return boundIn(this.#sorted(), (other) => compareEncoded(other, key) < 0);
  }

  upperBound(key: string): number {
    return boundIn(this.#sorted(), (other) => compareEncoded(other, key) <= 0);
  }

  #sorted(): string[] {
    if (this.#added.length > 0) {
      place(this.#keys, this.#added.sort(compareEncoded));
      this.#added = [];
    }
    if (this.#removed.size > 64 && this.#removed.size > this.#keys.length / 2) {
      this.#keys = this.#keys.filter((key) => this.#rows.has(key));
      this.#removed.clear();
    }
    return this.#keys;
  }
}

/** Puts sorted keys among sorted keys. */
function place(keys: string[], added: readonly string[]): void {
  const last = keys.at(-1);
  if (last === undefined || compareEncoded(last, added[0] ?? "") < 0) {
    for (const key of added) keys.push(key);
  } else if (added.length <= 16) {
    for (const key of added) {
      const at = boundIn(keys, (other) => compareEncoded(other, key) < 0);
      keys.splice(at, 0, key);
    }
  } else {
    for (const key of added) keys.push(key);
    keys.sort(compareEncoded);
  }
}

function boundIn(keys: readonly string[], before: (key: string) => boolean): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(keys[middle] ?? "")) low = middle + 1;
    else high = middle;
  }
  return low;
}
