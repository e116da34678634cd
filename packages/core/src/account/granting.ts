import type { Handlers } from "../contract/handler.ts";
import type { PermissionInput } from "../contract/organization-schemas.ts";
import type { Target } from "../contract/target.ts";
import { invalid, LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Pages } from "../records/pages.ts";
import type { Cause, Change, Records } from "../records/records.ts";
import type { GrantPrincipals } from "./grant-principals.ts";
import type { GrantEntry } from "./grants.ts";
import type { LastAdmin } from "./last-admin.ts";
import { listedInMemory } from "./listed.ts";
import type { OpenOrganization, OrganizationChanges } from "./organization-changes.ts";
import { organizationTarget } from "./organization-record.ts";
import { cursorOwner } from "./organizations.ts";
import type { PermissionGraph, PermissionGraphs } from "./permission-graph.ts";
import { type GrantScope, type Principal, scopeOf, teamOf } from "./permissions.ts";
import { judgeNesting, longestChain } from "./team-nesting.ts";

/** What granting and revoking need. */
export interface GrantingDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Pick<Runtime, "clock">;
  readonly graphs: PermissionGraphs;
  readonly changes: OrganizationChanges;
  readonly principals: GrantPrincipals;
  readonly lastAdmin: LastAdmin;
}

type GrantHandlers = Pick<
  Handlers<"organizations">,
  | `organizations.permissions.${"list" | "grant" | "revoke"}`
  | `organizations.resourceGroups.permissions.${"grant" | "revoke"}`
  | `organizations.teams.permissions.${"grant" | "revoke"}`
>;

/** Builds what grants and revokes permissions on organizations, their groups and their teams. */
export function createGranting(deps: GrantingDeps): GrantHandlers {
  const { records, pages, graphs } = deps;
  const answer = async (done: Promise<void>) => {
    await done;
    return { value: true as const };
  };
  const onOrganization: Place = () => ({ scope: scopeOf.organization, about: organizationTarget });

  return {
    async "organizations.permissions.list"({ params: { organizationId }, query, actor }) {
      const found = await graphs.read(records, organizationId);
      const own = (found?.graph.allOn(scopeOf.organization) ?? []).map((grant) => ({ ...grant, version: "" }));
      const source = listedInMemory<GrantEntry>(own, (grant) => [
        String(grant.grantedAt).padStart(16, "0"),
        grant.principalId,
        grant.permissionType,
      ]);
      const page = await pages.page(source, { ...query, bind: [cursorOwner(actor), "permissions", organizationId] });
      const items = page.items.map(({ principalType, principalId, permissionType }) => ({
        principalType,
        principalId,
        permissionType,
      }));
      return { value: { items, nextCursor: page.nextCursor } };
    },
    "organizations.permissions.grant": ({ params, body, cause }) =>
      answer(grant(deps, cause, params.organizationId, body, onOrganization)),
    "organizations.permissions.revoke": ({ params, body, cause }) =>
      answer(revoke(deps, cause, params.organizationId, body, onOrganization)),
    "organizations.resourceGroups.permissions.grant": ({ params, body, cause }) =>
      answer(grant(deps, cause, params.organizationId, body, groupPlace(params.shortName))),
    "organizations.resourceGroups.permissions.revoke": ({ params, body, cause }) =>
      answer(revoke(deps, cause, params.organizationId, body, groupPlace(params.shortName))),
    "organizations.teams.permissions.grant": ({ params, body, cause }) =>
      answer(grant(deps, cause, params.organizationId, body, teamPlace(params.shortName))),
    "organizations.teams.permissions.revoke": ({ params, body, cause }) =>
      answer(revoke(deps, cause, params.organizationId, body, teamPlace(params.shortName))),
  };
}

/** Where a grant is made, and whose View shows that it was. Throws `NotFound` where it isn't there. */
type Place = (graph: PermissionGraph) => {
  readonly scope: GrantScope;
  readonly about: (organizationId: string) => Target;
};

