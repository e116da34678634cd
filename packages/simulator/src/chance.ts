import { mulberry32 } from "@liveplane/core/testing/internal";

/** Random choices that a seed repeats. */
export interface Chance {
  /** A whole number from 0, below the limit. */
  below(limit: number): number;
  /** A whole number between two, both included. */
  between(least: number, most: number): number;
  happens(probability: number): boolean;
  pick<const T>(from: readonly [T, ...T[]]): T;
  bytes(count: number): Uint8Array;
}

export function chanceOf(seed: number): Chance {
  const next = mulberry32(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (probability) => next() < probability,
    pick: (from) => from[below(from.length)] ?? from[0],
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at++) bytes[at] = below(256);
      return bytes;
    },
  };
}
