import type { Permission } from "../contract/row.ts";
import type { Member } from "../contract/schemas/organization-schemas.ts";
import type { TeamEntry } from "../permissions/grants.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { implied } from "../permissions/permissions.ts";

/** Who looks at an organization: some teams show to some alone. */
export type Viewer = (team: TeamEntry) => boolean;

/** What a member may do with the organization itself, and by which grants. */
export type MemberRights = Pick<Member, "principalId" | "permissions" | "direct" | "through">;

/**
 * The members of an organization, in the order of their grants. What comes through a team that the viewer doesn't see is left out, and so
 * is a member who has nothing else: they would show that there is such a team.
 */
export function memberRights(graph: PermissionGraph, sees: Viewer): readonly MemberRights[] {
  const holders = graph.grants.filter(({ principalType }) => principalType === "Account");
  const ids = new Set(holders.map(({ principalId }) => principalId));
  return [...ids].flatMap((principalId) => rightsOfMember(graph, principalId, sees) ?? []);
}

/** The same of one member; `null`: the viewer sees no member of that ID. */
export function rightsOfMember(graph: PermissionGraph, principalId: string, sees: Viewer): MemberRights | null {
  const because = graph.decide(principalId, graph.organization).because.flatMap(({ permissionType, via }) => {
    const teams = via.map((id) => graph.teamsById.get(id));
    return teams.every((team) => team !== undefined && sees(team)) ? [{ permissionType, teams }] : [];
  });
  if (because.length === 0) return null;
  const held = new Set<Permission>(because.flatMap(({ permissionType }) => implied[permissionType]));
  const through = because.flatMap(({ teams }) => teams.flatMap((team) => team?.shortName ?? []));
  const direct = because.some(({ teams }) => teams.length === 0);
  return { principalId, permissions: [...held], direct, through: [...new Set(through)] };
}
