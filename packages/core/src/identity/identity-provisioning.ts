import type { Schema } from "../contract/row.ts";
import { accountUpdate } from "../contract/schemas/account-schemas.ts";
import { nowText } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { IdentityProfile } from "../ports/identity.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts, emitAccount, newAccount } from "./account-record.ts";
import { emitIdentity, type IdentityRecord, identities } from "./identity-record.ts";

/** The issuer's profile of a person, without values that our accounts couldn't hold. */
export function takeProfile({ email, isEmailVerified, name, surname }: IdentityProfile): IdentityProfile {
  return {
    email: fitting(accountUpdate, "email", email),
    isEmailVerified,
    name: fitting(accountUpdate, "name", name),
    surname: fitting(accountUpdate, "surname", surname),
  };
}

/** The same change, whose events are by this account: whoever comes from the issuer is known only inside the change. */
export function changeBy(accountId: string, change: Change): Change {
  return { ...change, emit: (event) => change.emit({ actor: accountId, ...event }) };
}

/** Creates an Active account for a verified address. */
export async function provisionAccount(
  deps: Pick<Services, "runtime" | "startSubscription">,
  unknown: Change,
  { email, name, surname }: IdentityProfile,
): Promise<Stored<AccountRecord>> {
  const id = deps.runtime.newId();
  const change = changeBy(id, unknown);
  const subscriptionId = await deps.startSubscription(change, id);
  emitAccount(change, "account.registered", id);
  emitAccount(change, "account.activated", id);
  const given = { email, name, surname, subscriptionId, status: "Active" } as const;
  return change.put(accounts, newAccount(id, nowText(deps), given));
}

/** Activates the account registered for an address. Earlier mailed challenges end, so that nobody else can use them. */
export async function activateAccount(
  deps: Pick<Services, "runtime" | "challenges">,
  change: Change,
  { accountId, profile: { name, surname } }: { readonly accountId: string; readonly profile: IdentityProfile },
): Promise<Stored<AccountRecord>> {
  const known = await change.get(accounts, [accountId]);
  if (known?.status !== "Registered") throw new LiveplaneError("Conflict");
  await deps.challenges.endAll(change, accountId);
  emitAccount(change, "account.activated", accountId);
  return change.put(accounts, {
    ...known,
    name: known.name ?? name,
    surname: known.surname ?? surname,
    status: "Active",
    challenge: "",
    challengeUntil: 0,
    updatedAt: nowText(deps),
    updatedBy: accountId,
  });
}

/** Links an unlinked identity to an account. */
export function linkIdentity(
  deps: Pick<Services, "runtime">,
  change: Change,
  given: Pick<IdentityRecord, "accountId" | "issuer" | "subject" | "email">,
): Stored<IdentityRecord> {
  const record = { ...given, id: deps.runtime.newId(), createdAt: nowText(deps), lastUsedAt: null };
  emitIdentity(change, "identity.linked", record);
  return change.put(identities, record);
}

function fitting(schema: Schema<object>, member: string, value: string | null): string | null {
  try {
    return value === null ? null : Reflect.get(schema.parse({ [member]: value }), member);
  } catch {
    return null;
  }
}
