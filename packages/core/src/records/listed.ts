import type { Key } from "../ports/store.ts";
import type { PageSource } from "./pages.ts";

/** Pages over a list in memory. Items have the given positions, otherwise their order in the list. */
export function listedInMemory<T extends object>(
  items: readonly T[],
  positionOf: (item: T, at: number) => Key = (_, at) => [String(at).padStart(16, "0")],
): PageSource<T> {
  const listed = items
    .map((item, at) => ({ record: { version: "", ...item }, position: positionOf(item, at) }))
    .sort((a, b) => compare(a.position, b.position));
  return async ({ after, limit }) => {
    const rest = after === undefined ? listed : listed.filter(({ position }) => compare(position, after) > 0);
    return rest.slice(0, limit);
  };
}

/** Compares part by part, by code units: positions are ASCII. */
function compare(a: Key, b: Key): number {
  for (const [at, part] of a.entries()) {
    const other = b[at] ?? "";
    if (part !== other) return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
