import type { Component, LiveSystem, Mutation } from "../../contract/schemas/live-system-schemas.ts";
import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { LiveplaneError } from "../../errors.ts";
import { collection } from "../../records/collection.ts";
import type { Cause, Change, Reader, Stored } from "../../records/records.ts";
import { type DeclaredGroupId, type Definition, declaredGroupPath, plainName } from "../declarations/definition.ts";
import type { ProviderWords } from "../protocol/redaction.ts";
import { type ComponentRecord, idOf, type StepWaiting } from "./component-record.ts";
import { ownerKey } from "./list-scope.ts";

export interface LiveSystemRecord {
  readonly id: string;
  /** `Releasing`: its owner is gone, and nobody writes to it any more, in liveplane or in a cloud. */
  readonly status: "Active" | "Deleting" | "Releasing" | "Deleted";
  readonly name: string;
  readonly description: string | null;
  readonly environmentId: EnvironmentRef;
  readonly resourceGroupId: DeclaredGroupId | null;
  /** The digest of the definition that was declared last. */
  readonly inForce: string;
  readonly lastMutationId: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** The live systems, by id; listed in order of creation. */
export const liveSystems = collection<LiveSystemRecord>()("live-system", {
  key: ({ id }) => [id],
  indexes: {
    created: ({ createdAt, status }) => (status === "Deleted" ? [] : [[createdAt]]),
    inEnvironment: ({ createdAt, environmentId, status }) =>
      status === "Deleted" ? [] : [[plainName(environmentName(environmentId)), createdAt]],
    ofOwner: ({ createdAt, environmentId, status }) =>
      status === "Deleted" ? [] : [[...ownerKey(environmentId), createdAt]],
    inGroup: ({ createdAt, resourceGroupId, status }) =>
      status === "Deleted" || !resourceGroupId ? [] : [[plainName(declaredGroupPath(resourceGroupId)), createdAt]],
    deleted: ({ updatedAt, status }) => (status === "Deleted" ? [[updatedAt]] : []),
  },
});

/** What a live system's record says of its definition: what lists and rights go by. */
export function namesOf({ name, description = null, environmentId, resourceGroupId = null }: Definition) {
  return { name, description, environmentId, resourceGroupId };
}

/** A live system as the API shows it. */
export function toLiveSystem(
  record: Stored<LiveSystemRecord>,
  definition: Definition,
  lastMutation: MutationRecord | null,
): LiveSystem {
  const { id, status, lastMutationId, createdAt, createdBy, updatedAt, updatedBy, version } = record;
  const { name, description, environmentId, resourceGroupId } = record;
  const last = lastMutation && shownLast(lastMutation);
  const shown = { id, name, description, environmentId, resourceGroupId, status, lastMutationId, lastMutation: last };
  return { ...shown, definition: shownDefinition(definition), createdAt, createdBy, updatedAt, updatedBy, version };
}

function shownLast({ id, kind, status, error }: MutationRecord): LiveSystem["lastMutation"] {
  return { id, kind, status, error: error && { ...error } };
}

function shownDefinition({
  name,
  description = null,
  environmentId,
  resourceGroupId = null,
  components,
}: Definition): LiveSystem["definition"] {
  const declared = components.map(({ dependsOn, muteDrift, ignoreChanges, allowExtraItems, ...rest }) => ({
    ...rest,
    ...(dependsOn && { dependsOn: [...dependsOn] }),
    ...(muteDrift && { muteDrift: [...muteDrift] }),
    ...(ignoreChanges && { ignoreChanges: [...ignoreChanges] }),
    ...(allowExtraItems && { allowExtraItems: [...allowExtraItems] }),
  }));
  return { name, description, environmentId, resourceGroupId, components: declared };
}

/** A mutation as it is stored. How far it came is with its components. */
export interface MutationRecord {
  readonly id: string;
  readonly liveSystemId: string;
  readonly kind: "Deploy" | "Delete";
  readonly status: "Pending" | "Running" | "Succeeded" | "Failed";
  /** The digest of what it deploys; `null` of a delete. */
  readonly deploys: string | null;
  readonly released: readonly string[];
  readonly held: readonly string[];
  readonly error: MutationError | null;
  readonly createdAt: string;
  readonly createdBy: string;
  /** The request that asked for it: what it reports names that one. */
  readonly requestId: string;
  readonly completedAt: string | null;
}

/** Who a mutation's changes are written down to, and the request that they go back to. */
export function causeOf({ createdBy, requestId }: MutationRecord): Cause {
  return { actor: createdBy, requestId };
}

/** Why a mutation failed. */
export interface MutationError extends Partial<ProviderWords> {
  readonly code: string;
  readonly detail: string;
  readonly componentId: string | null;
}

/** The mutations, newest first by their place; `open` are those that wait or run. */
export const mutations = collection<MutationRecord>()("mutation", {
  key: ({ liveSystemId, id }) => [liveSystemId, id],
  indexes: {
    created: ({ liveSystemId, createdAt }) => [[liveSystemId, createdAt]],
    open: ({ liveSystemId, status, createdAt }) => (isOpen({ status }) ? [[liveSystemId, createdAt]] : []),
  },
});

/** Whether a mutation waits or runs. */
export function isOpen({ status }: Pick<MutationRecord, "status">): boolean {
  return status === "Pending" || status === "Running";
}

/** A mutation as the API shows it, with its components as they are now. */
export function toMutation(
  record: Stored<MutationRecord>,
  { components, records }: { readonly components: readonly Component[]; readonly records: readonly ComponentRecord[] },
): Mutation {
  const { id, liveSystemId, kind, status, released, held, error, createdAt, completedAt } = record;
  const own = records.filter(({ step }) => step?.mutationId === id);
  const shown = {
    id,
    livesystemId: liveSystemId,
    kind,
    status,
    components: [...components],
    steps: own.map(shownStep),
  };
  return { ...shown, released: [...released], held: [...held], error: error && { ...error }, createdAt, completedAt };
}

/** How far a mutation has come with one component. */
function shownStep(record: ComponentRecord): Mutation["steps"][number] {
  const { state = "pending", error = null, waiting = null } = record.step ?? {};
  const waits = state === "begun" && waiting ? shownWait(waiting) : null;
  return { componentId: idOf(record), state, waiting: waits, error: error && { ...error } };
}

function shownWait({ why, detail, since }: StepWaiting): Mutation["steps"][number]["waiting"] {
  return { why, detail, since };
}

/**
 * Whether a mutation still runs, and none has come since that takes its place. What changes a component for one asks it in the same
 * commit: a second process at it may have brought it to its end, and the component may be made again for the next one.
 */
export async function isRunning(reader: Pick<Reader, "getPair">, mutation: MutationRecord): Promise<boolean> {
  const place = [mutations, mutations.key(mutation)] as const;
  const [current, system] = await reader.getPair(place, [liveSystems, [mutation.liveSystemId]]);
  return current?.status === "Running" && system?.lastMutationId === mutation.id;
}

/** Whether a newer mutation has taken one's place: it begins nothing more. */
export async function isSuperseded(
  reader: Pick<Reader, "get">,
  { id, liveSystemId }: Pick<MutationRecord, "id" | "liveSystemId">,
): Promise<boolean> {
  return (await reader.get(liveSystems, [liveSystemId]))?.lastMutationId !== id;
}

/**
 * Whether what was decided on a live system as it was read still holds: the same is declared, and nobody takes it away. What is
 * decided for a mutation holds no longer than that.
 */
export async function isInForce(
  reader: Pick<Reader, "get">,
  { id, status, inForce, lastMutationId }: LiveSystemRecord,
  { forMutation = false }: { readonly forMutation?: boolean } = {},
): Promise<boolean> {
  const now = await reader.get(liveSystems, [id]);
  if (now?.status !== status || now.inForce !== inForce) return false;
  return !forMutation || now.lastMutationId === lastMutationId;
}

/** How a mutation ends whose place a newer one has taken. */
export const superseded: MutationError = {
  code: "Superseded",
  detail: "A newer mutation replaced it.",
  componentId: null,
};

/** Throws the conflict of a live system that is being deleted or released now. What couldn't be deleted can be written to. */
export async function requireWritable(reader: Pick<Reader, "get">, system: LiveSystemRecord): Promise<void> {
  const { id, status, lastMutationId } = system;
  if (status === "Releasing") throw new LiveplaneError("InvalidState", "The live system is being released.");
  if (status !== "Deleting") return;
  const last = await reader.get(mutations, [id, lastMutationId]);
  if (last !== null && isOpen(last)) throw new LiveplaneError("InvalidState", "The live system is being deleted.");
}

/** Where a mutation can be followed. */
export function mutationPath({ liveSystemId, id }: Pick<MutationRecord, "liveSystemId" | "id">): string {
  return `/livesystems/${liveSystemId}/mutations/${id}`;
}

/** How many components there are, spread over slots so that deploys don't race for one number. */
interface ComponentCount {
  readonly slot: string;
  readonly count: number;
}

const componentCounts = collection<ComponentCount>()("component-count", { key: ({ slot }) => [slot] });
const slots = Array.from({ length: 16 }, (_, at) => at.toString(16));

/** Counts components that came to a live system, or left it. */
export async function countComponents(change: Change, liveSystemId: string, by: number): Promise<void> {
  if (by === 0) return;
  const slot = liveSystemId.slice(0, 1);
  const count = ((await change.get(componentCounts, [slot]))?.count ?? 0) + by;
  change.put(componentCounts, { slot, count: Math.max(0, count) });
}

/** About how many components there are: what the sweep is divided by. */
export async function componentTotal(reader: Reader): Promise<number> {
  const counts = await reader.getMany(
    componentCounts,
    slots.map((slot) => [slot]),
  );
  return counts.reduce((total, found) => total + (found?.count ?? 0), 0);
}