function groupPlace(shortName: string): Place {
  return (graph) => {
    const group = graph.groups.get(shortName.toLowerCase());
    if (group === undefined) throw new LiveplaneError("NotFound");
    const about = (ownerId: string): Target => ({
      kind: "group",
      type: "Organizational",
      ownerId,
      shortName: group.shortName,
    });
    return { scope: scopeOf.group(group.shortName), about };
  };
}

function teamPlace(shortName: string): Place {
  return (graph) => {
    const team = graph.teams.get(shortName.toLowerCase());
    if (team === undefined) throw new LiveplaneError("NotFound");
    const about = (organizationId: string): Target => ({ kind: "team", organizationId, shortName: team.shortName });
    return { scope: scopeOf.team(team.principalId), about };
  };
}

function grant(
  deps: GrantingDeps,
  cause: Cause,
  organizationId: string,
  input: PermissionInput,
  placeIn: Place,
): Promise<void> {
  return deps.records.change(cause, async (change) => {
    const organization = await deps.changes.open(change, organizationId);
    const { scope, about } = placeIn(organization.graph);
    const principal = await deps.principals.forGrant(change, input, organization.graph);
    requireNests(organization.graph, scope, principal);
    const { permissionType } = input;
    const granted = await organization.write.grant({
      ...principal,
      permissionType,
      scope,
      grantedAt: deps.runtime.clock.now(),
    });
    if (!granted) return;
    await organization.touch(scope, cause.actor);
    emit(change, "permission.granted", organization, {
      principal,
      permissionType,
      scope,
      about: about(organizationId),
    });
  });
}

function revoke(
  deps: GrantingDeps,
  cause: Cause,
  organizationId: string,
  input: PermissionInput,
  placeIn: Place,
): Promise<void> {
  return deps.records.change(cause, async (change) => {
    const organization = await deps.changes.open(change, organizationId);
    const { scope, about } = placeIn(organization.graph);
    const principal = await deps.principals.forRevoke(change, input);
    if (principal === null) return;
    const { permissionType } = input;
    const held = organization.graph
      .on(scope, principal.principalId)
      .some((own) => own.permissionType === permissionType && own.principalType === principal.principalType);
    if (!held) return;
    if (scope === "organization" && permissionType === "Admin")
      await deps.lastAdmin.requireAnother(change, organization.graph, principal.principalId);
    await organization.write.revoke({ ...principal, permissionType, scope });
    await organization.touch(scope, cause.actor);
    emit(change, "permission.revoked", organization, {
      principal,
      permissionType,
      scope,
      about: about(organizationId),
    });
  });
}

/** A team that is granted something on a team becomes its member: the chain must not be too long, nor close. */
function requireNests(graph: PermissionGraph, scope: GrantScope, { principalType, principalId }: Principal): void {
  const team = teamOf(scope);
  if (team === null || principalType !== "Team") return;
  const nesting = judgeNesting(graph.grants, team, principalId);
  if (nesting === "cycle") throw new LiveplaneError("TeamCycle");
  if (nesting === "too-deep")
    throw invalid([
      { pointer: "#/principalId", code: "TooDeep", detail: `At most ${longestChain} teams stand in a chain.` },
    ]);
}

interface Told {
  readonly principal: Principal;
  readonly permissionType: GrantEntry["permissionType"];
  readonly scope: GrantScope;
  readonly about: Target;
}

function emit(
  change: Change,
  type: string,
  { record }: OpenOrganization,
  { principal, permissionType, scope, about }: Told,
): void {
  const { principalType, principalId } = principal;
  const subject =
    scope === "organization"
      ? record.id
      : (teamOf(scope) ?? `Organizational/${record.id}/${scope.slice("group/".length)}`);
  change.emit({
    type,
    subject,
    about,
    data: { organizationId: record.id, principalType, principalId, permissionType },
  });
}
