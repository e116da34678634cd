import type { AccountDirectory } from "../permissions/account-directory.ts";
import type { Reader } from "../records/records.ts";
import { type AccountRecord, accounts, findBySignIn, toAccountCard } from "./account-record.ts";

/** What organizations and teams ask about accounts. */
export function createAccountDirectory(invite: AccountDirectory["invite"]): AccountDirectory {
  return {
    invite,
    statuses: async (reader, ids) => (await recordsOf(reader, ids)).map((found) => found?.status ?? null),
    names: async (reader, ids) => (await recordsOf(reader, ids)).map((found) => found && toAccountCard(found)),
    findByEmail: async (reader, email) => (await findBySignIn(reader, email))?.id ?? null,
    async setSubscription(change, accountId, subscriptionId) {
      const known = await change.get(accounts, [accountId]);
      if (known !== null) change.put(accounts, { ...known, subscriptionId });
    },
  };
}

function recordsOf(reader: Reader, ids: readonly string[]): Promise<readonly (AccountRecord | null)[]> {
  return reader.getMany(
    accounts,
    ids.map((id) => [id]),
  );
}
