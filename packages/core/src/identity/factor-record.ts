import type { Factor } from "../contract/schemas/factor-schemas.ts";
import type { SealedRecords } from "../keys/rotation.ts";
import type { PasskeyKey } from "../ports/identity.ts";
import type { Sealed } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Change, Reader } from "../records/records.ts";

/** The second factors of an account. One record, so that of concurrent uses of a code only one succeeds. */
export interface FactorsRecord {
  readonly accountId: string;
  readonly factors: readonly FactorEntry[];
}

export type FactorEntry = TotpFactor | PasskeyFactor | RecoveryCodesFactor;

interface AnyFactor {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

export interface TotpFactor extends AnyFactor {
  readonly kind: "totp";
  readonly sealed: Sealed;
  /** The step of the last code that was used: no code works twice. `null`: not confirmed by a code yet. */
  readonly lastStep: number | null;
}

export interface PasskeyFactor extends AnyFactor, PasskeyKey {
  readonly kind: "passkey";
  /** Chosen by the authenticator, in base64url. */
  readonly credentialId: string;
  readonly transports: readonly string[];
}

export interface RecoveryCodesFactor extends AnyFactor {
  readonly kind: "recoveryCodes";
  /** SHA-256 of the unused ones: 120 random bits can't be guessed. */
  readonly digests: readonly string[];
}

const factorRecords = collection<FactorsRecord>()("factors", { key: ({ accountId }) => [accountId] });

export const factorPlace = (accountId: string, factorId: string) => ["factor", accountId, factorId];

export const sealedFactors: SealedRecords<FactorsRecord> = {
  collection: factorRecords,
  async rewrapped(record, rewrap) {
    const factors: FactorEntry[] = [];
    for (const factor of record.factors) {
      const place = factorPlace(record.accountId, factor.id);
      factors.push(factor.kind === "totp" ? { ...factor, sealed: await rewrap(factor.sealed, place) } : factor);
    }
    return { ...record, factors };
  },
};

/** All second factors of an account, the unconfirmed app too. */
export async function factorsOf(reader: Reader, accountId: string): Promise<readonly FactorEntry[]> {
  return (await reader.get(factorRecords, [accountId]))?.factors ?? [];
}

export function putFactors(change: Change, accountId: string, factors: readonly FactorEntry[]): void {
  change.put(factorRecords, { accountId, factors });
}

/** Replaces the factor with the same ID. */
export function putFactor(
  change: Change,
  accountId: string,
  { all, changed }: { readonly all: readonly FactorEntry[]; readonly changed: FactorEntry },
): void {
  putFactors(
    change,
    accountId,
    all.map((factor) => (factor.id === changed.id ? changed : factor)),
  );
}

export async function forgetFactors(change: Change, accountId: string): Promise<void> {
  if ((await change.get(factorRecords, [accountId])) !== null) change.delete(factorRecords, [accountId]);
}

/** Whether a factor can be given at sign-in. */
export function isUsable(factor: FactorEntry): boolean {
  return factor.kind !== "totp" || factor.lastStep !== null;
}

/** Whether a factor makes an account need one. Recovery codes only replace another factor. */
export function isRequiring(factor: FactorEntry): boolean {
  return factor.kind !== "recoveryCodes" && isUsable(factor);
}

/** The factor as its owner sees it. */
export function toFactor(factor: FactorEntry): Factor {
  const { id, kind, name, createdAt, lastUsedAt } = factor;
  return { id, kind, name, createdAt, lastUsedAt, remaining: "digests" in factor ? factor.digests.length : null };
}

/** Emits that a factor was added or removed. */
export function emitFactor(
  change: Change,
  type: "factor.added" | "factor.removed",
  { accountId, factor: { id, kind } }: { readonly accountId: string; readonly factor: FactorEntry },
): void {
  change.emit({ type, subject: accountId, about: { kind: "account", accountId }, data: { factorId: id, kind } });
}
