import type { EventData } from "../contract/event-data.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import type { TeamInput } from "../contract/schemas/organization-schemas.ts";
import { toInstant } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { principalOf } from "../permissions/actors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { scopeOf } from "../permissions/permissions.ts";
import type { Change, Stored } from "../records/records.ts";
import { shownOnce } from "../records/shown-once.ts";
import type { Services } from "../services.ts";
import { creatorGrant, type OpenOrganization, viewerOf } from "./organization-changes.ts";
import { cursorOwner } from "./organizations.ts";
import { type TeamRecord, teamKey, teams, toTeam } from "./team-record.ts";

type TeamHandlers = Pick<Handlers<"organizations">, `organizations.teams.${"list" | "upsert" | "get" | "delete"}`>;

/** Creates the handlers for teams. */
export function createTeams(
  deps: Pick<Services, "records" | "pages" | "runtime" | "graphs" | "changes">,
): TeamHandlers {
  const { records, pages, graphs, changes } = deps;

  return {
    "organizations.teams.upsert": async (call) => {
      const shortName = requireShortName(call.body);
      const { team, made } = await records.change(call.cause, (change) => upsert(deps, change, call, shortName));
      return { value: toTeam(team), made, location: `/organizations/${team.organizationId}/teams/${team.shortName}` };
    },

    "organizations.teams.get": async ({ params }) => {
      const team = await records.get(teams, teamKey(params.organizationId, params.shortName));
      if (team?.status !== "Active") throw new LiveplaneError("NotFound");
      return { value: shown(team) };
    },

    "organizations.teams.list": async ({ params: { organizationId }, query, actor }) => {
      const found = await graphs.read(records, organizationId);
      if (found === null) throw new LiveplaneError("NotFound");
      const shows = showsTo(principalOf(actor), found.graph, viewerOf(actor, found.graph));
      const page = await pages.page(
        ({ after, limit }) => records.list(teams, { prefix: [organizationId], limit, ...(after && { after }) }),
        { ...query, bind: [cursorOwner(actor), "teams", organizationId] },
        ({ status, shortName }) => status === "Active" && shows(shortName),
      );
      return { value: { items: page.items.map(toTeam), nextCursor: page.nextCursor } };
    },

    "organizations.teams.delete": async ({ params, preconditions, cause }) => {
      const deleted = await records.change(cause, async (change) => {
        const organization = await changes.open(change, params.organizationId);
        const team = await change.get(teams, teamKey(params.organizationId, params.shortName));
        if (team?.status !== "Active") throw new LiveplaneError("NotFound");
        checkPreconditions(preconditions, team);
        await endGrants(organization, team.principalId, cause.actor);
        await organization.write.remove(entryOf(team));
        await organization.touch("organization", cause.actor);
        emitTeam(change, "team.deleted", team, {});
        return change.put(teams, { ...team, status: "Deleted", updatedAt: changes.now(), updatedBy: cause.actor });
      });
      return { value: toTeam(deleted) };
    },
  };
}

/** Ends all grants on a team and to it; the places where it had a grant get a new version. */
async function endGrants({ graph, write, touch }: OpenOrganization, teamId: string, by: string): Promise<void> {
  const own = scopeOf.team(teamId);
  const touched = new Set<(typeof graph.grants)[number]["scope"]>();
  for (const grant of graph.grants) {
    if (grant.scope !== own && grant.principalId !== teamId) continue;
    await write.revoke(grant);
    if (grant.scope !== own) touched.add(grant.scope);
  }
  for (const scope of touched) await touch(scope, by);
}

interface Upserted {
  readonly team: Stored<TeamRecord>;
  readonly made: boolean;
}

