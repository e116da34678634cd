import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import { growingRest, isResting } from "../records/rest.ts";
import type { Services } from "../services.ts";
import type { Settings } from "../settings.ts";

/** Failed sign-ins of somebody, apart from their account: they are no change of it. */
interface LockRecord {
  readonly subject: string;
  /** Since the last lock. */
  readonly failures: number;
  readonly locks: number;
  /** Milliseconds of the epoch. */
  readonly lockedUntil: number;
}

const locks = collection<LockRecord>()("lock", { key: ({ subject }) => [subject] });
const mostFailures = 5;
/** Failures are forgotten a day after the last of them. */
const rememberedMs = 86_400_000;

/** Locks the sign-in of accounts after failures, longer each time. */
export interface Lockout {
  /**
   * Whether a password that was judged counts, in the change that follows from it. While locked none does, nor extends the
   * lock; a wrong one is counted; a right one forgets the failures.
   *
   * The answer holds only once the change is committed. So of any number of guesses at once, no more are answered than there
   * are tries: all others find the lock when their commit is checked.
   */
  admit(change: Change, subject: string, judged: { readonly matches: boolean }): Promise<boolean>;
  /** Lifts the lock and forgets the failures. */
  lift(change: Change, subject: string): Promise<void>;
}

type LockSettings = Pick<Settings, "lockSeconds" | "longestLockSeconds">;

/** Builds the lockout over the records. */
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

/** One failure more: the fifth locks. */
function withFailure(known: LockRecord, now: number, { lockSeconds, longestLockSeconds }: LockSettings): LockRecord {
  const failures = known.failures + 1;
  if (failures < mostFailures) return { ...known, failures };
  const lengthMs = growingRest(known.locks, { firstMs: lockSeconds * 1000, longestMs: longestLockSeconds * 1000 });
  return { ...known, failures: 0, locks: known.locks + 1, lockedUntil: now + lengthMs };
}
