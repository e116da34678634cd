import type { Key } from "../ports/store.ts";
import type { PageSource } from "./pages.ts";
import type { Stored } from "./records.ts";

/** A source of pages over records that are in memory already, in the order of their positions. */
export function listedInMemory<T>(records: readonly Stored<T>[], positionOf: (record: T) => Key): PageSource<T> {
  const listed = records
    .map((record) => ({ record, position: positionOf(record) }))
    .sort((a, b) => compare(a.position, b.position));
  return async ({ after, limit }) => {
    const rest = after === undefined ? listed : listed.filter(({ position }) => compare(position, after) > 0);
    return rest.slice(0, limit);
  };
}

/** Part by part, by code units: positions are made of ASCII. */
function compare(a: Key, b: Key): number {
  for (const [at, part] of a.entries()) {
    const other = b[at] ?? "";
    if (part !== other) return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