async function upsert(
  deps: Pick<Services, "runtime" | "changes">,
  change: Change,
  call: Call<"organizations.teams.upsert">,
  shortName: string,
): Promise<Upserted> {
  const { params, body, preconditions } = call;
  const organization = await deps.changes.open(change, params.organizationId);
  const known = await change.get(teams, teamKey(params.organizationId, shortName));
  if (known?.status !== "Active") {
    checkPreconditions(preconditions, null, { creates: true });
    return { team: await make(deps, change, call, { organization, known, shortName }), made: true };
  }
  checkPreconditions(preconditions, known);
  const members = membersOf(body, known);
  const changed = (Object.keys(members) as (keyof Members)[]).filter((member) => members[member] !== known[member]);
  if (changed.length === 0) return { team: known, made: false };
  if (changed.includes("isPrivate")) {
    await organization.write.put({ ...entryOf(known), isPrivate: members.isPrivate });
    await organization.touch("organization", call.cause.actor);
  }
  emitTeam(change, "team.updated", known, { changed });
  const stamp = { updatedAt: deps.changes.now(), updatedBy: call.cause.actor };
  return { team: change.put(teams, { ...known, ...members, ...stamp }), made: false };
}

interface Making {
  readonly organization: OpenOrganization;
  /** A deleted team of that name: it is restored with its ID, but without its grants. */
  readonly known: TeamRecord | null;
  readonly shortName: string;
}

async function make(
  { runtime }: Pick<Services, "runtime">,
  change: Change,
  { params, body, actor, cause }: Call<"organizations.teams.upsert">,
  { organization, known, shortName }: Making,
) {
  const time = runtime.clock.now();
  const stamp = { updatedAt: toInstant(time), updatedBy: cause.actor };
  const team: TeamRecord = {
    organizationId: params.organizationId,
    shortName: known?.shortName ?? shortName,
    principalId: known?.principalId ?? runtime.newId(),
    status: "Active",
    ...membersOf(body),
    createdAt: known?.createdAt ?? stamp.updatedAt,
    createdBy: known?.createdBy ?? cause.actor,
    ...stamp,
  };
  await organization.write.put(entryOf(team));
  const admin = creatorGrant(actor, scopeOf.team(team.principalId), time);
  if (admin !== null) await organization.write.grant(admin);
  await organization.touch("organization", cause.actor);
  emitTeam(change, "team.created", team, { restored: known !== null });
  return change.put(teams, team);
}

type Members = Pick<TeamRecord, "name" | "description" | "icon" | "isPrivate">;

const shown = shownOnce(toTeam);
const unset: Members = { name: null, description: null, icon: null, isPrivate: false };

/** The members of a team after a change: omitted members stay, null clears. */
function membersOf(input: TeamInput, before: Members = unset): Members {
  return {
    name: input.name === undefined ? before.name : input.name,
    description: input.description === undefined ? before.description : input.description,
    icon: input.icon === undefined ? before.icon : input.icon,
    isPrivate: input.isPrivate ?? before.isPrivate,
  };
}

function entryOf({ organizationId, shortName, principalId, isPrivate }: TeamRecord) {
  return { kind: "team", organizationId, shortName, principalId, isPrivate } as const;
}

/** The teams that a list shows: those that the caller may View. */
function showsTo(principalId: string | null, graph: PermissionGraph, sees: ReturnType<typeof viewerOf>) {
  return (shortName: string): boolean => {
    const team = graph.teams.get(shortName.toLowerCase());
    if (team === undefined || !sees(team)) return false;
    return principalId === null || graph.decide(principalId, graph.team(team)).permissions.includes("View");
  };
}

function requireShortName({ shortName }: TeamInput): string {
  if (shortName) return shortName;
  throw invalid([{ pointer: "#/shortName", code: "ValueRequired", detail: "A team needs a short name." }]);
}

type AboutTeam = Extract<keyof EventData, `team.${string}`>;

function emitTeam<Type extends AboutTeam>(
  change: Change,
  type: Type,
  { organizationId, shortName, principalId }: TeamRecord,
  data: Omit<EventData[Type], "organizationId" | "shortName">,
): void {
  const about = { kind: "team", organizationId, shortName } as const;
  const said = { organizationId, shortName, ...data } as EventData[Type];
  change.emit({ type, subject: principalId, about, data: said });
}
