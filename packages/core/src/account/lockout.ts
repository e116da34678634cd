import type { Settings } from "../host.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Change, Records } from "../records/records.ts";

/** Failed sign-ins of an account, apart from its record: they are no change of it. */
interface LockRecord {
  readonly accountId: string;
  readonly failures: number;
  readonly locks: number;
  readonly lockedUntil: number;
}

const locks = collection<LockRecord>()("lock", { key: ({ accountId }) => [accountId] });
const mostFailures = 5;

/** Locks the sign-in of accounts after failures, longer each time. */
export interface Lockout {
  /**
   * Takes one of the tries that are left before the password is judged, so that guesses at once can't have more than
   * there are. `false`: locked. Attempts while locked don't count.
   */
  take(accountId: string): Promise<boolean>;
  /** Forgets the failures. */
  reset(change: Change, accountId: string): Promise<void>;
}

/** Builds the lockout over the records. */
export function createLockout({ records, runtime, settings }: { readonly records: Records; readonly runtime: Runtime; readonly settings: Pick<Settings, "lockSeconds" | "longestLockSeconds"> }): Lockout {
  return {
    take: (accountId) =>
      records.change(
        { actor: accountId, requestId: "sign-in" },
        async (change) => {
          const known = (await change.get(locks, [accountId])) ?? { accountId, failures: 0, locks: 0, lockedUntil: 0 };
          const now = runtime.clock.now();
          if (known.lockedUntil > now) return false;
          change.put(locks, withTry(known, now, settings));
          return true;
        },
        { attempts: 100 },
      ),
    async reset(change, accountId) {
      if ((await change.get(locks, [accountId])) !== null) change.delete(locks, [accountId]);
    },
  };
}

/** One try more: the fifth locks, until it turns out to have been right. */
function withTry(known: LockRecord, now: number, { lockSeconds, longestLockSeconds }: Pick<Settings, "lockSeconds" | "longestLockSeconds">): LockRecord {
  const failures = known.failures + 1;
  if (failures < mostFailures) return { ...known, failures };
  const seconds = Math.min(lockSeconds * 2 ** known.locks, longestLockSeconds);
  return { ...known, failures: 0, locks: known.locks + 1, lockedUntil: now + seconds * 1000 };
}
