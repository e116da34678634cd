import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import { collection } from "../records/collection.ts";

/**
 * What a principal can sign in with, for itself or for its role in one environment. One record, so that concurrent changes can't exceed the
 * limit.
 */
export interface CredentialRecord {
  readonly principalId: string;
  readonly environment: EnvironmentRef | null;
  readonly secrets: readonly KeptSecret[];
  readonly identities: readonly KeptIdentity[];
}

export interface KeptSecret {
  readonly id: string;
  /** SHA-256: a random 256-bit secret can't be guessed, so a slow hash would add nothing. */
  readonly digest: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

/** Whose pipelines may sign in, as confirmed by an issuer that the host trusts. */
export interface KeptIdentity {
  readonly id: string;
  readonly issuer: string;
  /** A pattern. */
  readonly subject: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly lastUsedAt: string | null;
}

/** The credentials of a principal for itself (`null`), or for its role in an environment. */
export const credentials = collection<CredentialRecord>()("credential", {
  key: ({ principalId, environment }) => [principalId, credentialPlace(environment)],
});

/** The key's second part. */
export function credentialPlace(environment: EnvironmentRef | null): string {
  return environment === null ? "itself" : environmentName(environment);
}
