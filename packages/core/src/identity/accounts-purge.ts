import { type DueWork, dueRecords } from "../records/due.ts";
import type { Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { Subscriptions } from "../tenancy/subscriptions.ts";
import { type AccountRecord, accounts } from "./account-record.ts";
import type { AccountReleases } from "./account-release.ts";
import { forgetFactors } from "./factor-record.ts";
import { forgetIdentities } from "./identity-record.ts";

type PurgeServices = Pick<Services, "records" | "challenges" | "lastAdmin" | "credentials"> & {
  readonly plans: Pick<Subscriptions, "end">;
};
type Released = { readonly releases: Pick<AccountReleases, "isDone" | "forget"> };

/** Accounts deleted long enough ago, and those that were never activated. */
export function dueAccounts(
  deps: PurgeServices & Pick<Services, "runtime" | "settings"> & Released,
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

/** An account's resources are released before its purge; otherwise a later pass purges it. */
async function purgeReleased(deps: PurgeServices & Released, record: Stored<AccountRecord>): Promise<void> {
  if (!(await deps.releases.isDone(record.id))) return;
  await deps.releases.forget(record.id);
  await purge(deps, record);
}

/** Purges an account if it hasn't changed: one that was activated meanwhile stays. */
async function purge(
  { records, lastAdmin, challenges, credentials, plans }: PurgeServices,
  { id, version }: Stored<AccountRecord>,
): Promise<void> {
  await records.change({ actor: "system", requestId: "housekeeping" }, async (change) => {
    const known = await change.get(accounts, [id]);
    if (known?.version !== version) return;
    if (known.status === "Registered") await lastAdmin.endAllGrantsOf(change, id);
    await challenges.endAll(change, id);
    await forgetIdentities(change, id);
    await forgetFactors(change, id);
    if (known.serviceAccountId !== null) await credentials.forget(change, known.serviceAccountId);
    await plans.end(change, id);
    change.delete(accounts, [id]);
  });
}
