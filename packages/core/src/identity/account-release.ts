import type { Handlers } from "../contract/handler.ts";
import type { AccountRelease } from "../contract/schemas/account-schemas.ts";
import { nowText } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Lease, ShardedTask } from "../ports/scheduler.ts";
import { collection } from "../records/collection.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { accounts } from "./account-record.ts";

/** What other areas hold for a person: environments, and the live systems in them. */
export interface Holdings {
  /** The ids of the live systems in a person's environments. */
  liveSystems(reader: Reader, accountId: string): Promise<readonly string[]>;
  /** Whether a person has anything. */
  any(reader: Reader, accountId: string): Promise<boolean>;
  /** Fences everything, in the change that deletes the owner: after that commit, nobody writes to it in liveplane or in a cloud. */
  fence(change: Change, accountId: string, stamp: { readonly at: string; readonly by: string }): Promise<void>;
  /** Releases what is fenced and destroys secrets until told to stop. Returns true when nothing is left. */
  release(accountId: string, isOver: () => boolean): Promise<boolean>;
  /** What a person's live systems left in clouds. */
  left(reader: Reader, accountId: string, limit: number): Promise<AccountRelease["left"]>;
  /** Forgets what a person left. */
  forget(accountId: string): Promise<void>;
}

/** The release of an account's resources, running or finished. */
interface ReleaseRecord {
  readonly accountId: string;
  readonly startedAt: string;
  readonly startedBy: string;
  readonly completedAt: string | null;
}

const releases = collection<ReleaseRecord>()("account-release", {
  key: ({ accountId }) => [accountId],
  indexes: { open: ({ completedAt, startedAt }) => (completedAt === null ? [[startedAt]] : []) },
});

/** Releases the resources of deleted accounts. */
export interface AccountReleases {
  readonly handlers: Pick<Handlers<"accounts">, "accounts.release">;
  /** Continues every unfinished release, also after a crash. */
  readonly task: ShardedTask;
  /** Fences what an account has, in the change that deletes it. */
  begin(change: Change, accountId: string, by: string): Promise<void>;
  /** Called after that change is committed: there may be something to release. */
  announce(accountId: string): void;
  /** Whether nothing of an account is left. Starts a release if one is needed and none was started. */
  isDone(accountId: string): Promise<boolean>;
  /** Forgets a finished release before its account is purged. */
  forget(accountId: string): Promise<void>;
}

const name = "releases";
const everyMs = 5_000;
const shownAtMost = 1000;
const housekeeper = { actor: "system", requestId: "release" } as const;

export function createAccountReleases({
  records,
  runtime,
  holdings,
  scheduler,
}: Pick<Services, "records" | "runtime" | "scheduler" | "holdings">): AccountReleases {
  const now = () => nowText({ runtime });

  async function begin(change: Change, accountId: string, by: string): Promise<void> {
    const known = await change.get(releases, [accountId]);
    const holds = await holdings.any(change, accountId);
    await holdings.fence(change, accountId, { at: now(), by });
    if (holds)
      change.put(releases, { accountId, startedAt: known?.startedAt ?? now(), startedBy: by, completedAt: null });
  }

  async function run(accountId: string, lease: Lease): Promise<void> {
    const isOver = () => lease.signal.aborted || runtime.clock.monotonic() >= lease.deadline;
    if (!(await holdings.release(accountId, isOver))) return;
    await records.change(housekeeper, async (change) => {
      const known = await change.get(releases, [accountId]);
      if (known?.completedAt === null) change.put(releases, { ...known, completedAt: now() });
    });
  }

  async function isDone(accountId: string): Promise<boolean> {
    const known = await records.get(releases, [accountId]);
    if (known?.completedAt === null) return false;
    if (!(await holdings.any(records, accountId))) return true;
    await records.change(housekeeper, (change) => begin(change, accountId, "system"));
    return false;
  }

  return {
    begin,
    isDone,
    announce(accountId) {
      scheduler.enqueue({ task: name, shard: accountId }).catch((error: unknown) => {
        runtime.logger.warn({ accountId, error }, "A release couldn't be queued. The next sweep will find it.");
      });
    },
    task: {
      name,
      everyMs,
      lane: "people",
      shards: async () =>
        (await records.list(releases, { index: "open", limit: 100 })).map(({ record }) => record.accountId),
      run,
    },
    async forget(accountId) {
      await holdings.forget(accountId);
      await records.change(housekeeper, async (change) => {
        if ((await change.get(releases, [accountId])) !== null) change.delete(releases, [accountId]);
      });
    },
    handlers: {
      "accounts.release": async ({ params: { accountId } }) => {
        const [account, known] = await records.getPair([accounts, [accountId]], [releases, [accountId]]);
        if (account?.status !== "Deleted") throw new LiveplaneError("NotFound");
        const { startedAt = account.updatedAt, completedAt = account.updatedAt } = known ?? {};
        const liveSystems = [...(await holdings.liveSystems(records, accountId))];
        const left = await holdings.left(records, accountId, shownAtMost);
        const status = completedAt === null ? "Releasing" : "Released";
        return { value: { accountId, status, liveSystems, left, startedAt, completedAt } };
      },
    },
  };
}
