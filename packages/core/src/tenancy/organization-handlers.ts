import type { Handlers } from "../contract/handler.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { createOwnSecrets } from "../sessions/own-secrets.ts";
import { createExplain } from "./explain.ts";
import { createGranting } from "./granting.ts";
import { createMembers } from "./members.ts";
import { organizations } from "./organization-record.ts";
import { createOrganizations } from "./organizations.ts";
import { createResourceGroups } from "./resource-groups.ts";
import { createPersonalResourceGroups } from "./resource-groups-personal.ts";
import { createTeams } from "./teams.ts";

/** The operations on organizations, and those that people share with them: resource groups, and secrets of their service account. */
export type OrganizationHandlers = Omit<Handlers<"organizations">, keyof Handlers<"organizations.webhooks">> &
  Handlers<"accounts.resourceGroups"> &
  Pick<Handlers<"accounts">, Extract<keyof ReturnType<typeof createOwnSecrets>, `accounts.${string}`>> &
  Handlers<"permissions">;

/** Creates these handlers, including members and permissions. */
export function createOrganizationHandlers(
  deps: Pick<
    Services,
    | "records"
    | "pages"
    | "runtime"
    | "graphs"
    | "credentials"
    | "accounts"
    | "principals"
    | "changes"
    | "lastAdmin"
    | "seats"
    | "liveSystemsOf"
  >,
): OrganizationHandlers {
  return {
    ...createOrganizations(deps),
    ...createMembers(deps),
    ...createTeams(deps),
    ...createResourceGroups(deps),
    ...createPersonalResourceGroups(deps),
    ...createGranting(deps),
    ...createExplain(deps),
    ...createOwnSecrets({ ...deps, organizationPrincipal }),
  };
}

async function organizationPrincipal(reader: Reader, id: string): Promise<string | null> {
  return (await reader.get(organizations, [id]))?.serviceAccountId ?? null;
}
