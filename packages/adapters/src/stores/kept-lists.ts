import type { Bounds, Key } from "@liveplane/core/store";

/** Lists under fewer parts change with nearly every write. */
export const fewestParts = 3;

/** As how many entries a list counts in memory: the records that were made of it, and their text, take as much again. */
export const entriesCounted = (rows: number): number => 2 * rows + 1;

/** Whether what is listed under a prefix is worth remembering. */
export function isNarrow(prefix: Key): boolean {
  return prefix.length >= fewestParts;
}

export function isSameRange(a: Bounds, b: Bounds): boolean {
  return a.lower === b.lower && a.upper === b.upper && a.limit === b.limit && a.reverse === b.reverse;
}
