import type { Permission } from "../contract/row.ts";
import type { Actor, EnvironmentRef, Target } from "../contract/target.ts";
import {
  accountOf,
  isOperator,
  isRoleActor,
  isSelf,
  lacksFactor,
  principalOf,
  type RoleActor,
  sameEnvironment,
} from "../permissions/actors.ts";
import type { Tenancy } from "../permissions/permission-graph.ts";
import { type GuardedPlace, implied } from "../permissions/permissions.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { groupKey, resourceGroups } from "../tenancy/resource-group-record.ts";
import { subscriptions } from "../tenancy/subscription-record.ts";
import { teamKey, teams } from "../tenancy/team-record.ts";
import type { Containers, ScopeResolvers, ServiceAccountRole, TeamName } from "./access.ts";
import type { Owner } from "./access-targets.ts";

/** What an actor may do with a target. Without any permission, they may not even learn that it exists. */
export interface Rights {
  readonly permissions: readonly Permission[];
  /** A role that may reveal secrets. */
  readonly reveals: boolean;
  /** A role that may start a first initialization, and repeat it. */
  readonly begins: boolean;
  /** The permission comes from acting for the owner, as their service account. */
  readonly standsIn: boolean;
  /** They would see it, but their organization requires a second factor, and they signed in without one. */
  readonly lacksFactor: boolean;
  /** The owner, if there is one. */
  readonly owner: Owner | null;
  /** The organization as it was read for this decision, if an organization is the owner. */
  readonly tenancy: Tenancy | null;
}

/**
 * Decides what an actor may do with a target, from the grants as they are now. With `lasting`, what has been deleted is
 * judged by what it was in: so that its end can be seen. With `within`, an environment or a live system isn't read again.
 * `reader` reads everything else.
 */
export type RightsOf = (
  actor: Actor,
  target: Target,
  options?: { readonly lasting?: boolean; readonly within?: Containers; readonly reader?: Reader | undefined },
) => Rights | Promise<Rights>;

/** What each role may do within its environment. `null`: whatever its principal was granted. */
const roleRights: Readonly<Record<ServiceAccountRole, Partial<Rights> | null>> = {
  CloudAgent: { permissions: implied.View, reveals: true },
  CiCd: { permissions: implied.Edit, begins: true },
  BasicAuthKeyVaultOnly: { reveals: true },
  Bot: { permissions: implied.View },
  Custom: null,
};

const none: Rights = {
  ...{ permissions: [], reveals: false, begins: false, standsIn: false },
  ...{ lacksFactor: false, owner: null, tenancy: null },
};
const everything: Rights = { ...none, permissions: implied.Admin, reveals: true };
const held = (permissions: readonly Permission[], owner: Owner | null, tenancy: Tenancy | null = null): Rights => ({
  ...none,
  permissions,
  owner,
  tenancy,
});

export function createRights(
  deps: Pick<Services, "records" | "settings" | "scopes" | "graphs" | "principals">,
): RightsOf {
  const toLast: Asked = { ...deps, lasting: true };
  const now: Asked = { ...deps, lasting: false };
  return (actor, target, { lasting = false, within, reader } = {}) => {
    const ofAll = lasting ? toLast : now;
    const asked = reader === undefined ? ofAll : { ...ofAll, records: reader };
    if (actor.kind === "system") return everything;
    if (principalOf(actor) === null) return none;
    if (isRoleActor(actor)) return byRole(asked, actor, target);
    if (within !== undefined) return onScope(asked, actor, within);
    switch (target.kind) {
      case "installation":
        return held(isOperator(actor, deps.settings) ? implied.View : [], null);
      case "account":
        return asOwner(deps, actor, target.accountId);
      case "subscription":
        return onSubscription(deps, actor, target.id);
      case "organization":
        return inOrganization(asked, actor, target.organizationId, ({ graph }) => graph.organization);
      case "team":
        return inOrganization(asked, actor, target.organizationId, (found) => teamPlace(asked, found, target));
      case "group":
        return onGroup(asked, actor, target);
      case "environment":
        return onEnvironment(asked, actor, target);
      case "liveSystem":
        return onLiveSystem(asked, actor, target);
    }
  };
}

/** The required permission, and whether deleted targets count too. */
interface Asked extends Pick<Services, "settings" | "scopes" | "graphs" | "principals"> {
  readonly records: Reader;
  readonly lasting: boolean;
}

/** The owner of a personal scope is its Admin, and so is the owner's service account. */
function asOwner(deps: Pick<Asked, "records" | "principals">, actor: Actor, id: string): Rights | Promise<Rights> {
  if (isSelf(actor, id)) return held(implied.Admin, { type: "Personal", id });
  return actor.kind !== "serviceAccount" || isRoleActor(actor) ? none : inOwnersPlace(deps, actor, id);
}

async function inOwnersPlace(
  { records, principals }: Pick<Asked, "records" | "principals">,
  actor: Actor,
  id: string,
): Promise<Rights> {
  if ((await accountOf(actor, records, principals)) !== id) return none;
  return { ...held(implied.Admin, { type: "Personal", id }), standsIn: true };
}

type PlaceIn = (tenancy: Tenancy) => GuardedPlace | null | Promise<GuardedPlace | null>;

