import type { Runtime } from "../ports/runtime.ts";

/** A worker's claim on a record: written before its work, removed after it, and replaced to keep it. */
export interface Claim {
  /** Different for each claim. */
  readonly id: string;
  readonly worker: string;
  /** The lease it was made under, if that lease's next holder may continue at once because nothing started with it can arrive late. */
  readonly under?: string;
  /**
   * What was started with it would do harm if it arrived late: who comes next waits, even in the process that made it and where no other
   * can be running.
   */
  readonly outlives?: true;
}

/** What happens to a claim whose worker is gone. */
export type ClaimTerms = Pick<Claim, "under" | "outlives">;

/** The claims of one worker, and its view of others' claims. */
export interface Claims {
  /** The name in this worker's claims: a new one after every start. */
  readonly worker: string;
  /** Longer work replaces its claim this often. */
  readonly renewMs: number;
  /** A new claim of this worker. Without terms everyone waits, unless this worker was alone with the store. */
  make(terms?: ClaimTerms): Claim;
  /** Does the work of a claim. Until it is done, the claim stops the caller too, including this worker's other tasks. */
  during<T>(claim: Claim | null, work: () => Promise<T>): Promise<T>;
  /** Whether a claim stops this worker, which holds that lease. Its own claim stops it during the work, and longer if it outlives that. */
  hold(claim: Claim | null, lease?: string | null): boolean;
  /** Whether work that takes this long may start now under a claim of this worker: it ends before others stop waiting for it. */
  covers(claim: Claim | null, ms: number): boolean;
}

export interface ClaimsOptions {
  readonly runtime: { readonly clock: Pick<Runtime["clock"], "monotonic"> } & Pick<Runtime, "newId">;
  /** One process owns the store: other claims are left from a crash, and void unless they outlive it. */
  readonly exclusive: boolean;
  /** How long an unchanged claim counts. @default 60000 */
  readonly claimMs?: number;
}

/** The most claims of others, and of this worker, that are remembered. */
const mostNoted = 10_000;

/**
 * Judges others' claims by how long this worker has seen each unchanged. Machines' clocks may differ and jump: a claim made an hour ago by
 * one clock counts from the moment it is first seen here.
 */
export function createClaims({ runtime, exclusive, claimMs = 60_000 }: ClaimsOptions): Claims {
  const { clock, newId } = runtime;
  const worker = newId();
  const seenAt = new Map<string, number>();
  const madeAt = new Map<string, number>();
  const atWork = new Set<string>();

  /** When a claim was first noted here: now, if it is new. The one noted least recently is dropped first. */
  function noted(times: Map<string, number>, { id }: Claim): number {
    const since = times.get(id) ?? clock.monotonic();
    times.delete(id);
    const [oldest] = times.keys();
    if (oldest !== undefined && times.size >= mostNoted) times.delete(oldest);
    times.set(id, since);
    return since;
  }

  return {
    worker,
    renewMs: claimMs / 3,
    make(terms) {
      const claim = { id: newId(), worker, ...terms };
      noted(madeAt, claim);
      return claim;
    },
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
      if (atWork.has(claim.id)) return true;
      if (claim.outlives !== true && (exclusive || claim.worker === worker)) return false;
      // Its maker no longer has that lease, and a lease's writes end with it.
      if (lease !== null && claim.under === lease) return false;
      return clock.monotonic() < noted(seenAt, claim) + claimMs;
    },
    covers: (claim, ms) =>
      clock.monotonic() + ms <= (madeAt.get(claim?.id ?? "") ?? Number.NEGATIVE_INFINITY) + claimMs,
  };
}
