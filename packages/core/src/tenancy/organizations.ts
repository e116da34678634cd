import type { EventData } from "../contract/event-data.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import type { OrganizationInput, OrganizationOrSummary } from "../contract/schemas/organization-schemas.ts";
import { type Actor, actorName } from "../contract/target.ts";
import { toInstant } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { accountOf, factorMissing, lacksFactor, principalOf } from "../permissions/actors.ts";
import { authorizations, type OrganizationStatus, organizationsOf, writeGraph } from "../permissions/grants.ts";
import { graphOf, type PermissionGraph, type Tenancy } from "../permissions/permission-graph.ts";
import { listAll } from "../records/list-all.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Change, Stored } from "../records/records.ts";
import { environmentsOf, useCount } from "../records/uses.ts";
import type { Services } from "../services.ts";
import { creatorGrant, type OpenOrganization, viewerOf } from "./organization-changes.ts";
import {
  type OrganizationRecord,
  organizations,
  organizationTarget,
  toOrganization,
  toOrganizationSummary,
} from "./organization-record.ts";
import { isExpired } from "./plan-limits.ts";
import { subscriptions } from "./subscription-record.ts";

type Operation = "create" | "update" | "list" | "get" | "delete" | "suspend" | "resume";

type OrganizationHandlers = Pick<Handlers<"organizations">, `organizations.${Operation}`>;

/** Creates the handlers for organizations themselves. */
export function createOrganizations(
  deps: Pick<Services, "records" | "pages" | "runtime" | "graphs" | "principals" | "changes" | "seats">,
): OrganizationHandlers {
  const { records, graphs, changes } = deps;
  return {
    "organizations.create": async ({ body, preconditions, actor, cause }) => {
      requireOwnFactor(actor, body);
      const made = await records.change(cause, async (change) => {
        checkPreconditions(preconditions, null, { creates: true });
        return create(deps, change, actor, membersOf(body));
      });
      return { value: shown(made, actor), made: true, location: `/organizations/${made.record.id}` };
    },

    "organizations.update": async ({ body: { organizationId, ...body }, preconditions, actor, cause }) => {
      requireOwnFactor(actor, body);
      const updated = await records.change(cause, async (change) => {
        const organization = await changes.open(change, organizationId);
        checkPreconditions(preconditions, organization.record);
        return update(deps, change, organization, body, cause.actor);
      });
      return { value: shown(updated, actor) };
    },

    "organizations.list": (call) => list(deps, call),

    "organizations.get": async ({ params, actor }) => {
      const record = await records.get(organizations, [params.organizationId]);
      const found = await graphs.read(records, params.organizationId);
      if (record === null || found === null || record.status === "Deleted") throw new LiveplaneError("NotFound");
      return { value: shown({ record, graph: found.graph }, actor) };
    },

    "organizations.delete": async ({ params, preconditions, actor, cause }) => {
      const record = await records.change(cause, async (change) => {
        const organization = await changes.open(change, params.organizationId);
        checkPreconditions(preconditions, organization.record);
        return remove(deps, change, organization, cause.actor);
      });
      return { value: shown({ record, graph: null }, actor) };
    },

    "organizations.suspend": (call) => moveTo(deps, call, "Suspended"),
    "organizations.resume": (call) => moveTo(deps, call, "Active"),
  };
}

