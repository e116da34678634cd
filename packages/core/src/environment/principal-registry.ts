import type { ServiceAccountCredentials } from "../account/service-accounts.ts";
import type { Reader } from "../records/records.ts";
import type { PrincipalRegistry } from "./service-accounts.ts";

/** Service accounts as environments see them, over the account service's own. */
export function principalRegistry(
  credentials: ServiceAccountCredentials,
  isSomethingElse: (reader: Reader, id: string) => Promise<boolean>,
): PrincipalRegistry {
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
    endAll: credentials.endAll,
  };
}
