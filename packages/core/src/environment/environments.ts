import type { Reach } from "../access/access.ts";
import type { Page } from "../contract/api.ts";
import type { Answer, Call, Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { checkPreconditions, requireNew } from "../contract/preconditions.ts";
import type { Environment } from "../contract/schemas/environment-schemas.ts";
import { actorName, environmentName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { type DueWork, dueRecords } from "../records/due.ts";
import { type ListPlace, listTogether } from "../records/lists-together.ts";
import type { Change, Reader, Stored } from "../records/records.ts";
import { isSameRecord } from "../records/same-record.ts";
import { shownListOnce, shownOnce } from "../records/shown-once.ts";
import { countUse, environmentsOf, liveSystemsIn, managedBy, useCount, usedAmong } from "../records/uses.ts";
import { verdictsBy } from "../records/verdicts.ts";
import type { Services } from "../services.ts";
import {
  canonicalGroup,
  changedEnvironment,
  judgeEnvironmentDefinition,
  newEnvironment,
  stampOf,
} from "./environment-definition.ts";
import {
  containersOf,
  type EnvironmentRecord,
  emitEnvironment,
  environmentKey,
  environmentPath,
  environmentStatus,
  environments,
  requireEnvironment,
  toEnvironment,
} from "./environment-record.ts";
import type { JudgeScopes } from "./initialization/resource-scopes.ts";
import { moveManager } from "./management-environment.ts";

type Operation =
  | "environments.create"
  | "environments.update"
  | "environments.get"
  | "environments.list"
  | "environments.delete";

export interface Environments {
  readonly handlers: Pick<Handlers<"environments">, Operation>;
  /** Purges what was deleted long enough ago. */
  readonly due: DueWork;
}

const shown = shownOnce(toEnvironment);
const shownList = shownListOnce(shown);
const housekeeper = { actor: "system", requestId: "housekeeping" };

export function createEnvironments(
  deps: Pick<Services, "records" | "pages" | "runtime" | "settings" | "access" | "groupExists"> & {
    readonly profileName: (reader: Reader, incarnation: string, shortName: string) => Promise<string | null>;
    readonly destroyContents: (change: Change, record: EnvironmentRecord) => Promise<void>;
    readonly judgeScopes: JudgeScopes;
  },
): Environments {
  return {
    handlers: {
      "environments.create": (call) => create(deps, call),
      "environments.update": (call) => update(deps, call),
      "environments.get": async ({ params, reader }) => ({ value: shown(await requireEnvironment(reader, params)) }),
      "environments.list": (call) => list(deps, call),
      "environments.delete": (call) => remove(deps, call),
    },
    due: dueEnvironments(deps),
  };
}

async function create(
  deps: Pick<Services, "records" | "runtime" | "access" | "groupExists"> & {
    readonly profileName: (reader: Reader, incarnation: string, shortName: string) => Promise<string | null>;
    readonly judgeScopes: JudgeScopes;
  },
  call: Call<"environments.create">,
): Promise<Answer<Environment>> {
  const { type, ownerId, shortName } = call.params;
  if (type === "Unknown")
    throw invalid([{ parameter: "type", code: "Enum", detail: "An environment must be Personal or Organizational." }]);
  const id = { type, ownerId, shortName };
  const resourceScopes = await deps.judgeScopes(id, call.body.resourceScopes ?? [], []);
  const stored = await deps.records.change(call.cause, async (change) => {
    await judgeEnvironmentDefinition(deps, change, { id, actor: call.actor, body: call.body, known: null });
    const before = await change.get(environments, environmentKey(id));
    const alive = before === null || before.deletedAt !== null ? null : before;
    requireNew(call.preconditions, alive, "An environment with this name already exists.");
    const record = newEnvironment(id, deps.runtime.newId(), { ...call.body, resourceScopes }, stampOf(deps, call));
    await moveManager(change, null, record.managementEnvironmentId);
    await countUse(change, environmentsOf(type, ownerId), 1);
    const what = before === null ? "environment.created" : "environment.restored";
    emitEnvironment(change, id, { type: what, data: { changed: [] } });
    return change.put(environments, record);
  });
  return { value: toEnvironment(stored), made: true, location: environmentPath(id) };
}

async function update(
  deps: Pick<Services, "records" | "runtime" | "access" | "groupExists"> & {
    readonly profileName: (reader: Reader, incarnation: string, shortName: string) => Promise<string | null>;
    readonly judgeScopes: JudgeScopes;
  },
  call: Call<"environments.update">,
): Promise<Answer<Environment>> {
  const { resourceScopes: wished } = call.body;
  const before = wished && (await requireEnvironment(deps.records, call.params));
  const resourceScopes = before && (await deps.judgeScopes(before.id, wished, before.resourceScopes));
  const body = { ...call.body, ...(resourceScopes && { resourceScopes }) };
  const stored = await deps.records.change(call.cause, async (change) => {
    const known = await requireEnvironment(change, call.params);
    await judgeEnvironmentDefinition(deps, change, { id: known.id, actor: call.actor, body: call.body, known });
    checkPreconditions(call.preconditions, known);
    const { defaultCiCdProfileShortName: wanted } = call.body;
    const profile = wanted == null ? wanted : await deps.profileName(change, known.incarnation, wanted);
    const record = changedEnvironment(known, body, profile, stampOf(deps, call));
    if (isSameRecord(known, record)) return known;
    await moveManager(change, known.managementEnvironmentId, record.managementEnvironmentId);
    emitEnvironment(change, known.id, { type: "environment.updated", data: { changed: Object.keys(call.body) } });
    return change.put(environments, record);
  });
  return { value: toEnvironment(stored) };
}

async function list(
  { pages, access }: Pick<Services, "pages" | "access">,
  { actor, query, reader }: Call<"environments.list">,
): Promise<Answer<Page<Environment>>> {
  const { cursor, limit, type, ownerId, resourceGroup } = query;
  const group = resourceGroup === undefined ? undefined : canonicalGroup(resourceGroup).toLowerCase();
  const bind = [actorName(actor), "environments.list", type ?? "", ownerId ?? "", group ?? ""];
  const reach = await access.reach(actor, reader);
  const maySee = verdicts((record) =>
    access.can(actor, { kind: "environment", ...record.id }, "View", { within: containersOf(record), reader }),
  );
  const fits = (record: EnvironmentRecord) =>
    (type ?? record.id.type) === record.id.type &&
    (ownerId ?? record.id.ownerId) === record.id.ownerId &&
    (group === undefined || record.resourceGroups.some((own) => own.toLowerCase() === group));
  const isWhole = type === undefined && ownerId === undefined && group === undefined;
  const page = await pages.page<EnvironmentRecord>(
    listTogether(reader, environments, await occupied(reader, placesFor(reach, { type, ownerId, group }))),
    { cursor, limit, bind },
    isWhole ? maySee : (record) => fits(record) && maySee(record),
  );
  return { value: { ...page, items: shownList(page.items) } };
}

/** By what decides who sees an environment: its owner, and its groups. A role is for one environment, and no other is listed for it. */
const verdicts = verdictsBy(({ id, resourceGroups }: EnvironmentRecord) =>
  resourceGroups.length === 0 ? id.ownerId : [id.ownerId, ...resourceGroups].join(" "),
);

interface Listing {
  readonly type: string | undefined;
  readonly ownerId: string | undefined;
  readonly group: string | undefined;
}

type Place = ListPlace<"ofOwner" | "byGroup" | "byShortName">;

/** The places that a list searches, so that nothing outside the caller's reach is read. An environment's groups belong to its owner. */
function placesFor({ everything, owners, environment }: Reach, { type, ownerId, group }: Listing): readonly Place[] {
  if (environment !== null) return [{ index: "ofOwner", prefix: environmentKey(environment) }];
  if (group !== undefined) {
    const reached = everything || owners.some(({ type, id }) => group.startsWith(`${type}/${id}/`.toLowerCase()));
    return reached ? [{ index: "byGroup", prefix: [group] }] : [];
  }
  if (everything) return [{ index: "byShortName", prefix: [] }];
  return owners
    .filter((owner) => (type ?? owner.type) === owner.type && (ownerId ?? owner.id) === owner.id)
    .map((owner) => ({ index: "ofOwner", prefix: [owner.type, owner.id] }));
}

/** Whoever belongs to many organizations finds environments in few of them, and a look at their counts costs less than listing nothing. */
async function occupied(records: Reader, places: readonly Place[]): Promise<readonly Place[]> {
  if (places.length <= 2) return places;
  return usedAmong(records, places, ({ prefix: [type = "", id = ""] }) => environmentsOf(type, id));
}

async function remove(
  deps: Pick<Services, "records" | "runtime"> & {
    readonly destroyContents: (change: Change, record: EnvironmentRecord) => Promise<void>;
  },
  call: Call<"environments.delete">,
): Promise<Answer<Environment>> {
  const stored = await deps.records.change(call.cause, async (change) => {
    const known = await requireEnvironment(change, call.params);
    checkPreconditions(call.preconditions, known);
    await refuseInUse(change, known);
    await deps.destroyContents(change, known);
    await moveManager(change, known.managementEnvironmentId, null);
    await countUse(change, environmentsOf(known.id.type, known.id.ownerId), -1);
    emitEnvironment(change, known.id, { type: "environment.deleted", data: { changed: [] } });
    const { actor, time } = stampOf(deps, call);
    return change.put(environments, { ...known, deletedAt: Date.parse(time), updatedAt: time, updatedBy: actor });
  });
  await destroyLeftovers(deps, stored);
  return { value: toEnvironment(stored) };
}

/** Destroys what was added to an environment while it was being deleted, because a commit doesn't check lists. */
async function destroyLeftovers(
  {
    records,
    destroyContents,
  }: Pick<Services, "records"> & {
    readonly destroyContents: (change: Change, record: EnvironmentRecord) => Promise<void>;
  },
  record: Stored<EnvironmentRecord>,
) {
  await records.change(housekeeper, async (change) => {
    const known = await change.get(environments, environmentKey(record.id));
    if (known?.incarnation === record.incarnation) await destroyContents(change, record);
  });
}

async function refuseInUse(change: Change, { id, initializations }: EnvironmentRecord): Promise<void> {
  const name = environmentName(id);
  const [managed, systems] = await Promise.all([
    useCount(change, managedBy(name)),
    useCount(change, liveSystemsIn(name)),
  ]);
  if (managed > 0)
    throw new LiveplaneError("EnvironmentNotEmpty", "Other environments use it as their management environment.");
  if (systems > 0) throw new LiveplaneError("EnvironmentNotEmpty", "It contains live systems. Delete them first.");
  if (environmentStatus(initializations) === "Initializing")
    throw new LiveplaneError("InvalidState", "It is being initialized. Cancel the initialization first.");
}

/** Environments deleted long ago, with anything that a crash left in them. */
function dueEnvironments(
  deps: Pick<Services, "records" | "runtime" | "settings"> & {
    readonly destroyContents: (change: Change, record: EnvironmentRecord) => Promise<void>;
  },
): DueWork {
  const { records, runtime, settings } = deps;
  return dueRecords({
    ...{ name: "deleted-environments", records, clock: runtime.clock, collection: environments, index: "deleted" },
    since: ({ deletedAt }) => (deletedAt ?? runtime.clock.now()) + settings.purgeSeconds * 1000,
    async settle(record) {
      await destroyLeftovers(deps, record);
      await records.change(housekeeper, async (change) => {
        const known = await change.get(environments, environmentKey(record.id));
        if (known?.version === record.version) change.delete(environments, environmentKey(record.id));
      });
    },
  });
}
