import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Reader, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts } from "./account-record.ts";

/** The caller's own account: a person's, or the owner's of a service account. Throws `NotFound`. */
export async function ownAccount(
  { accountOf }: Pick<Services, "accountOf">,
  reader: Reader,
  actor: Actor,
): Promise<Stored<AccountRecord>> {
  const id = await accountOf(reader, actor);
  const known = id === null ? null : await reader.get(accounts, [id]);
  if (known === null || known.deletedAt !== null) throw new LiveplaneError("NotFound");
  return known;
}
