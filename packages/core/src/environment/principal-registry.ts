import type { IssuedSecret } from "../contract/schemas/environment-schemas.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { FederatedIdentities } from "../sessions/federated-identities.ts";

/** A secret of a service account as it is shown. */
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

/** What roles need of service accounts: who they are, and their secrets, which belong to one place of an environment. */
export interface PrincipalRegistry {
  /** Whether an id is a service account's and whose; `"other"`: it is something else's. */
  ownerOf(reader: Reader, principalId: string): Promise<RoleOwner | "other" | null>;
  create(change: Change, principalId: string, owner: RoleOwner): Promise<void> | void;
  secrets(reader: Reader, principalId: string, environment: EnvironmentRef): Promise<readonly ShownSecret[]>;
  /** Throws `InvalidState` when two are alive. */
  issue(
    change: Change,
    principalId: string,
    environment: EnvironmentRef,
    expiresAt: string | null,
  ): Promise<IssuedSecret>;
  /** Whether there was such a secret. */
  revoke(change: Change, principalId: string, environment: EnvironmentRef, secretId: string): Promise<boolean>;
  /** Pipelines that sign in without one. */
  readonly identities: Pick<FederatedIdentities, "list" | "add" | "remove">;
  endAll(change: Change, principalId: string, environment: EnvironmentRef): Promise<void>;
}

/** Service accounts as environments see them, over the account service's own. */
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
