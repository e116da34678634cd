import type { EventData } from "../contract/event-data.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import type { OrganizationResourceGroup, ResourceGroupInput } from "../contract/schemas/resource-group-schemas.ts";
import { type Actor, type GroupRef, groupPath } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { principalOf } from "../permissions/actors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { scopeOf } from "../permissions/permissions.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { creatorGrant, grantViewerOf } from "./organization-changes.ts";
import { cursorOwner } from "./organizations.ts";
import { type GroupRecord, groupKey, resourceGroups, toOrganizationGroup } from "./resource-group-record.ts";

type Operation = "list" | "upsert" | "get" | "delete";
type GroupHandlers = Pick<Handlers<"organizations">, `organizations.resourceGroups.${Operation}`>;

/** Creates the handlers for organizations' resource groups. */
export function createResourceGroups(
  deps: Pick<Services, "records" | "pages" | "runtime" | "graphs" | "changes" | "liveSystemsOf">,
): GroupHandlers {
  const { records, pages, graphs, changes, liveSystemsOf } = deps;

  async function shown(
    record: Stored<GroupRecord>,
    graph: PermissionGraph,
    actor: Actor,
  ): Promise<OrganizationResourceGroup> {
    const grants = graph.allOn(scopeOf.group(record.shortName)).filter(grantViewerOf(actor, graph));
    return toOrganizationGroup(record, await liveSystemsOf(groupPath(record)), grants);
  }

  return {
    "organizations.resourceGroups.upsert": async (call) => {
      const { record, graph, made } = await records.change(call.cause, (change) => upsert(deps, change, call));
      const location = `/organizations/${record.ownerId}/resourcegroups/${record.shortName}`;
      return { value: await shown(record, graph, call.actor), made, location };
    },

    "organizations.resourceGroups.get": async ({ params, actor }) => {
      const record = await records.get(resourceGroups, groupKey(idOf(params)));
      const found = await graphs.read(records, params.organizationId);
      if (record?.status !== "Active" || found === null) throw new LiveplaneError("NotFound");
      return { value: await shown(record, found.graph, actor) };
    },

    "organizations.resourceGroups.list": async ({ params: { organizationId }, query, actor }) => {
      const found = await graphs.read(records, organizationId);
      if (found === null) throw new LiveplaneError("NotFound");
      const { graph } = found;
      const principalId = principalOf(actor);
      const sees = (shortName: string) =>
        principalId === null ||
        graph.decide(principalId, graph.inGroups([shortName.toLowerCase()])).permissions.includes("View");
      const prefix = ["Organizational", organizationId];
      const page = await pages.page(
        ({ after, limit }) => records.list(resourceGroups, { prefix, limit, ...(after && { after }) }),
        { ...query, bind: [cursorOwner(actor), "resourcegroups", organizationId] },
        ({ status, shortName }) => status === "Active" && sees(shortName),
      );
      const items = await Promise.all(page.items.map((record) => shown(record, graph, actor)));
      return { value: { items, nextCursor: page.nextCursor } };
    },

    "organizations.resourceGroups.delete": async ({ params, preconditions, actor, cause }) => {
      const { record, graph } = await records.change(cause, async (change) => {
        const organization = await changes.open(change, params.organizationId);
        const known = await change.get(resourceGroups, groupKey(idOf(params)));
        if (known?.status !== "Active") throw new LiveplaneError("NotFound");
        checkPreconditions(preconditions, known);
        for (const grant of organization.graph.allOn(scopeOf.group(known.shortName)))
          await organization.write.revoke(grant);
        await organization.write.remove(entryOf(known));
        await organization.touch("organization", cause.actor);
        const stamp = { updatedAt: changes.now(), updatedBy: cause.actor };
        return { record: remove(change, known, stamp), graph: organization.after() };
      });
      return { value: await shown(record, graph, actor) };
    },
  };
}

/** Marks a group as deleted. */
export function remove(change: Change, known: GroupRecord, stamp: GroupStamp): Stored<GroupRecord> {
  emitGroup(change, "resource_group.deleted", known, {});
  return change.put(resourceGroups, { ...known, status: "Deleted", ...stamp });
}

export type GroupStamp = Pick<GroupRecord, "updatedAt" | "updatedBy">;

/** Creates a group or changes it as a body says. A deleted group of that name is restored, with its first spelling. */
export function write(
  change: Change,
  id: GroupRef,
  known: Stored<GroupRecord> | null,
  body: ResourceGroupInput,
  stamp: GroupStamp,
): Stored<GroupRecord> {
  const live = known?.status === "Active" ? known : null;
  const members = membersOf(body, live ?? unset);
  const changed = (Object.keys(members) as (keyof Members)[]).filter((member) => members[member] !== live?.[member]);
  if (live !== null && changed.length === 0) return live;
  const made = { createdAt: stamp.updatedAt, createdBy: stamp.updatedBy, ...id, ...known };
  const record: GroupRecord = { ...made, ...members, status: "Active", ...stamp };
  if (live === null) emitGroup(change, "resource_group.created", record, { restored: known !== null });
  else emitGroup(change, "resource_group.updated", record, { changed });
  return change.put(resourceGroups, record);
}

async function upsert(
  { runtime, changes }: Pick<Services, "runtime" | "changes">,
  change: Change,
  call: Call<"organizations.resourceGroups.upsert">,
) {
  const { params, body, preconditions, actor, cause } = call;
  const organization = await changes.open(change, params.organizationId);
  const known = await change.get(resourceGroups, groupKey(idOf(params)));
  const made = known?.status !== "Active";
  checkPreconditions(preconditions, made ? null : known, { creates: true });
  const record = write(change, idOf(params), known, body, { updatedAt: changes.now(), updatedBy: cause.actor });
  if (!made) return { record, made, graph: organization.graph };
  await organization.write.put(entryOf(record));
  const admin = creatorGrant(actor, scopeOf.group(record.shortName), runtime.clock.now());
  if (admin !== null) await organization.write.grant(admin);
  await organization.touch("organization", cause.actor);
  return { record, made, graph: organization.after() };
}

type Members = Pick<GroupRecord, "displayName" | "description" | "icon">;

const unset: Members = { displayName: null, description: null, icon: null };

/** The members of a group after a change: omitted members stay, null clears. */
function membersOf(input: ResourceGroupInput, before: Members): Members {
  return {
    displayName: input.displayName === undefined ? before.displayName : input.displayName,
    description: input.description === undefined ? before.description : input.description,
    icon: input.icon === undefined ? before.icon : input.icon,
  };
}

function idOf({
  organizationId,
  shortName,
}: {
  readonly organizationId: string;
  readonly shortName: string;
}): GroupRef {
  return { type: "Organizational", ownerId: organizationId, shortName };
}

function entryOf({ ownerId, shortName }: GroupRecord) {
  return { kind: "group", organizationId: ownerId, shortName } as const;
}

type AboutGroup = Extract<keyof EventData, `resource_group.${string}`>;

function emitGroup<Type extends AboutGroup>(
  change: Change,
  type: Type,
  { type: kind, ownerId, shortName }: GroupRef,
  data: EventData[Type],
): void {
  const id = { type: kind, ownerId, shortName };
  change.emit({ type, subject: groupPath(id), about: { kind: "group", ...id }, data });
}
