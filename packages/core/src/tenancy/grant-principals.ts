import { invalid } from "../contract/invalid.ts";
import type { PermissionInput } from "../contract/schemas/organization-schemas.ts";
import { canonicalUuid, email as emailSchema, uuid } from "../contract/schemas/values.ts";
import type { LiveplaneError } from "../errors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import type { Principal } from "../permissions/permissions.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { Viewer } from "./member-rights.ts";

export interface FoundPrincipal extends Principal {
  /** A person's account, which uses a seat of the plan. */
  readonly isPerson: boolean;
}

/** Finds the principal that a grant or revocation names. */
export interface GrantPrincipals {
  /** A principal to grant to; an unknown address is invited. Throws `InvalidPrincipal`, also for a team that the caller can't see. */
  forGrant(
    change: Change,
    input: PermissionInput,
    teams: { readonly graph: PermissionGraph; readonly sees: Viewer },
  ): Promise<FoundPrincipal>;
  /** A principal to revoke from; `null` if unknown, and so without grants. Throws `InvalidPrincipal` if none is named. */
  forRevoke(reader: Reader, input: PermissionInput): Promise<Principal | null>;
}

export function createGrantPrincipals({
  accounts,
  principals,
}: Pick<Services, "accounts" | "principals">): GrantPrincipals {
  async function account(change: Change, named: string): Promise<FoundPrincipal> {
    const principalType = "Account";
    const id = canonicalUuid.test(named) ? named : uuid.safeParse(named).data;
    const email = id === undefined ? emailSchema.safeParse(named).data : undefined;
    const principalId = id ?? (email && (await accounts.invite(change, email)));
    if (principalId === undefined) throw invalidPrincipal();
    const status = (await accounts.statuses(change, [principalId]))[0];
    if (status === "Deleted") throw invalidPrincipal();
    if (status) return { principalType, principalId, isPerson: true };
    if ((await principals.ownerOf(change, principalId)) === null) throw invalidPrincipal();
    return { principalType, principalId, isPerson: false };
  }

  return {
    async forGrant(change, input, { graph, sees }) {
      const named = requireNamed(input);
      if (input.principalType === "Account") return await account(change, named);
      const team = graph.teamsById.get(named.toLowerCase());
      if (team === undefined || !sees(team)) throw invalidPrincipal();
      return { principalType: "Team", principalId: team.principalId, isPerson: false };
    },
    async forRevoke(reader, input) {
      const named = requireNamed(input);
      const { principalType } = input;
      // Not a uuid: an existing account may have an address that new accounts couldn't have.
      if (principalType === "Team" || !named.includes("@")) return { principalType, principalId: named.toLowerCase() };
      const principalId = await accounts.findByEmail(reader, named);
      return principalId === null ? null : { principalType, principalId };
    },
  };
}

function requireNamed({ principalId }: PermissionInput): string {
  if (!principalId) throw invalidPrincipal();
  return principalId;
}

function invalidPrincipal(): LiveplaneError {
  const detail =
    "This is neither the ID of an account, of a service account or of a team of the organization, nor an e-mail address.";
  return invalid([{ pointer: "#/principalId", code: "InvalidPrincipal", detail }]);
}
