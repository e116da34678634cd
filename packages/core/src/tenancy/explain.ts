import type { Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { uuid } from "../contract/schemas/values.ts";
import { groupPath } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { scopeOf } from "../permissions/permissions.ts";
import type { Services } from "../services.ts";

/** Creates the operation that explains permissions by showing the decision itself. */
export function createExplain({ records, graphs }: Pick<Services, "records" | "graphs">): Handlers<"permissions"> {
  return {
    "permissions.explain": async ({
      params: { organizationId },
      query: { principalType, principalId: named, resourceGroup },
    }) => {
      const found = await graphs.read(records, organizationId);
      if (found === null) throw new LiveplaneError("NotFound");
      const { graph } = found;
      const principalId = uuid.safeParse(named).data;
      if (principalId === undefined || (principalType === "Team" && !graph.teamsById.has(principalId))) {
        throw invalid([
          {
            parameter: "principalId",
            code: "InvalidPrincipal",
            detail: "This is neither an account's ID nor the ID of a team in the organization.",
          },
        ]);
      }
      const { permissions, because } = graph.decide(principalId, placeOf(graph, resourceGroup));
      return {
        value: {
          permissions: [...permissions],
          because: because.map(({ scope, via, ...grant }) => ({
            scope: scopeName(graph, scope),
            principalType: grant.principalType,
            principalId: grant.principalId,
            permissionType: grant.permissionType,
            via: [...via],
          })),
        },
      };
    },
  };
}

function placeOf(graph: PermissionGraph, resourceGroup: string | undefined) {
  if (resourceGroup === undefined) return graph.organization;
  const name = resourceGroup.toLowerCase();
  if (!graph.groups.has(name))
    throw new LiveplaneError("NotFound", "There is no such resource group, or you may not view it.");
  return graph.inGroups([name]);
}

/** `Organizational/<id>`, or a group as `Organizational/<id>/<group>`. */
function scopeName({ organizationId, groups }: PermissionGraph, scope: string): string {
  const group = groups.get(scope.slice("group/".length));
  return scope === scopeOf.organization || group === undefined
    ? `Organizational/${organizationId}`
    : groupPath({ type: "Organizational", ownerId: organizationId, shortName: group.shortName });
}
