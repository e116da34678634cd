import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Reader, Stored } from "../records/records.ts";
import { type AccountRecord, accounts } from "./account-record.ts";

/** The account whose service account a principal is; `null`: none. */
export type AccountOf = (reader: Pick<Reader, "get">, principalId: string) => Promise<string | null>;

/** The caller's own account: a person's, or the one that a service account stands for. Throws `NotFound`. */
export async function ownAccount(
  reader: Pick<Reader, "get">,
  actor: Actor,
  accountOf: AccountOf,
): Promise<Stored<AccountRecord>> {
  const standsFor = actor.kind === "serviceAccount" ? await accountOf(reader, actor.principalId) : null;
  const id = actor.kind === "account" ? actor.accountId : standsFor;
  const known = id === null ? null : await reader.get(accounts, [id]);
  if (known === null || known.deletedAt !== null) throw new LiveplaneError("NotFound");
  return known;
}
