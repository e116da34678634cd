import type { RateClass } from "../contract/row.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** A bucket's size and duration. */
export interface RatePolicy {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The names of all buckets: the rows' classes, those for tried names, and those for an environment's cloud calls. */
export type RateBucket = RateClass | "signInName" | "challengeName" | "cloud" | "discovery";

/** The default quotas. */
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

/** The state of a bucket after counting a request. */
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
  /** The part of `count` that they know. */
  told: number;
  /** The shared count that it was added to, and how much of that is from here. */
  shared: { readonly id: string; readonly own: number } | null;
}

/** Counts requests by bucket and caller. */
export interface RateLimiter {
  /** Counts a request and tells whether it is within its bucket's policy. */
  count(bucket: RateBucket, whom: string): RateVerdict;
  /** Undoes the count of a request. */
  forgive(bucket: RateBucket, whom: string): void;
}

/**
 * Above this number, ended windows are removed; again when the number has doubled, so that many addresses don't make every request slow.
 */
const sweepAbove = 10_000;
/** Above this number, the oldest windows are dropped, so that many addresses and names can't fill the memory. */
const mostWindows = 200_000;

/** How often processes share their counts. */
const settledEveryMs = 5_000;
/** Callers below this part of a quota aren't shared: most callers cost the store nothing. */
const toldFrom = 1 / 8;
/** The most counts shared at once. */
const settledAtOnce = 200;

/**
 * A limiter in memory: fixed windows that begin with the first request. `now` is in milliseconds and never goes back. With `shared`,
 * processes share their counts every few seconds, in the background; until then each allows what its own count allows.
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

  /** Shares the relevant counts when it is time; nobody waits for it. */
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
      // Rounding may put the sum slightly above the window's length.
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
