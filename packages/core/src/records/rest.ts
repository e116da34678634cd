import type { Runtime } from "../ports/runtime.ts";

/**
 * Whether a rest that was to end at an instant of the wall clock still lasts. One that had longer to go than it is long at all was
 * written by a clock that has been put back since, and is over: nothing waits for a clock to catch up.
 */
export function isResting(until: number, lengthMs: number, now: number): boolean {
  return until > now && until - now <= lengthMs;
}

/** A rest: when it is to end by the clock of whoever wrote it, and how long it is. */
export interface Rest {
  readonly until: number;
  readonly lengthMs: number;
}

/** Rests as one process watches them. */
export interface Rests {
  /** Begins one here, for whoever must not wake early: however the wall clock jumps, it lasts as long as it is. */
  begin(name: string, rest: Rest): void;
  /** Whether the rest of this name still lasts: it is over by the wall clock, or once it was watched for as long as it is. */
  last(name: string, rest: Rest): boolean;
}

/** So many are watched; a name that was forgotten is watched anew. */
const mostWatched = 100_000;

/** Builds what watches rests by the monotonic clock: one that the wall clock was put back in is no longer for that. */
export function createRests({ clock }: Pick<Runtime, "clock">): Rests {
  const watched = new Map<string, { readonly until: number; readonly since: number; readonly isOwn: boolean }>();
  const watch = (name: string, until: number, { isOwn }: { readonly isOwn: boolean }) => {
    if (watched.size >= mostWatched) watched.clear();
    watched.set(name, { until, since: clock.monotonic(), isOwn });
  };
  return {
    begin: (name, { until }) => watch(name, until, { isOwn: true }),
    last(name, { until, lengthMs }) {
      const known = watched.get(name);
      const isKnown = known?.until === until;
      if (!(isKnown && known.isOwn) && !isResting(until, lengthMs, clock.now())) {
        watched.delete(name);
        return false;
      }
      if (isKnown) return clock.monotonic() - known.since < lengthMs;
      watch(name, until, { isOwn: false });
      return true;
    },
  };
}
