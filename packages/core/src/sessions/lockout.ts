import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import { growingRest, isResting } from "../records/rest.ts";
import type { Services } from "../services.ts";
import type { Settings } from "../settings.ts";

/** Failed sign-ins of an account, stored apart because they don't change the account. */
interface LockRecord {
  readonly subject: string;
  /** Since the last lock. */
  readonly failures: number;
  readonly locks: number;
  /** In epoch milliseconds. */
  readonly lockedUntil: number;
}

const locks = collection<LockRecord>()("lock", { key: ({ subject }) => [subject] });
const mostFailures = 5;
/** Failures are forgotten a day after the last one. */
const rememberedMs = 86_400_000;

/** Locks sign-in after failures, longer each time. */
export interface Lockout {
  /**
   * Whether a verified password counts, in the change that follows. While locked, none does, and none extends the lock. A wrong one is
   * counted; a right one clears the failures.
   *
   * The answer holds only after the commit, so of any number of concurrent guesses only the allowed number is answered: the others find the
   * lock at their commit.
   */
  admit(change: Change, subject: string, judged: { readonly matches: boolean }): Promise<boolean>;
  /** Lifts the lock and clears the failures. */
  lift(change: Change, subject: string): Promise<void>;
}

type LockSettings = Pick<Settings, "lockSeconds" | "longestLockSeconds">;

export function createLockout({
  runtime,
  settings,
  onLock,
}: Pick<Services, "runtime" | "settings"> & {
  readonly onLock: (change: Change, subject: string) => Promise<void>;
}): Lockout {
  async function lift(change: Change, subject: string): Promise<void> {
    if ((await change.get(locks, [subject])) !== null) change.delete(locks, [subject]);
  }
  return {
    lift,
    async admit(change, subject, { matches }) {
      const known = (await change.get(locks, [subject])) ?? { subject, failures: 0, locks: 0, lockedUntil: 0 };
      const now = runtime.clock.now();
      if (isResting(known.lockedUntil, settings.longestLockSeconds * 1000, now)) return false;
      if (matches) await lift(change, subject);
      else {
        const failed = withFailure(known, now, settings);
        change.put(locks, failed, { expiresAt: Math.max(now, failed.lockedUntil) + rememberedMs });
        if (failed.lockedUntil > now) await onLock(change, subject);
      }
      return matches;
    },
  };
}

/** One more failure: the fifth locks. */
function withFailure(known: LockRecord, now: number, { lockSeconds, longestLockSeconds }: LockSettings): LockRecord {
  const failures = known.failures + 1;
  if (failures < mostFailures) return { ...known, failures };
  const lengthMs = growingRest(known.locks, { firstMs: lockSeconds * 1000, longestMs: longestLockSeconds * 1000 });
  return { ...known, failures: 0, locks: known.locks + 1, lockedUntil: now + lengthMs };
}
