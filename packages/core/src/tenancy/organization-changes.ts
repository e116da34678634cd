import type { Actor } from "../contract/target.ts";
import { nowText } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { principalOf } from "../permissions/actors.ts";
import {
  type Authorization,
  authorizations,
  type GrantEntry,
  type GraphWriter,
  writeGraph,
} from "../permissions/grants.ts";
import { graphOf, type PermissionGraph } from "../permissions/permission-graph.ts";
import { type GrantScope, teamOf } from "../permissions/permissions.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { Viewer } from "./member-rights.ts";
import { type OrganizationRecord, organizations } from "./organization-record.ts";
import { groupKey, resourceGroups } from "./resource-group-record.ts";
import { teamKey, teams } from "./team-record.ts";

/** An organization within a change. Any concurrent change to it makes this change run again. */
export interface OpenOrganization {
  readonly record: Stored<OrganizationRecord>;
  readonly authorization: Authorization;
  readonly graph: PermissionGraph;
  readonly write: GraphWriter;
  /** Replaces the record itself. */
  put(record: OrganizationRecord): Stored<OrganizationRecord>;
  /** Gives the target of a grant a new version, because its lists have changed. */
  touch(scope: GrantScope, by: string): Promise<void>;
  after(): PermissionGraph;
}

/** Opens organizations within changes. */
export interface OrganizationChanges {
  /** Throws `NotFound` if there is no live organization with that ID. */
  open(change: Change, organizationId: string): Promise<OpenOrganization>;
  /** The time of the change. */
  now(): string;
}

export function createOrganizationChanges({
  graphs,
  seats,
  runtime,
}: Pick<Services, "runtime" | "graphs" | "seats">): OrganizationChanges {
  const now = () => nowText({ runtime });
  return {
    now,
    async open(change, organizationId) {
      const key = [organizationId];
      const pair = await change.getPair([authorizations, key], [organizations, key]);
      const authorization = pair[0];
      const record = pair[1];
      if (authorization === null || record === null || record.status === "Deleted")
        throw new LiveplaneError("NotFound");
      const graph = await graphs.of(change, authorization);
      return opened(change, { record, authorization, graph, write: writeGraph(change, authorization, seats), now });
    },
  };
}

interface Opening extends Pick<OpenOrganization, "record" | "authorization" | "graph" | "write"> {
  readonly now: () => string;
}

function opened(change: Change, { record, authorization, graph, write, now }: Opening): OpenOrganization {
  let current = record;
  const put = (next: OrganizationRecord) => {
    current = change.put(organizations, next);
    return current;
  };
  return {
    record,
    authorization,
    graph,
    write,
    put,
    async touch(scope, by) {
      const stamp = { updatedAt: now(), updatedBy: by };
      if (scope === "organization") return void put({ ...current, ...stamp });
      const touched = await scopeRecord(change, graph, scope);
      if (touched?.kind === "team") change.put(teams, { ...touched.record, ...stamp });
      if (touched?.kind === "group") change.put(resourceGroups, { ...touched.record, ...stamp });
    },
    after: () => graphOf(record.id, write.applyTo(graph.entries)),
  };
}

async function scopeRecord(change: Change, graph: PermissionGraph, scope: GrantScope) {
  const teamId = teamOf(scope);
  if (teamId === null) {
    const shortName = scope.slice("group/".length);
    const record = await change.get(
      resourceGroups,
      groupKey({ type: "Organizational", ownerId: graph.organizationId, shortName }),
    );
    return record && ({ kind: "group", record } as const);
  }
  const team = graph.teamsById.get(teamId);
  const record = team ? await change.get(teams, teamKey(graph.organizationId, team.shortName)) : null;
  return record && ({ kind: "team", record } as const);
}

/** The Admin grant of whoever creates something; none if the creator isn't an account. */
export function creatorGrant(
  actor: Actor,
  scope: GrantScope,
  grantedAt: number,
): Omit<GrantEntry, "kind" | "organizationId"> | null {
  const principalId = principalOf(actor);
  if (principalId === null) return null;
  return {
    scope,
    principalType: "Account",
    principalId,
    permissionType: "Admin",
    grantedAt,
    isPerson: actor.kind === "account",
  };
}

/** The grants that an actor may know about: a private team's grants are visible to those who can see the team. */
export function grantViewerOf(actor: Actor, graph: PermissionGraph): (grant: GrantEntry) => boolean {
  const sees = viewerOf(actor, graph);
  return ({ principalType, principalId }) => {
    const team = principalType === "Team" ? graph.teamsById.get(principalId) : null;
    return team === null || (team !== undefined && sees(team));
  };
}

/** The teams that an actor sees: public ones, and private ones that they can see. */
export function viewerOf(actor: Actor, graph: PermissionGraph): Viewer {
  const principalId = principalOf(actor);
  return (team) => {
    if (!team.isPrivate || actor.kind === "system") return true;
    return principalId !== null && graph.decide(principalId, graph.team(team)).permissions.includes("View");
  };
}