async function list(
  { records, pages, graphs }: Pick<Services, "records" | "pages" | "graphs">,
  { actor, query }: Call<"organizations.list">,
) {
  const principalId = principalOf(actor);
  const ids = principalId === null ? null : await organizationsOf(records, principalId);
  const all =
    ids === null
      ? await listAll(records, organizations)
      : await records.getMany(
          organizations,
          ids.map((id) => [id]),
        );
  const live = all.filter((record) => record !== null).filter(({ status }) => status !== "Deleted");
  const foundById = new Map<string, Tenancy>();
  const source = listedInMemory<OrganizationRecord>(live, ({ createdAt, id }) => [createdAt, id]);
  const page = await pages.page(source, { ...query, bind: [cursorOwner(actor), "organizations"] }, async ({ id }) => {
    const found = await graphs.read(records, id);
    if (found === null) return false;
    foundById.set(id, found);
    return principalId === null || found.graph.scopesOf(principalId).length > 0;
  });
  const items = page.items.map((record): OrganizationOrSummary => {
    const found = foundById.get(record.id) ?? null;
    const needsSecondFactor = found !== null && lacksFactor(actor, found.authorization);
    return needsSecondFactor || isGuest(actor, found)
      ? toOrganizationSummary(record, { needsSecondFactor })
      : shown({ record, graph: found?.graph ?? null }, actor);
  });
  return { value: { items, nextCursor: page.nextCursor } };
}

/** Whether an actor sees only an organization's name, because they have only something in it. */
function isGuest(actor: Actor, found: Tenancy | null): boolean {
  const principalId = principalOf(actor);
  if (principalId === null) return false;
  return found === null || !found.graph.decide(principalId, found.graph.organization).permissions.includes("View");
}

async function moveTo(
  { records, changes }: Pick<Services, "records" | "changes">,
  { params, actor, cause }: Call<"organizations.suspend" | "organizations.resume">,
  status: OrganizationStatus,
) {
  const moved = await records.change(cause, async (change) => {
    const { record, authorization, graph, put } = await changes.open(change, params.organizationId);
    if (record.status === status) return { record, graph };
    change.put(authorizations, { ...authorization, status });
    emitOrganization(change, "organization.updated", record.id, { changed: ["status"], status });
    return { record: put({ ...record, status, updatedAt: changes.now(), updatedBy: cause.actor }), graph };
  });
  return { value: shown(moved, actor) };
}

interface Shown {
  readonly record: Stored<OrganizationRecord>;
  readonly graph: PermissionGraph | null;
}

type Members = Pick<
  OrganizationRecord,
  "name" | "description" | "icon" | "tags" | "socialLinks" | "requiresSecondFactor"
>;

const unset: Members = {
  ...{ name: null, description: null, icon: null, tags: [], socialLinks: [] },
  requiresSecondFactor: false,
};

/** Creates an organization within its creator's plan. One created by liveplane itself has no plan and no Admin yet. */
async function create(
  { runtime, seats, principals }: Pick<Services, "runtime" | "principals" | "seats">,
  change: Change,
  actor: Actor,
  members: Members,
): Promise<Shown> {
  const accountId = await accountOf(actor, change, principals);
  const subscription = accountId === null ? null : await change.find(subscriptions, "account", [accountId]);
  if (accountId !== null && subscription === null)
    throw new LiveplaneError("SubscriptionLimitReached", "An organization needs a subscription. Create one first.");
  const time = runtime.clock.now();
  if (subscription !== null && isExpired(subscription, time)) throw new LiveplaneError("SubscriptionExpired");
  const id = runtime.newId();
  const subscriptionId = subscription?.id ?? null;
  await seats.open(change, subscriptionId);
  const by = accountId ?? actorName(actor);
  const at = toInstant(time);
  const { requiresSecondFactor } = members;
  const authorization = { organizationId: id, status: "Active", subscriptionId, requiresSecondFactor } as const;
  const write = writeGraph(change, authorization, seats);
  change.put(authorizations, authorization);
  const admin = accountId === null ? null : creatorGrant({ kind: "account", accountId }, "organization", time);
  if (admin !== null) await write.grant(admin);
  const serviceAccountId = await principals.create(change, { type: "Organization", id });
  emitOrganization(change, "organization.created", id, {});
  const stamps = { createdAt: at, createdBy: by, updatedAt: at, updatedBy: by };
  const record = change.put(organizations, {
    id,
    ...members,
    serviceAccountId,
    status: "Active",
    subscriptionId,
    ...stamps,
  });
  return { record, graph: graphOf(id, write.applyTo([])) };
}

