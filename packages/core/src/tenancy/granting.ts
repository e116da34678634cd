import type { Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import type { PageQuery } from "../contract/schemas/account-schemas.ts";
import type { PermissionInput } from "../contract/schemas/organization-schemas.ts";
import { type Actor, type EventTarget, groupPath } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { GrantEntry } from "../permissions/grants.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { type GrantScope, type Principal, scopeOf, teamOf } from "../permissions/permissions.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Cause, Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { createGrantPrincipals, type GrantPrincipals } from "./grant-principals.ts";
import { cardsOf } from "./members.ts";
import { grantViewerOf, type OpenOrganization, viewerOf } from "./organization-changes.ts";
import { organizationTarget } from "./organization-record.ts";
import { cursorOwner } from "./organizations.ts";
import { judgeNesting, longestChain } from "./team-nesting.ts";

type GrantHandlers = Pick<
  Handlers<"organizations">,
  `organizations.${"" | "resourceGroups." | "teams."}permissions.${"list" | "grant" | "revoke"}`
>;

/** Creates the handlers that grant and revoke permissions on organizations, groups and teams. */
export function createGranting(
  services: Pick<
    Services,
    "records" | "pages" | "runtime" | "graphs" | "changes" | "lastAdmin" | "accounts" | "principals"
  >,
): GrantHandlers {
  const deps = { ...services, found: createGrantPrincipals(services) };
  const answer = async (done: Promise<void>) => {
    await done;
    return { value: true as const };
  };

  return {
    "organizations.permissions.list": (call) => list(deps, call, onOrganization),
    "organizations.resourceGroups.permissions.list": (call) => list(deps, call, onGroup(call)),
    "organizations.teams.permissions.list": (call) => list(deps, call, onTeam(call)),
    "organizations.permissions.grant": (call) => answer(grant(deps, asked(call, onOrganization))),
    "organizations.permissions.revoke": (call) => answer(revoke(deps, asked(call, onOrganization))),
    "organizations.resourceGroups.permissions.grant": (call) => answer(grant(deps, asked(call, onGroup(call)))),
    "organizations.resourceGroups.permissions.revoke": (call) => answer(revoke(deps, asked(call, onGroup(call)))),
    "organizations.teams.permissions.grant": (call) => answer(grant(deps, asked(call, onTeam(call)))),
    "organizations.teams.permissions.revoke": (call) => answer(revoke(deps, asked(call, onTeam(call)))),
  };
}

/** Where a grant applies, and whose View shows its event. Throws `NotFound` if it doesn't exist. */
type Place = (graph: PermissionGraph) => {
  readonly scope: GrantScope;
  readonly about: (organizationId: string) => EventTarget;
};

const onOrganization: Place = () => ({ scope: scopeOf.organization, about: organizationTarget });

function onGroup({ params: { shortName } }: Named): Place {
  return (graph) => {
    const group = graph.groups.get(shortName.toLowerCase());
    if (group === undefined) throw new LiveplaneError("NotFound");
    const about = (ownerId: string): EventTarget => ({
      kind: "group",
      type: "Organizational",
      ownerId,
      shortName: group.shortName,
    });
    return { scope: scopeOf.group(group.shortName), about };
  };
}

function onTeam({ params: { shortName } }: Named): Place {
  return (graph) => {
    const team = graph.teams.get(shortName.toLowerCase());
    if (team === undefined) throw new LiveplaneError("NotFound");
    const about = (organizationId: string): EventTarget => ({
      kind: "team",
      organizationId,
      shortName: team.shortName,
    });
    return { scope: scopeOf.team(team.principalId), about };
  };
}

/** A call that lists grants. */
interface ListCall {
  readonly actor: Actor;
  readonly params: { readonly organizationId: string };
  readonly query: PageQuery;
}

/** Lists the grants on a place, oldest first, by name. */
async function list(
  deps: Pick<Services, "records" | "pages" | "graphs" | "accounts" | "principals">,
  { actor, params: { organizationId }, query }: ListCall,
  placeIn: Place,
) {
  const found = await deps.graphs.read(deps.records, organizationId);
  if (found === null) throw new LiveplaneError("NotFound");
  const { graph } = found;
  const { scope } = placeIn(graph);
  const source = listedInMemory<GrantEntry>(graph.allOn(scope).filter(grantViewerOf(actor, graph)), (grant) => [
    String(grant.grantedAt).padStart(16, "0"),
    grant.principalId,
    grant.permissionType,
  ]);
  const page = await deps.pages.page(source, {
    ...query,
    bind: [cursorOwner(actor), "permissions", organizationId, scope],
  });
  const cards = await cardsOf(
    deps,
    { actor, graph },
    page.items.map(({ principalId }) => principalId),
  );
  const items = page.items.map(({ principalType, principalId, permissionType }, at) => {
    const card = cards[at];
    const name = graph.teamsById.get(principalId)?.shortName ?? card?.name ?? card?.email ?? null;
    return { principalType, principalId, name, permissionType };
  });
  return { value: { items, nextCursor: page.nextCursor } };
}

/** A call that names a group or a team. */
interface Named {
  readonly params: { readonly shortName: string };
}

/** The requested grant or revocation. */
interface Asked {
  readonly actor: Actor;
  readonly cause: Cause;
  readonly organizationId: string;
  readonly input: PermissionInput;
  readonly placeIn: Place;
}

/** A call that grants or revokes. */
interface GrantCall {
  readonly actor: Actor;
  readonly params: { readonly organizationId: string };
  readonly body: PermissionInput;
  readonly cause: Cause;
}

function asked({ actor, params: { organizationId }, body, cause }: GrantCall, placeIn: Place): Asked {
  return { actor, cause, organizationId, input: body, placeIn };
}

/** Applies a grant or revocation: returns its target, or `null` if nothing changes. */
type Move = (change: Change, organization: OpenOrganization, scope: GrantScope) => Promise<Principal | null>;

function grant(
  deps: Pick<Services, "records" | "runtime" | "changes"> & { readonly found: GrantPrincipals },
  asked: Asked,
): Promise<void> {
  const { actor, input } = asked;
  const { permissionType } = input;
  return moveIn(deps, asked, "permission.granted", async (change, { graph, write }, scope) => {
    const principal = await deps.found.forGrant(change, input, { graph, sees: viewerOf(actor, graph) });
    requireNests(graph, scope, principal);
    // The graph has the version that was just read, so it needn't be read again.
    if (holds(graph, scope, principal, permissionType)) return null;
    const grantedAt = deps.runtime.clock.now();
    return (await write.grant({ ...principal, permissionType, scope, grantedAt })) ? principal : null;
  });
}

function revoke(
  deps: Pick<Services, "records" | "changes" | "lastAdmin"> & { readonly found: GrantPrincipals },
  asked: Asked,
): Promise<void> {
  const { permissionType } = asked.input;
  return moveIn(deps, asked, "permission.revoked", async (change, { graph, write }, scope) => {
    const principal = await deps.found.forRevoke(change, asked.input);
    if (principal === null || !holds(graph, scope, principal, permissionType)) return null;
    if (scope === "organization" && permissionType === "Admin")
      await deps.lastAdmin.requireAnother(change, graph, principal.principalId);
    await write.revoke({ ...principal, permissionType, scope });
    return principal;
  });
}

/** Opens the organization, applies the change, and emits it if anything changed. */
function moveIn(
  { records, changes }: Pick<Services, "records" | "changes">,
  { cause, organizationId, input, placeIn }: Asked,
  type: "permission.granted" | "permission.revoked",
  move: Move,
): Promise<void> {
  return records.change(cause, async (change) => {
    const organization = await changes.open(change, organizationId);
    const { scope, about } = placeIn(organization.graph);
    const principal = await move(change, organization, scope);
    if (principal === null) return;
    await organization.touch(scope, cause.actor);
    const { principalType, principalId } = principal;
    change.emit({
      type,
      subject: subjectOf(scope, organizationId),
      about: about(organizationId),
      data: { organizationId, principalType, principalId, permissionType: input.permissionType },
    });
  });
}

function holds(graph: PermissionGraph, scope: GrantScope, { principalType, principalId }: Principal, of: string) {
  return graph.on(scope, principalId).some((own) => own.permissionType === of && own.principalType === principalType);
}

function subjectOf(scope: GrantScope, organizationId: string): string {
  if (scope === "organization") return organizationId;
  return (
    teamOf(scope) ??
    groupPath({ type: "Organizational", ownerId: organizationId, shortName: scope.slice("group/".length) })
  );
}

/** A team with a grant on another team becomes its member: the chain must not be too long, nor closed. */
function requireNests(graph: PermissionGraph, scope: GrantScope, { principalType, principalId }: Principal): void {
  const team = teamOf(scope);
  if (team === null || principalType !== "Team") return;
  const nesting = judgeNesting(graph.grants, team, principalId);
  if (nesting === "cycle") throw new LiveplaneError("TeamCycle");
  if (nesting === "too-deep")
    throw invalid([
      { pointer: "#/principalId", code: "TooDeep", detail: `Teams can be nested at most ${longestChain} deep.` },
    ]);
}
