import { type DueWork, dueRecords } from "../records/due.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts } from "./account-record.ts";
import { forgetIdentities } from "./identity-record.ts";

/** Accounts that were deleted long enough ago, and those that never activated. */
export function dueAccounts(
  deps: Pick<Services, "records" | "runtime" | "settings" | "endChallenges" | "endGrants"> & {
    readonly isReleased: (accountId: string) => Promise<boolean>;
    readonly forgetRelease: (accountId: string) => Promise<void>;
    readonly endSubscription: (change: Change, accountId: string) => Promise<void>;
    readonly endCredentials: (change: Change, principalId: string) => Promise<void>;
  },
): readonly DueWork[] {
  const { records, runtime, settings } = deps;
  const shared = { records, collection: accounts, clock: runtime.clock };
  return [
    dueRecords({
      ...shared,
      name: "deleted-accounts",
      index: "deleted",
      settle: (record) => purgeReleased(deps, record),
      since: ({ deletedAt }) => (deletedAt ?? runtime.clock.now()) + settings.purgeSeconds * 1000,
    }),
    dueRecords({
      ...shared,
      name: "unactivated-accounts",
      index: "unactivated",
      settle: (record) => purge(deps, record),
      since: ({ createdAt }) => Date.parse(createdAt) + settings.unactivatedSeconds * 1000,
    }),
  ];
}

/** What an account had is released before it is purged, or its purge comes with a later pass. */
async function purgeReleased(
  deps: Pick<Services, "records" | "endChallenges" | "endGrants"> & {
    readonly isReleased: (accountId: string) => Promise<boolean>;
    readonly forgetRelease: (accountId: string) => Promise<void>;
    readonly endSubscription: (change: Change, accountId: string) => Promise<void>;
    readonly endCredentials: (change: Change, principalId: string) => Promise<void>;
  },
  record: Stored<AccountRecord>,
): Promise<void> {
  if (!(await deps.isReleased(record.id))) return;
  await deps.forgetRelease(record.id);
  await purge(deps, record);
}

/** Purges an account that is still as it was found: one that was activated meanwhile stays. */
async function purge(
  {
    records,
    endGrants,
    endChallenges,
    endCredentials,
    endSubscription,
  }: Pick<Services, "records" | "endChallenges" | "endGrants"> & {
    readonly endSubscription: (change: Change, accountId: string) => Promise<void>;
    readonly endCredentials: (change: Change, principalId: string) => Promise<void>;
  },
  { id, version }: Stored<AccountRecord>,
): Promise<void> {
  await records.change({ actor: "system", requestId: "housekeeping" }, async (change) => {
    const known = await change.get(accounts, [id]);
    if (known?.version !== version) return;
    if (known.status === "Registered") await endGrants(change, id);
    await endChallenges(change, id);
    await forgetIdentities(change, id);
    if (known.serviceAccountId !== null) await endCredentials(change, known.serviceAccountId);
    await endSubscription(change, id);
    change.delete(accounts, [id]);
  });
}
