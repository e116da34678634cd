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
import { type Decision, decide, type GrantScope, type Grants, nothing, type Place, scopeOf } from "./permissions.ts";

/** All that the permissions of an organization depend on, as of one version, indexed for decisions. Never changes. */
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
  readonly organization: Place;
  team(team: TeamEntry): Place;
  /** A group, or what is in several groups at once. Those that aren't there give nothing. */
  inGroups(shortNames: readonly string[]): Place;
  decide(principalId: string, place: Place): Decision;
}

/** An organization's graph and the state that the graph belongs to. */
export interface Tenancy {
  readonly authorization: Authorization & { readonly version: string };
  readonly graph: PermissionGraph;
}

/** Keeps the graphs of organizations in memory, each as long as it is the newest. */
export interface PermissionGraphs {
  /** An organization as it is now, by one `get`, and one `list` where something has changed. `null`: there is none. */
  read(reader: Reader, organizationId: string): Promise<Tenancy | null>;
}

/** Builds the memory of graphs. `atMost` organizations are remembered, the least recently used goes first. */
export function createPermissionGraphs({ atMost = 1000 }: { readonly atMost?: number } = {}): PermissionGraphs {
  const remembered = new Map<string, { readonly version: string; readonly graph: Promise<PermissionGraph> }>();

  function remember(reader: Reader, organizationId: string, version: string): Promise<PermissionGraph> {
    const known = remembered.get(organizationId);
    remembered.delete(organizationId);
    const graph = known?.version === version ? known.graph : load(reader, organizationId);
    remembered.set(organizationId, { version, graph });
    for (const oldest of remembered.keys()) {
      if (remembered.size <= atMost) break;
      remembered.delete(oldest);
    }
    return graph;
  }

  return {
    async read(reader, organizationId) {
      const authorization = await reader.get(authorizations, [organizationId]);
      if (authorization === null) return null;
      try {
        return { authorization, graph: await remember(reader, organizationId, authorization.version) };
      } catch (failure) {
        remembered.delete(organizationId);
        throw failure;
      }
    },
  };
}

/** Whoever changes an entry writes the authorization record too: what is listed later than its version was read gives way to the next one. */
async function load(reader: Reader, organizationId: string): Promise<PermissionGraph> {
  return graphOf(organizationId, await listAll(reader, graphEntries, { prefix: [organizationId] }));
}

/** Indexes the entries of an organization. */
export function graphOf(organizationId: string, entries: readonly GraphEntry[]): PermissionGraph {
  const grants = entries.filter((entry) => entry.kind === "grant").sort(byAge);
  const teams = new Map(
    entries.flatMap((entry) => (entry.kind === "team" ? [[entry.shortName.toLowerCase(), entry] as const] : [])),
  );
  const teamsById = new Map([...teams.values()].map((team) => [team.principalId, team]));
  const groups = new Map(
    entries.flatMap((entry) => (entry.kind === "group" ? [[entry.shortName.toLowerCase(), entry] as const] : [])),
  );
  const byScope = groupBy(grants, ({ scope }) => scope);
  const byHolder = groupBy(grants, ({ principalId }) => principalId);
  const byScopeAndHolder = new Map(
    [...byScope].map(([scope, own]) => [scope, groupBy(own, ({ principalId }) => principalId)]),
  );
  const scopesByHolder = new Map(
    [...byHolder].map(([holder, own]) => [holder, [...new Set(own.map(({ scope }) => scope))]]),
  );
  const places = new Map<string, Place>();
  const decisions = new Map<Place, Map<string, Decision>>();

  function place(name: string, make: () => Place): Place {
    const known = places.get(name);
    if (known !== undefined) return known;
    const made = make();
    places.set(name, made);
    return made;
  }

  const organization: Place = { containers: [scopeOf.organization] };
  const graph: PermissionGraph = {
    organizationId,
    entries,
    grants,
    teams,
    teamsById,
    groups,
    organization,
    on: (scope, holderId) => byScopeAndHolder.get(scope)?.get(holderId) ?? [],
    scopesOf: (holderId) => scopesByHolder.get(holderId) ?? [],
    allOn: (scope) => byScope.get(scope) ?? [],
    team: ({ principalId, isPrivate }) =>
      place(scopeOf.team(principalId), () => {
        const own = scopeOf.team(principalId);
        return { containers: [scopeOf.organization, own], ...(isPrivate && { privateTo: own }) };
      }),
    inGroups: (shortNames) => {
      const [first = "", ...others] = shortNames;
      const name = others.length === 0 ? first : shortNames.join("/");
      return place(name, () => ({ containers: [scopeOf.organization, ...shortNames.map(scopeOf.group)] }));
    },
    decide(principalId, at) {
      const known = decisions.get(at)?.get(principalId);
      if (known !== undefined) return known;
      // Strangers aren't remembered: there is no end to them.
      if (!scopesByHolder.has(principalId)) return nothing;
      const decision = decide(graph, principalId, at);
      const there = decisions.get(at);
      if (there === undefined) decisions.set(at, new Map([[principalId, decision]]));
      else there.set(principalId, decision);
      return decision;
    },
  };
  return graph;
}

function byAge(a: GrantEntry, b: GrantEntry): number {
  return a.grantedAt - b.grantedAt;
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
