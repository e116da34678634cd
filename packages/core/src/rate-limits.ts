import type { RateClass } from "./contract/row.ts";

/** A bucket's size and how long it lasts. */
export interface RatePolicy {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The names of all buckets: the rows' classes, and that of the environment's own cloud calls. */
export type RateBucket = RateClass | "cloud";

/** What holds unless the host sets another quota. */
export const ratePolicies: Readonly<Record<RateBucket, RatePolicy>> = {
  reads: { quota: 300, windowSeconds: 60 },
  writes: { quota: 90, windowSeconds: 60 },
  secretWrites: { quota: 120, windowSeconds: 60 },
  signIn: { quota: 10, windowSeconds: 60 },
  registration: { quota: 10, windowSeconds: 60 },
  challenges: { quota: 10, windowSeconds: 60 },
  token: { quota: 60, windowSeconds: 60 },
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
  readonly startedAt: number;
  count: number;
}

/** Counts requests by bucket and by whoever makes them. */
export interface RateLimiter {
  /** Counts a request and says whether it is within its bucket's policy. */
  count(bucket: RateBucket, whom: string): RateVerdict;
}

/** Above it the windows that ended are swept out, so that many addresses can't fill the memory. */
const sweepAbove = 10_000;

/** A limiter in memory: fixed windows that begin with the first request. `now` is in milliseconds and never goes back. */
export function createRateLimiter(
  now: () => number,
  policies: Readonly<Record<RateBucket, RatePolicy>> = ratePolicies,
): RateLimiter {
  const windows = new Map<string, Window>();

  function windowOf(key: string, time: number, lengthMs: number): Window {
    const known = windows.get(key);
    if (known !== undefined && time - known.startedAt < lengthMs) return known;
    const begun = { startedAt: time, count: 0 };
    windows.set(key, begun);
    if (windows.size > sweepAbove) sweep(time);
    return begun;
  }

  function sweep(time: number): void {
    for (const [key, { startedAt }] of windows) if (time - startedAt >= 60_000) windows.delete(key);
  }

  return {
    count(bucket, whom) {
      const policy = policies[bucket];
      const time = now();
      const lengthMs = policy.windowSeconds * 1000;
      const window = windowOf(`${bucket} ${whom}`, time, lengthMs);
      const allowed = window.count < policy.quota;
      if (allowed) window.count += 1;
      const resetSeconds = Math.max(1, Math.ceil((window.startedAt + lengthMs - time) / 1000));
      return { bucket, policy, allowed, remaining: policy.quota - window.count, resetSeconds };
    },
  };
}
