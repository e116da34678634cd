import { listAll } from "../records/list-all.ts";
import type { Reader } from "../records/records.ts";
import {
  type Authorization,
  authorizations,
  type GrantEntry,
  type GraphEntry,
  type GroupEntry,
  graphEntries,
  type TeamEntry,
} from "./grants.ts";
import {
  type Decision,
  decide,
  type GrantScope,
  type Grants,
  type GuardedPlace,
  nothing,
  scopeOf,
} from "./permissions.ts";

/** Everything that an organization's permissions depend on, at one version, indexed for decisions. Immutable. */
export interface PermissionGraph extends Grants {
  readonly organizationId: string;
  readonly entries: readonly GraphEntry[];
  /** Every grant, oldest first. */
  readonly grants: readonly GrantEntry[];
  /** The live teams, by short name in lower case. */
  readonly teams: ReadonlyMap<string, TeamEntry>;
  readonly teamsById: ReadonlyMap<string, TeamEntry>;
  /** The live groups, by short name in lower case. */
  readonly groups: ReadonlyMap<string, GroupEntry>;
  /** The grants on a scope, oldest first. */
  allOn(scope: GrantScope): readonly GrantEntry[];
  readonly organization: GuardedPlace;
  /** A team, even a deleted one. */
  team(team: Pick<TeamEntry, "principalId" | "isPrivate">): GuardedPlace;
  /** A group, or something in several groups. Missing groups give no permissions. */
  inGroups(shortNames: readonly string[]): GuardedPlace;
  decide(principalId: string, place: GuardedPlace): Decision;
}

/** An organization's graph and its state at the same version. */
export interface Tenancy {
  readonly authorization: Authorization & { readonly version: string };
  readonly graph: PermissionGraph;
}

/** Caches the graphs of organizations while they are current. */
export interface PermissionGraphs {
  /** An organization now: one `get`, and one `list` if something has changed. `null` if it doesn't exist. */
  read(reader: Reader, organizationId: string): Promise<Tenancy | null>;
  /** The graph for an authorization that was just read; returned at once if it is cached. */
  of(reader: Reader, authorization: Tenancy["authorization"]): PermissionGraph | Promise<PermissionGraph>;
}

/** The graph of a version, loaded or loading. */
interface RememberedGraph {
  readonly version: string;
  graph: PermissionGraph | Promise<PermissionGraph>;
}

/** Creates the cache of graphs for `atMost` organizations; the one loaded first is dropped first. */
export function createPermissionGraphs({ atMost = 1000 }: { readonly atMost?: number } = {}): PermissionGraphs {
  const remembered = new Map<string, RememberedGraph>();

  async function loadOnce(reader: Reader, { organizationId, version }: Tenancy["authorization"]) {
    const loading: RememberedGraph = { version, graph: load(reader, organizationId) };
    remembered.delete(organizationId);
    remembered.set(organizationId, loading);
    if (remembered.size > atMost) remembered.delete(remembered.keys().next().value ?? "");
    try {
      loading.graph = await loading.graph;
      return loading.graph;
    } catch (failure) {
      if (remembered.get(organizationId) === loading) remembered.delete(organizationId);
      throw failure;
    }
  }

  const graphs: PermissionGraphs = {
    async read(reader, organizationId) {
      const authorization = await reader.get(authorizations, [organizationId]);
      if (authorization === null) return null;
      const graph = graphs.of(reader, authorization);
      return { authorization, graph: graph instanceof Promise ? await graph : graph };
    },
    of(reader, authorization) {
      const known = remembered.get(authorization.organizationId);
      return known?.version === authorization.version ? known.graph : loadOnce(reader, authorization);
    },
  };
  return graphs;
}

/**
 * Every change of an entry rewrites the authorization record, so entries newer than the version that was read are replaced on the next
 * read.
 */
async function load(reader: Reader, organizationId: string): Promise<PermissionGraph> {
  return graphOf(organizationId, await listAll(reader, graphEntries, { prefix: [organizationId] }));
}

export function graphOf(organizationId: string, entries: readonly GraphEntry[]): PermissionGraph {
  const index = indexOf(entries);
  const { scopesByHolder } = index;
  const decisions = new Map<GuardedPlace, Map<string, Decision>>();
  const graph: PermissionGraph = {
    organizationId,
    entries,
    ...index,
    ...places(),
    on: (scope, holderId) => index.byScopeAndHolder.get(scope)?.get(holderId) ?? [],
    scopesOf: (holderId) => scopesByHolder.get(holderId) ?? [],
    allOn: (scope) => index.byScope.get(scope) ?? [],
    decide(principalId, place) {
      const known = decisions.get(place)?.get(principalId);
      if (known !== undefined) return known;
      // Principals without grants aren't cached, because there may be any number of them.
      if (!scopesByHolder.has(principalId)) return nothing;
      const decision = decide(graph, principalId, place);
      const there = decisions.get(place);
      if (there === undefined) decisions.set(place, new Map([[principalId, decision]]));
      else there.set(principalId, decision);
      return decision;
    },
  };
  return graph;
}

function indexOf(entries: readonly GraphEntry[]) {
  const grants = entries.filter((entry) => entry.kind === "grant").sort((a, b) => a.grantedAt - b.grantedAt);
  const teams = entries.filter((entry) => entry.kind === "team");
  const groups = entries.filter((entry) => entry.kind === "group");
  const byScope = groupBy(grants, ({ scope }) => scope);
  const byHolder = groupBy(grants, ({ principalId }) => principalId);
  return {
    grants,
    teams: new Map(teams.map((team) => [team.shortName.toLowerCase(), team])),
    teamsById: new Map(teams.map((team) => [team.principalId, team])),
    groups: new Map(groups.map((group) => [group.shortName.toLowerCase(), group])),
    byScope,
    byScopeAndHolder: new Map(
      [...byScope].map(([scope, own]) => [scope, groupBy(own, ({ principalId }) => principalId)]),
    ),
    scopesByHolder: new Map(
      [...byHolder].map(([holder, own]) => [holder, [...new Set(own.map(({ scope }) => scope))]]),
    ),
  };
}

/** The places of an organization, each one the same object for the graph's lifetime, because decisions are cached by it. */
function places(): Pick<PermissionGraph, "organization" | "team" | "inGroups"> {
  const byTeam = new Map<string, GuardedPlace>();
  const byGroups = new Map<string, GuardedPlace>();
  return {
    organization: { containers: [scopeOf.organization] },
    team({ principalId, isPrivate }) {
      const own = scopeOf.team(principalId);
      return once(byTeam, principalId, () => ({
        containers: [scopeOf.organization, own],
        ...(isPrivate && { privateTo: own }),
      }));
    },
    inGroups(shortNames) {
      const name = shortNames.length === 1 ? (shortNames[0] ?? "") : shortNames.join("/");
      return once(byGroups, name, () => ({ containers: [scopeOf.organization, ...shortNames.map(scopeOf.group)] }));
    },
  };
}

function once(known: Map<string, GuardedPlace>, name: string, make: () => GuardedPlace): GuardedPlace {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make();
  known.set(name, made);
  return made;
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
