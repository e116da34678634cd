import type { Handlers } from "./contract/handler.ts";
import { createOwnSecrets } from "./sessions/own-secrets.ts";
import { createExplain } from "./tenancy/explain.ts";
import { createGrantPrincipals } from "./tenancy/grant-principals.ts";
import { createGranting } from "./tenancy/granting.ts";
import { createMembers } from "./tenancy/members.ts";
import { createOrganizations } from "./tenancy/organizations.ts";
import { createResourceGroups } from "./tenancy/resource-groups.ts";
import { createPersonalResourceGroups } from "./tenancy/resource-groups-personal.ts";
import { createTeams } from "./tenancy/teams.ts";

/** What the operations on organizations are built of. */
export type OrganizationDeps = Parameters<typeof createOrganizations>[0] &
  Parameters<typeof createMembers>[0] &
  Parameters<typeof createTeams>[0] &
  Parameters<typeof createResourceGroups>[0] &
  Parameters<typeof createPersonalResourceGroups>[0] &
  Omit<Parameters<typeof createGranting>[0], "principals"> &
  Parameters<typeof createGrantPrincipals>[0] &
  Parameters<typeof createExplain>[0] &
  Parameters<typeof createOwnSecrets>[0];

/** The operations on organizations, and on what persons have as organizations have it: groups, and secrets of their service account. */
export type OrganizationHandlers = Omit<Handlers<"organizations">, keyof Handlers<"organizations.webhooks">> &
  Handlers<"accounts.resourceGroups"> &
  Pick<Handlers<"accounts">, Extract<keyof ReturnType<typeof createOwnSecrets>, `accounts.${string}`>> &
  Handlers<"permissions">;

/** Builds what belongs to organizations, and the same of persons: who is in them, and what each may. */
export function createOrganizationHandlers(deps: OrganizationDeps): OrganizationHandlers {
  return {
    ...createOrganizations(deps),
    ...createMembers(deps),
    ...createTeams(deps),
    ...createResourceGroups(deps),
    ...createPersonalResourceGroups(deps),
    ...createGranting({ ...deps, principals: createGrantPrincipals(deps) }),
    ...createExplain(deps),
    ...createOwnSecrets(deps),
  };
}
