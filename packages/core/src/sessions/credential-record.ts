import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import { collection } from "../records/collection.ts";

/** What a principal can sign in by, for itself or for its role in one environment. One record, so that two at once can't make one too many. */
export interface CredentialRecord {
  readonly principalId: string;
  readonly environment: EnvironmentRef | null;
  readonly secrets: readonly KeptSecret[];
  readonly identities: readonly KeptIdentity[];
}

export interface KeptSecret {
  readonly id: string;
  /** SHA-256: a secret of 256 random bits can't be guessed, so a slow hash would protect nothing more. */
  readonly digest: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

/** Whose pipelines may sign in, by the word of an issuer that the host trusts. */
export interface KeptIdentity {
  readonly id: string;
  readonly issuer: string;
  /** A pattern. */
  readonly subject: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly lastUsedAt: string | null;
}

/** What a principal signs in by for itself, under `null`, or for its role in an environment. */
export const credentials = collection<CredentialRecord>()("credential", {
  key: ({ principalId, environment }) => [principalId, credentialPlace(environment)],
});

/** The key's second part. */
export function credentialPlace(environment: EnvironmentRef | null): string {
  return environment === null ? "itself" : environmentName(environment);
}
