import type { Runtime } from "../ports/runtime.ts";

/** Who works on a record: written into it before the work begins, taken off with it, replaced by a new one to stay. */
export interface Claim {
  /** Another one each time. */
  readonly id: string;
  readonly worker: string;
  /** The lease that it was made under, where anyone who has that next may continue at once: nothing that was begun with it can come too late. */
  readonly under?: string;
  /** What was begun with it would do harm if it came when its worker is long gone: who comes next waits, even where nobody else can be at work. */
  readonly outlives?: true;
}

/** What becomes of a claim whose worker is gone. */
export type ClaimTerms = Pick<Claim, "under" | "outlives">;

/** The claims of one worker, and its judgement of others'. */
export interface Claims {
  /** The name that this worker's claims carry: another one after every start. */
  readonly worker: string;
  /** What takes longer than a claim holds puts a new one in its place this often. */
  readonly renewMs: number;
  /** A new claim of this worker's. Without terms anyone who comes waits, unless this worker was alone at the store. */
  make(terms?: ClaimTerms): Claim;
  /** Does what a claim is for. Until it is done the claim keeps the caller off, this worker's other hands too. */
  during<T>(claim: Claim | null, work: () => Promise<T>): Promise<T>;
  /** Whether a claim keeps this worker off, who has that lease. One of its own does while it is working on it, and no longer. */
  hold(claim: Claim | null, lease?: string | null): boolean;
}

export interface ClaimsOptions {
  readonly runtime: { readonly clock: Pick<Runtime["clock"], "monotonic"> } & Pick<Runtime, "newId">;
  /** One process holds the store: claims of others are a crash's, and void unless they outlive it. */
  readonly exclusive: boolean;
  /** How long a claim holds that stands unchanged. @default 60000 */
  readonly claimMs?: number;
}

/** More claims than this are never watched at once. */
const mostWatched = 10_000;

/**
 * Judges the claims of others by how long this worker has watched each stand unchanged. The clocks of two machines need not
 * agree, and may jump: a claim that was made an hour ago by one of them is a moment old to anyone who sees it now.
 */
export function createClaims({ runtime, exclusive, claimMs = 60_000 }: ClaimsOptions): Claims {
  const { clock, newId } = runtime;
  const worker = newId();
  const seenAt = new Map<string, number>();
  const atWork = new Set<string>();

  /** Since when this one has been watched, from now on if it is new. What was looked at last is forgotten last. */
  function watchedSince({ id }: Claim): number {
    const since = seenAt.get(id) ?? clock.monotonic();
    seenAt.delete(id);
    const [oldest] = seenAt.keys();
    if (oldest !== undefined && seenAt.size >= mostWatched) seenAt.delete(oldest);
    seenAt.set(id, since);
    return since;
  }

  return {
    worker,
    renewMs: claimMs / 3,
    make: (terms) => ({ id: newId(), worker, ...terms }),
    async during(claim, work) {
      const { id = "" } = claim ?? {};
      atWork.add(id);
      try {
        return await work();
      } finally {
        atWork.delete(id);
      }
    },
    hold(claim, lease = null) {
      if (claim === null) return false;
      if (claim.worker === worker) return atWork.has(claim.id);
      if (exclusive && claim.outlives !== true) return false;
      // Who made it has that lease no more, and a lease's writes are over with it.
      if (lease !== null && claim.under === lease) return false;
      return clock.monotonic() < watchedSince(claim) + claimMs;
    },
  };
}
