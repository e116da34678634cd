import type { Runtime } from "../ports/runtime.ts";

/**
 * Whether a rest that was to end at an instant of the wall clock still lasts. One that had longer to go than it is long at all was
 * written by a clock that has been restored since, and is over: nothing waits for a clock to catch up.
 */
export function isResting(until: number, lengthMs: number, now: number): boolean {
  return until > now && until - now <= lengthMs;
}

/** How a rest grows. */
export interface RestLengths {
  readonly firstMs: number;
  readonly longestMs: number;
  /** A random number from 0 to 1: the rest is between half its length and all of it, so that clients don't return together. @default 1 */
  readonly chance?: number;
}

/** How long to rest after failures: twice as long after each. */
export function growingRest(failures: number, { firstMs, longestMs, chance = 1 }: RestLengths): number {
  return Math.min(firstMs * 2 ** failures, longestMs) * (0.5 + chance / 2);
}

/** A rest: when it is to end by the clock of anyone who wrote it, and how long it is. */
export interface Rest {
  readonly until: number;
  readonly lengthMs: number;
}

/** Rests as one process watches them. */
export interface Rests {
  /** Whether the rest of this name still lasts: it is over by the wall clock, or once it was watched for as long as it is. */
  last(name: string, rest: Rest): boolean;
  /** Whether a mark that anybody left counts still: it does until this process has watched it stand unchanged for this long. */
  stands(name: string, mark: number, lengthMs: number): boolean;
}

/** This many are watched; a name that was forgotten is watched again. */
const mostWatched = 100_000;

/** Builds what watches rests by the monotonic clock: one that the wall clock was set back in is no longer for that. */
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