async function inOrganization({ graphs, records, lasting }: Asked, actor: Actor, id: string, placeIn: PlaceIn) {
  const found = await graphs.read(records, id);
  if (found === null || (found.authorization.status === "Deleted" && !lasting)) return none;
  const placed = placeIn(found);
  const place = placed instanceof Promise ? await placed : placed;
  const principalId = principalOf(actor);
  if (place === null || principalId === null) return none;
  const { permissions } = found.graph.decide(principalId, place);
  if (lacksFactor(actor, found.authorization)) return { ...none, lacksFactor: permissions.includes("View") };
  return held(permissions, { type: "Organizational", id }, found);
}

async function teamPlace(
  { records, lasting }: Asked,
  { graph }: Tenancy,
  target: TargetOf<"team">,
): Promise<GuardedPlace | null> {
  const team = graph.teams.get(target.shortName.toLowerCase());
  if (team !== undefined) return graph.team(team);
  const gone = lasting ? await records.get(teams, teamKey(target.organizationId, target.shortName)) : null;
  if (gone === null) return null;
  return gone.isPrivate ? graph.team(gone) : graph.organization;
}

/** Whether an actor may know a team by its principal ID. After a team is purged, it counts as private. */
export async function knowsTeam(
  { records, graphs, settings }: Pick<Services, "records" | "settings" | "graphs">,
  actor: Actor,
  { organizationId, principalId }: TeamName,
): Promise<boolean> {
  if (isOperator(actor, settings)) return true;
  const found = await graphs.read(records, organizationId);
  if (found === null) return false;
  const { graph } = found;
  const team = graph.teamsById.get(principalId) ?? (await records.find(teams, "principal", [principalId]));
  if (team !== null && !team.isPrivate) return true;
  const place = graph.team({ principalId, isPrivate: true });
  return graph.decide(principalOf(actor) ?? "", place).permissions.includes("View");
}

async function onGroup(deps: Asked, actor: Actor, target: TargetOf<"group">): Promise<Rights> {
  const { type, ownerId, shortName } = target;
  const { lasting } = deps;
  if (type === "Organizational") {
    const name = shortName.toLowerCase();
    const placeIn: PlaceIn = ({ graph }) => (graph.groups.has(name) || lasting ? graph.inGroups([name]) : null);
    return inOrganization(deps, actor, ownerId, placeIn);
  }
  const own = await asOwner(deps, actor, ownerId);
  if (own.owner === null) return none;
  const found = await deps.records.get(resourceGroups, groupKey(target));
  return found?.status === "Active" || lasting ? own : none;
}

async function onEnvironment(deps: Asked, actor: Actor, target: TargetOf<"environment">): Promise<Rights> {
  const found = await deps.scopes.environment(target, deps.records);
  if (found !== null) return onScope(deps, actor, found);
  if (!deps.lasting || target.type === "Unknown") return none;
  return onScope(deps, actor, { owner: { type: target.type, id: target.ownerId }, groups: [] });
}

async function onLiveSystem(deps: Asked, actor: Actor, { id }: TargetOf<"liveSystem">): Promise<Rights> {
  const found = await deps.scopes.liveSystem(id);
  return found === null ? none : onScope(deps, actor, found);
}

/** A grant on an organization, or on a group that it names, applies to everything in it. */
function onScope(deps: Asked, actor: Actor, { owner, groups }: Containers): Rights | Promise<Rights> {
  if (owner.type === "Personal") return asOwner(deps, actor, owner.id);
  const prefix = `organizational/${owner.id}/`;
  const names = groups.map((group) => group.toLowerCase()).filter((group) => group.startsWith(prefix));
  return inOrganization(deps, actor, owner.id, ({ graph }) =>
    graph.inGroups(names.map((name) => name.slice(prefix.length))),
  );
}

/** A role in an environment gives access to that environment alone. */
async function byRole(deps: Omit<Asked, "lasting">, actor: RoleActor, target: Target): Promise<Rights> {
  const scope = await scopeInEnvironment(deps.scopes, actor.environment, target);
  const found = scope && (await deps.scopes.role(actor.environment, actor.principalId));
  if (!scope || !found?.active) return none;
  const rights = roleRights[found.role];
  return rights === null
    ? onScope({ ...deps, lasting: false }, actor, scope)
    : { ...none, ...rights, owner: scope.owner };
}

async function scopeInEnvironment(
  scopes: ScopeResolvers,
  environment: EnvironmentRef,
  target: Target,
): Promise<Containers | null> {
  if (target.kind === "environment") return sameEnvironment(environment, target) ? scopes.environment(target) : null;
  if (target.kind !== "liveSystem") return null;
  const found = await scopes.liveSystem(target.id);
  return found !== null && sameEnvironment(environment, found.environment) ? found : null;
}

async function onSubscription(
  deps: Pick<Asked, "records" | "settings" | "principals">,
  actor: Actor,
  id: string,
): Promise<Rights> {
  const found = await deps.records.get(subscriptions, [id]);
  if (found === null) return none;
  const own = await asOwner(deps, actor, found.accountId);
  if (own.owner === null && !isOperator(actor, deps.settings)) return none;
  return held(implied.View, { type: "Personal", id: found.accountId });
}

type TargetOf<Kind extends Target["kind"]> = Extract<Target, { kind: Kind }>;
