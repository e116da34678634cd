import type { Runtime } from "../ports/runtime.ts";

/**
 * Whether a pause that ends at a wall-clock time still lasts. If more time is left than its whole length, it was written by a wrong clock
 * and is over: nothing waits for a clock to catch up.
 */
export function isResting(until: number, lengthMs: number, now: number): boolean {
  return until > now && until - now <= lengthMs;
}

/** How a pause grows. */
export interface RestLengths {
  readonly firstMs: number;
  readonly longestMs: number;
  /** A random number from 0 to 1: the pause is between half its length and all of it, so that clients don't return together. @default 1 */
  readonly chance?: number;
}

/** The pause after failures: it doubles with each. */
export function growingRest(failures: number, { firstMs, longestMs, chance = 1 }: RestLengths): number {
  return Math.min(firstMs * 2 ** failures, longestMs) * (0.5 + chance / 2);
}

/** A pause: when it ends by its writer's clock, and how long it is. */
export interface Rest {
  readonly until: number;
  readonly lengthMs: number;
}

/** Pauses as timed by one process. */
export interface Rests {
  /** Whether the named pause still lasts: it ends by the wall clock, or once it was timed in full. */
  last(name: string, rest: Rest): boolean;
  /** Whether a mark still counts: until this process has seen it unchanged for this long. */
  stands(name: string, mark: number, lengthMs: number): boolean;
}

/** The most pauses timed; a dropped one is timed again. */
const mostWatched = 100_000;

/** Times pauses by the monotonic clock, so that setting back the wall clock makes none longer. */
export function createRests({ clock }: Pick<Runtime, "clock">): Rests {
  const watched = new Map<string, { readonly mark: number; readonly since: number }>();
  const stands = (name: string, mark: number, lengthMs: number): boolean => {
    const known = watched.get(name);
    if (known?.mark === mark) return clock.monotonic() - known.since < lengthMs;
    if (watched.size >= mostWatched) watched.clear();
    watched.set(name, { mark, since: clock.monotonic() });
    return true;
  };
  return {
    stands,
    last(name, { until, lengthMs }) {
      if (isResting(until, lengthMs, clock.now())) return stands(name, until, lengthMs);
      watched.delete(name);
      return false;
    },
  };
}
