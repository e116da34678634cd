import type { Component, LiveSystem, Mutation } from "../../contract/schemas/live-system-schemas.ts";
import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { LiveplaneError } from "../../errors.ts";
import { collection } from "../../records/collection.ts";
import type { Cause, Change, Reader, Stored } from "../../records/records.ts";
import {
  componentId,
  type DeclaredGroupId,
  type Definition,
  declaredGroupPath,
  pathKey,
  plainName,
} from "../declarations/definition.ts";
import { runOrder } from "../declarations/dependency-order.ts";
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
  /** The digest of the definition in force. */
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

/** The parts of a definition that the live system's record repeats, for lists and permissions. */
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

/** A mutation as stored. Its progress is stored with its components. */
export interface MutationRecord {
  readonly id: string;
  readonly liveSystemId: string;
  readonly kind: "Deploy" | "Delete";
  readonly status: "Pending" | "Running" | "Succeeded" | "Failed";
  /** The digest of the definition that it deploys; `null` for a delete. */
  readonly deploys: string | null;
  readonly released: readonly string[];
  readonly held: readonly string[];
  readonly error: MutationError | null;
  readonly createdAt: string;
  readonly createdBy: string;
  /** The request that started it, which its events name. */
  readonly requestId: string;
  readonly completedAt: string | null;
}

/** The actor and request to which a mutation's changes are attributed. */
export function causeOf({ createdBy, requestId }: MutationRecord): Cause {
  return { actor: createdBy, requestId };
}

/** Why a mutation failed. */
export interface MutationError extends Partial<ProviderWords> {
  readonly code: string;
  readonly detail: string;
  readonly componentId: string | null;
}

/** The mutations, newest first; `open` are those waiting or running. */
export const mutations = collection<MutationRecord>()("mutation", {
  key: ({ liveSystemId, id }) => [liveSystemId, id],
  indexes: {
    created: ({ liveSystemId, createdAt }) => [[liveSystemId, createdAt]],
    open: ({ liveSystemId, status, createdAt }) => (isOpen({ status }) ? [[liveSystemId, createdAt]] : []),
  },
});

/** Whether a mutation is waiting or running. */
export function isOpen({ status }: Pick<MutationRecord, "status">): boolean {
  return status === "Pending" || status === "Running";
}

/** A mutation as the API shows it, with the current state of its components. Its steps are in the order in which they run. */
export function toMutation(
  record: Stored<MutationRecord>,
  { components, records }: { readonly components: readonly Component[]; readonly records: readonly ComponentRecord[] },
): Mutation {
  const { id, liveSystemId, kind, status, released, held, error, createdAt, createdBy, completedAt } = record;
  const named = (path: string) => componentId(liveSystemId, pathKey(path));
  const order = runOrder(new Map(components.map((one) => [one.id.toLowerCase(), one.dependsOn.map(named)])));
  const places = new Map((kind === "Delete" ? order.reverse() : order).map((one, at) => [one, at]));
  const placeOf = ({ path }: ComponentRecord) => places.get(named(path)) ?? 0;
  const own = records.filter(({ step }) => step?.mutationId === id).sort((one, other) => placeOf(one) - placeOf(other));
  const shown = {
    id,
    livesystemId: liveSystemId,
    kind,
    status,
    components: [...components],
    steps: own.map(shownStep),
  };
  const dated = { createdAt, createdBy, completedAt };
  return { ...shown, released: [...released], held: [...held], error: error && { ...error }, ...dated };
}

/** The progress of a mutation with one component. */
function shownStep(record: ComponentRecord): Mutation["steps"][number] {
  const { state = "pending", error = null, waiting = null } = record.step ?? {};
  const waits = state === "begun" && waiting ? shownWait(waiting) : null;
  return { componentId: idOf(record), state, waiting: waits, error: error && { ...error } };
}

function shownWait({ why, detail, since }: StepWaiting): Mutation["steps"][number]["waiting"] {
  return { why, detail, since };
}

/**
 * Whether a mutation still runs and none has replaced it. Every change to a component on behalf of a mutation asks this in the same commit:
 * a second process may have finished the mutation, and a newer one may be creating the component again.
 */
export async function isRunning(
  reader: Pick<Reader, "getPair">,
  { id, liveSystemId }: Pick<MutationRecord, "id" | "liveSystemId">,
): Promise<boolean> {
  const [current, system] = await reader.getPair([mutations, [liveSystemId, id]], [liveSystems, [liveSystemId]]);
  return current?.status === "Running" && system?.lastMutationId === id;
}

/** Whether a newer mutation has replaced it: it starts nothing more. */
export async function isSuperseded(
  reader: Pick<Reader, "get">,
  { id, liveSystemId }: Pick<MutationRecord, "id" | "liveSystemId">,
): Promise<boolean> {
  return (await reader.get(liveSystems, [liveSystemId]))?.lastMutationId !== id;
}

/**
 * Whether a decision about a live system still holds: the same definition is in force, and nobody is deleting it. Decisions for a mutation
 * hold no longer than that.
 */
export function isInForce(
  now: LiveSystemRecord | null,
  { status, inForce, lastMutationId }: LiveSystemRecord,
  { forMutation = false }: { readonly forMutation?: boolean } = {},
): boolean {
  if (now?.status !== status || now.inForce !== inForce) return false;
  return !forMutation || now.lastMutationId === lastMutationId;
}

/** The result of a mutation that a newer one has replaced. */
export const superseded: MutationError = {
  code: "Superseded",
  detail: "A newer mutation replaced it.",
  componentId: null,
};

/** Throws the conflict if a live system is being deleted or released. One whose deletion failed can be written. */
export async function requireWritable(reader: Pick<Reader, "get">, system: LiveSystemRecord): Promise<void> {
  const { id, status, lastMutationId } = system;
  if (status === "Releasing") throw new LiveplaneError("InvalidState", "The live system is being released.");
  if (status !== "Deleting") return;
  const last = await reader.get(mutations, [id, lastMutationId]);
  if (last !== null && isOpen(last)) throw new LiveplaneError("InvalidState", "The live system is being deleted.");
}

/** The path of a mutation. */
export function mutationPath({ liveSystemId, id }: Pick<MutationRecord, "liveSystemId" | "id">): string {
  return `/livesystems/${liveSystemId}/mutations/${id}`;
}

/** The number of components, spread over slots so that deploys don't compete for one counter. */
interface ComponentCount {
  readonly slot: string;
  readonly count: number;
}

const componentCounts = collection<ComponentCount>()("component-count", { key: ({ slot }) => [slot] });
const slots = Array.from({ length: 16 }, (_, at) => at.toString(16));

/** Counts components added to a live system or removed from it. */
export async function countComponents(change: Change, liveSystemId: string, by: number): Promise<void> {
  if (by === 0) return;
  const slot = liveSystemId.slice(0, 1);
  const count = ((await change.get(componentCounts, [slot]))?.count ?? 0) + by;
  change.put(componentCounts, { slot, count: Math.max(0, count) });
}

/** The approximate number of components, by which the sweep is divided. */
export async function componentTotal(reader: Reader): Promise<number> {
  const counts = await reader.getMany(
    componentCounts,
    slots.map((slot) => [slot]),
  );
  return counts.reduce((total, found) => total + (found?.count ?? 0), 0);
}
