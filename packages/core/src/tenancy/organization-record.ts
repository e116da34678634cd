import type { Organization, OrganizationSummary } from "../contract/schemas/organization-schemas.ts";
import { groupPath, type Target } from "../contract/target.ts";
import type { GrantEntry, OrganizationStatus } from "../permissions/grants.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { scopeOf } from "../permissions/permissions.ts";
import { collection } from "../records/collection.ts";
import type { Stored } from "../records/records.ts";
import { memberRights, type Viewer } from "./member-rights.ts";

/** An organization as stored. Its lists come from its graph. */
export interface OrganizationRecord {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly icon: string | null;
  readonly tags: readonly string[];
  readonly socialLinks: readonly string[];
  readonly requiresSecondFactor: boolean;
  readonly serviceAccountId: string;
  readonly status: OrganizationStatus;
  readonly subscriptionId: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

export const organizations = collection<OrganizationRecord>()("organization", {
  key: ({ id }) => [id],
  indexes: {
    bySubscription: ({ subscriptionId, status }) =>
      subscriptionId === null || status === "Deleted" ? [] : [[subscriptionId]],
    deleted: ({ status, updatedAt }) => (status === "Deleted" ? [[updatedAt]] : []),
  },
});

export function toOrganization(
  { requiresSecondFactor, ...record }: Stored<OrganizationRecord>,
  graph: PermissionGraph | null,
  sees: Viewer,
): Organization {
  const accounts = graph?.allOn(scopeOf.organization).filter(({ principalType }) => principalType === "Account") ?? [];
  const teams = [...(graph?.teams.values() ?? [])].filter(sees);
  return {
    ...record,
    tags: [...record.tags],
    socialLinks: [...record.socialLinks],
    admins: idsOf(accounts.filter(({ permissionType }) => permissionType === "Admin")),
    members: idsOf(accounts),
    memberCount: graph === null ? 0 : memberRights(graph, sees).length,
    teams: teams.map(({ shortName }) => shortName).sort(byName),
    resourceGroups: [...(graph?.groups.values() ?? [])]
      .map(({ shortName }) => shortName)
      .sort(byName)
      .map((shortName) => groupPath({ type: "Organizational", ownerId: record.id, shortName })),
    requiresSecondFactor,
  };
}

/** What a caller sees who has access only to something in it, or lacks the second factor that it requires. */
export function toOrganizationSummary(
  { id, name, icon }: OrganizationRecord,
  { needsSecondFactor }: Pick<OrganizationSummary, "needsSecondFactor">,
): OrganizationSummary {
  return { id, name, icon, needsSecondFactor };
}

export function organizationTarget(organizationId: string): Extract<Target, { kind: "organization" }> {
  return { kind: "organization", organizationId };
}

function idsOf(grants: readonly GrantEntry[]): string[] {
  return [...new Set(grants.map(({ principalId }) => principalId))];
}

/** The order of lists by short name: code points of the lower-case name. */
function byName(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}
