import type { Runtime } from "../ports/runtime.ts";
import { type DueWork, dueRecords } from "../records/due.ts";
import type { Change, Records, Stored } from "../records/records.ts";
import type { Settings } from "../settings.ts";
import { type AccountRecord, accounts } from "./account-record.ts";
import { forgetIdentities } from "./identity-record.ts";

/** What purging accounts takes. */
export interface PurgeAccountsDeps {
  readonly records: Records;
  readonly runtime: Pick<Runtime, "clock">;
  readonly settings: Pick<Settings, "purgeSeconds" | "unactivatedSeconds">;
  /** Ends every grant of an account; throws `LastAdmin` where it is the last Admin of an organization. */
  readonly endGrants: (change: Change, accountId: string) => Promise<void>;
  /** Ends the challenges of an account. */
  readonly endChallenges: (change: Change, accountId: string) => Promise<void>;
  /** Whether all that an account had has been released. */
  readonly isReleased: (accountId: string) => Promise<boolean>;
  /** Forgets that it was. */
  readonly forgetRelease: (accountId: string) => Promise<void>;
  /** Ends the subscription of an account, unless organizations stand in it. */
  readonly endSubscription: (change: Change, accountId: string) => Promise<void>;
  /** Ends the secrets of a service account. */
  readonly endCredentials: (change: Change, principalId: string) => Promise<void>;
}

/** Accounts that were deleted long enough ago, and those that never activated. */
export function dueAccounts(deps: PurgeAccountsDeps): readonly DueWork[] {
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
async function purgeReleased(deps: PurgeAccountsDeps, record: Stored<AccountRecord>): Promise<void> {
  if (!(await deps.isReleased(record.id))) return;
  await deps.forgetRelease(record.id);
  await purge(deps, record);
}

/** Purges an account that is still as it was found: one that was activated meanwhile stays. */
async function purge(
  { records, endGrants, endChallenges, endCredentials, endSubscription }: PurgeAccountsDeps,
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
