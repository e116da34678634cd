import { availableParallelism } from "node:os";

/** Runs slow hashes, so many at a time; what comes more waits in order. */
export type HashSlots = <T>(work: () => Promise<T>) => Promise<T>;

/** How many hashes may be under way: more only fill memory and slow each other. */
export const defaultSlots: number = 2 * availableParallelism();

/** Bounds how many hashes are under way at once. */
export function hashSlots(atMost: number): HashSlots {
  const waiting: (() => void)[] = [];
  let free = atMost;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The slot goes from hand to hand: a newcomer can't overtake those who wait.
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
