import type { Clock } from "../ports/runtime.ts";
import type { PendingWork } from "./component-record.ts";

/** What other workers have claimed. */
export interface Claims {
  /** The name that this worker's claims carry. */
  readonly worker: string;
  /** Whether a claim still keeps this worker from writing. */
  hold(work: PendingWork | null): boolean;
}

/** Options of claims. */
export interface ClaimsOptions {
  /** Another one after every start. */
  readonly worker: string;
  /** One process holds the store: claims of others are a crash's, and void. */
  readonly exclusive: boolean;
  /** How long a claim holds that nobody gives back. */
  readonly claimMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/** More claims than this are never watched at once. */
const mostWatched = 10_000;

/**
 * Judges the claims of others by how long this worker has watched each stand. The clocks of two machines need not agree, and
 * may jump: a claim that was made an hour ago by one of them is a moment old to whoever sees it now.
 */
export function createClaims({ worker, exclusive, claimMs, clock }: ClaimsOptions): Claims {
  const seenAt = new Map<string, number>();
  return {
    worker,
    hold(work) {
      if (work === null || work.worker === worker || exclusive) return false;
      const since = seenAt.get(work.id);
      if (since !== undefined) return clock.monotonic() < since + claimMs;
      const [oldest] = seenAt.keys();
      if (oldest !== undefined && seenAt.size >= mostWatched) seenAt.delete(oldest);
      seenAt.set(work.id, clock.monotonic());
      return true;
    },
  };
}
