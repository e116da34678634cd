import type { Identity } from "../contract/schemas/identity-schemas.ts";
import { collection } from "../records/collection.ts";
import { listAll } from "../records/list-all.ts";
import type { Change, Stored } from "../records/records.ts";

/** A person's identity at an issuer, and the account it is linked to. */
export interface IdentityRecord {
  readonly id: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
  /** As the issuer gave it then; only for display to its owner. */
  readonly email: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** All linked identities: an issuer's subject belongs to at most one account. */
export const identities = collection<IdentityRecord>()("identity", {
  key: ({ id }) => [id],
  indexes: { byAccount: ({ accountId, createdAt }) => [[accountId, createdAt]] },
  uniques: { subject: ({ issuer, subject }) => [[issuer, subject]] },
});

/** The identity as its owner sees it. */
export function toIdentity({ id, issuer, subject, email, createdAt, lastUsedAt }: Stored<IdentityRecord>): Identity {
  return { id, issuer, subject, email, createdAt, lastUsedAt };
}

/** Emits that an identity was linked or unlinked. */
export function emitIdentity(
  change: Change,
  type: "identity.linked" | "identity.unlinked",
  { id, accountId, issuer }: IdentityRecord,
): void {
  const about = { kind: "account", accountId } as const;
  change.emit({ type, subject: accountId, about, data: { identityId: id, issuer } });
}

export async function forgetIdentities(change: Change, accountId: string): Promise<void> {
  const linked = await listAll(change, identities, { index: "byAccount", prefix: [accountId] });
  for (const { id } of linked) change.delete(identities, [id]);
}
