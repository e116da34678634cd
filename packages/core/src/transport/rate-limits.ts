import type { RateClass } from "../contract/row.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** A bucket's size and how long it lasts. */
export interface RatePolicy {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The names of all buckets: the rows' classes, those of the name that is tried, and those of an environment's cloud calls. */
export type RateBucket = RateClass | "signInName" | "challengeName" | "cloud" | "discovery";

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
  discovery: { quota: 60, windowSeconds: 60 },
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
  readonly quota: number;
  count: number;
  /** What other processes have counted, as far as is known here. */
  others: number;
  /** Of `count`, what they know. */
  told: number;
  /** Which count of all it was told to, and how much of that is from here. */
  shared: { readonly id: string; readonly own: number } | null;
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

/** So often processes settle what they have counted. */
const settledEveryMs = 5_000;
/** Who has used less than this part of a quota isn't told of: most callers cost the store nothing. */
const toldFrom = 1 / 8;
/** So many are settled at once. */
const settledAtOnce = 200;

/**
 * A limiter in memory: fixed windows that begin with the first request. `now` is in milliseconds and never goes back. With `shared`, processes settle
 * their counts every few seconds, beside the requests: until then each of them lets through what its own count allows.
 */
export function createRateLimiter(
  now: () => number,
  policies: Readonly<Record<RateBucket, RatePolicy>> = ratePolicies,
  shared: SharedCounts | null = null,
): RateLimiter {
  const windows = new Map<string, Window>();
  const untold = new Set<string>();
  let sweepAt = sweepAbove;
  let settledAt = now();
  let settling: Promise<void> | null = null;

  function windowOf(key: string, time: number, { windowSeconds, quota }: RatePolicy): Window {
    const known = windows.get(key);
    if (known !== undefined && time < known.endsAt) return known;
    const endsAt = time + windowSeconds * 1000;
    const begun: Window = { endsAt, quota, count: 0, others: 0, told: 0, shared: known?.shared ?? null };
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

  /** Settles what is worth it, once it is time; nobody waits for it. */
  function settleInTime(time: number): void {
    if (shared === null || settling !== null || time - settledAt < settledEveryMs) return;
    settledAt = time;
    settling = settle(time, shared).finally(() => {
      settling = null;
    });
  }

  async function settle(time: number, counts: SharedCounts): Promise<void> {
    const due = [...untold].flatMap((name) => {
      const window = windows.get(name);
      const isOver = window === undefined || time >= window.endsAt || window.count === window.told;
      if (isOver) untold.delete(name);
      return isOver || window.count < window.quota * toldFrom ? [] : [{ name, window, upTo: window.count }];
    });
    for (let from = 0; from < due.length; from += settledAtOnce) {
      const some = due.slice(from, from + settledAtOnce);
      const all = await counts.settle(
        some.map(({ name, window, upTo }) => ({ name, added: upTo - window.told, endsInMs: window.endsAt - time })),
      );
      for (const [at, { window, upTo }] of some.entries()) {
        const told = all?.[at];
        if (told === undefined) continue;
        const before = window.shared?.id === told.id ? window.shared.own : 0;
        const own = before + upTo - window.told;
        window.shared = { id: told.id, own };
        window.told = upTo;
        window.others = Math.max(0, told.count - own);
      }
    }
  }

  return {
    count(bucket, whom) {
      const policy = policies[bucket];
      const time = now();
      const name = `${bucket} ${whom}`;
      const window = windowOf(name, time, policy);
      const allowed = window.count + window.others < policy.quota;
      if (allowed) window.count += 1;
      if (shared !== null) untold.add(name);
      settleInTime(time);
      // The sum of two fractions can come out a hair above the window's length.
      const resetSeconds = Math.min(policy.windowSeconds, Math.max(1, Math.ceil((window.endsAt - time) / 1000)));
      const remaining = Math.max(0, policy.quota - window.count - window.others);
      return { bucket, policy, allowed, remaining, resetSeconds };
    },
    forgive(bucket, whom) {
      const window = windows.get(`${bucket} ${whom}`);
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
  };
}
