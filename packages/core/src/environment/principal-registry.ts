import type { IssuedSecret } from "../contract/schemas/environment-schemas.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { FederatedIdentities } from "../sessions/federated-identities.ts";

/** A secret of a service account as shown. */
export interface ShownSecret {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

export interface RoleOwner {
  readonly type: "Personal" | "Organizational";
  readonly id: string;
}

/** What roles need to know about service accounts: who owns them, and their secrets, each bound to one environment. */
export interface PrincipalRegistry {
  /** Whose service account an ID is; `"other"` if it belongs to something else. */
  ownerOf(reader: Reader, principalId: string): Promise<RoleOwner | "other" | null>;
  create(change: Change, principalId: string, owner: RoleOwner): Promise<void> | void;
  secrets(reader: Reader, principalId: string, environment: EnvironmentRef): Promise<readonly ShownSecret[]>;
  /** Throws `InvalidState` if two are already valid. */
  issue(
    change: Change,
    principalId: string,
    environment: EnvironmentRef,
    expiresAt: string | null,
  ): Promise<IssuedSecret>;
  /** Returns whether the secret existed. */
  revoke(change: Change, principalId: string, environment: EnvironmentRef, secretId: string): Promise<boolean>;
  /** Pipelines that sign in without a secret. */
  readonly identities: Pick<FederatedIdentities, "list" | "add" | "remove">;
  endAll(change: Change, principalId: string, environment: EnvironmentRef): Promise<void>;
}

/** Service accounts as environments see them, on top of the account service's. */
export function principalRegistry({
  credentials,
  identities,
  isSomethingElse,
}: Pick<Services, "credentials" | "identities"> & {
  readonly isSomethingElse: (reader: Reader, id: string) => Promise<boolean>;
}): PrincipalRegistry {
  return {
    async ownerOf(reader, principalId) {
      const owner = await credentials.ownerOf(reader, principalId);
      if (owner === null) return (await isSomethingElse(reader, principalId)) ? "other" : null;
      return { type: owner.type === "Organization" ? "Organizational" : "Personal", id: owner.id };
    },
    async create(change, principalId, { type, id }) {
      await credentials.create(
        change,
        { type: type === "Organizational" ? "Organization" : "Account", id },
        principalId,
      );
    },
    secrets: credentials.secrets,
    issue: credentials.issue,
    revoke: credentials.revoke,
    identities,
    endAll: credentials.endAll,
  };
}