function update(
  { changes }: Pick<Services, "changes">,
  change: Change,
  { record, authorization, graph, put }: OpenOrganization,
  body: OrganizationInput,
  by: string,
): Shown {
  const members = membersOf(body, record);
  const changed = Object.keys(members).filter((member) => differs(member as keyof Members, members, record));
  if (changed.length === 0) return { record, graph };
  emitOrganization(change, "organization.updated", record.id, { changed });
  const { requiresSecondFactor } = members;
  if (requiresSecondFactor !== record.requiresSecondFactor)
    change.put(authorizations, { ...authorization, requiresSecondFactor });
  return { record: put({ ...record, ...members, updatedAt: changes.now(), updatedBy: by }), graph };
}

/** Deletes an organization with its teams and groups. */
async function remove(
  deps: Pick<Services, "changes" | "seats">,
  change: Change,
  { record, authorization, graph, put }: OpenOrganization,
  by: string,
) {
  const environments = await useCount(change, environmentsOf("Organizational", record.id));
  if (environments > 0)
    throw new LiveplaneError("EnvironmentNotEmpty", "The organization has environments. Delete them first.");
  await leavePlan(deps, change, graph, record.subscriptionId);
  // Its grants stay until it is purged, because they decide who may see its deletion.
  change.put(authorizations, { ...authorization, status: "Deleted", subscriptionId: null });
  emitOrganization(change, "organization.deleted", record.id, {});
  return put({ ...record, status: "Deleted", updatedAt: deps.changes.now(), updatedBy: by });
}

/** Frees the seats of an organization and its accounts in the plan. */
async function leavePlan(
  { seats }: Pick<Services, "seats">,
  change: Change,
  graph: PermissionGraph,
  subscriptionId: string | null,
): Promise<void> {
  const grantsOf = new Map<string, number>();
  for (const { principalId, isPerson } of graph.grants) {
    if (isPerson) grantsOf.set(principalId, (grantsOf.get(principalId) ?? 0) + 1);
  }
  for (const [accountId, grants] of grantsOf) await seats.leave(change, subscriptionId, accountId, grants);
  await seats.close(change, subscriptionId);
}

function shown({ record, graph }: Shown, actor: Actor) {
  return toOrganization(record, graph, graph === null ? () => false : viewerOf(actor, graph));
}

/** The members of an organization after a change: omitted members stay, null clears. */
function membersOf(input: OrganizationInput, before: Members = unset): Members {
  return {
    name: input.name === undefined ? before.name : input.name,
    description: input.description === undefined ? before.description : input.description,
    icon: input.icon === undefined ? before.icon : input.icon,
    tags: input.tags === undefined ? before.tags : (input.tags ?? []),
    socialLinks: input.socialLinks === undefined ? before.socialLinks : (input.socialLinks ?? []),
    requiresSecondFactor: input.requiresSecondFactor ?? before.requiresSecondFactor,
  };
}

/** Nobody shuts themselves out: people must have signed in with what they require of others. */
function requireOwnFactor(actor: Actor, { requiresSecondFactor = false }: OrganizationInput): void {
  if (lacksFactor(actor, { requiresSecondFactor })) throw factorMissing();
}

function differs(member: keyof Members, after: Members, before: Members): boolean {
  return JSON.stringify(after[member]) !== JSON.stringify(before[member]);
}

type AboutOrganization = Extract<keyof EventData, `organization.${string}`>;

function emitOrganization<Type extends AboutOrganization>(
  change: Change,
  type: Type,
  id: string,
  data: EventData[Type],
): void {
  change.emit({ type, subject: id, about: organizationTarget(id), data });
}

export function cursorOwner(actor: Actor): string {
  return principalOf(actor) ?? actor.kind;
}
