import type { RateClass } from "../contract/row.ts";

/** A bucket's size and how long it lasts. */
export interface RatePolicy {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The names of all buckets: the rows' classes, those of the name that is tried, and that of the environment's own cloud calls. */
export type RateBucket = RateClass | "signInName" | "challengeName" | "cloud";

/** What holds unless the host sets another quota. */
export const ratePolicies: Readonly<Record<RateBucket, RatePolicy>> = {
  reads: { quota: 300, windowSeconds: 60 },
  writes: { quota: 90, windowSeconds: 60 },
  secretWrites: { quota: 120, windowSeconds: 60 },
  signIn: { quota: 10, windowSeconds: 60 },
  registration: { quota: 10, windowSeconds: 60 },
  challenges: { quota: 10, windowSeconds: 60 },
  token: { quota: 60, windowSeconds: 60 },
  signInName: { quota: 30, windowSeconds: 900 },
  challengeName: { quota: 10, windowSeconds: 900 },
  cloud: { quota: 6, windowSeconds: 60 },
};

/** What a bucket says after a request was counted in it. */
export interface RateVerdict {
  readonly bucket: RateBucket;
  readonly policy: RatePolicy;
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

interface Window {
  readonly endsAt: number;
  count: number;
}

/** Counts requests by bucket and by whoever makes them. */
export interface RateLimiter {
  /** Counts a request and says whether it is within its bucket's policy. */
  count(bucket: RateBucket, whom: string): RateVerdict;
  /** Takes a request back that was counted and needn't have been. */
  forgive(bucket: RateBucket, whom: string): void;
}

/** Above it the windows that ended are swept out; again when they have doubled, so that many addresses don't make every request dear. */
const sweepAbove = 10_000;
/** Above it the oldest windows go, ended or not: many addresses and names can't fill the memory. */
const mostWindows = 200_000;

/** A limiter in memory: fixed windows that begin with the first request. `now` is in milliseconds and never goes back. */
export function createRateLimiter(
  now: () => number,
  policies: Readonly<Record<RateBucket, RatePolicy>> = ratePolicies,
): RateLimiter {
  const windows = new Map<string, Window>();
  let sweepAt = sweepAbove;

  function windowOf(key: string, time: number, lengthMs: number): Window {
    const known = windows.get(key);
    if (known !== undefined && time < known.endsAt) return known;
    const begun = { endsAt: time + lengthMs, count: 0 };
    windows.delete(key);
    windows.set(key, begun);
    if (windows.size > sweepAt) sweep(time);
    if (windows.size > mostWindows) windows.delete(windows.keys().next().value ?? "");
    return begun;
  }

  function sweep(time: number): void {
    for (const [key, { endsAt }] of windows) if (time >= endsAt) windows.delete(key);
    sweepAt = Math.max(sweepAbove, 2 * windows.size);
  }

  return {
    count(bucket, whom) {
      const policy = policies[bucket];
      const time = now();
      const window = windowOf(`${bucket} ${whom}`, time, policy.windowSeconds * 1000);
      const allowed = window.count < policy.quota;
      if (allowed) window.count += 1;
      // The sum of two fractions can come out a hair above the window's length.
      const resetSeconds = Math.min(policy.windowSeconds, Math.max(1, Math.ceil((window.endsAt - time) / 1000)));
      return { bucket, policy, allowed, remaining: policy.quota - window.count, resetSeconds };
    },
    forgive(bucket, whom) {
      const window = windows.get(`${bucket} ${whom}`);
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
  };
}
