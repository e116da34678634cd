import { isProtocolTag } from "../../contract/protocol-tags.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import { isObject, sameJson } from "../../json-pointer.ts";
import type { Cloud, CloudCall, SeenResource, WriteCondition, Written } from "../../ports/cloud.ts";
import { settledIn } from "../../ports/readings.ts";
import { type Binding, boundByOf } from "../../ports/resource-type.ts";
import type { ClaimTerms } from "../../records/claim.ts";
import type { Stored } from "../../records/records.ts";
import { reliesOn } from "../declarations/dependency-order.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { managementTag, reconcileTag } from "../protocol/observation.ts";
import { goesByTagOwner, tagValue } from "../protocol/tags.ts";
import { type ComponentRecord, componentKey, components, type PendingOperation } from "../records/component-record.ts";
import { isInForce, liveSystems } from "../records/live-system-record.ts";
import { isOver, mayStart, type PassContext } from "./agent-deps.ts";
import { begunOperation } from "./agent-follow.ts";
import type { DirectObservation } from "./agent-observe.ts";
import { sentBy } from "./agent-sent.ts";
import { askTagOwner, isManaged } from "./tag-owner.ts";
import { writeInTime } from "./write-in-time.ts";

/** A write that a round permits, as data. */
export interface PlannedWrite {
  readonly effect: Effect;
  /** The condition that makes the cloud refuse it if the resource has changed. */
  readonly bound: Binding;
  /** When another worker may continue if this one dies. */
  readonly terms: ClaimTerms;
}

/** The result of a write. */
export interface CloudWrite {
  readonly effect: Effect;
  /** The observation that it was decided on. */
  readonly observation: DirectObservation;
  /** `null` if it succeeded. */
  readonly error: LiveplaneError | null;
  /** The cloud would have refused it if the resource had changed. */
  readonly conditional: boolean;
  /** The id of what was created. */
  readonly resourceId: string | null;
  /** `null` if it has finished. */
  readonly operation: PendingOperation | null;
  /** The resource as shown by the write's own answer. */
  readonly shown: SeenResource | null;
}

/**
 * The only place where the agent writes to a cloud. Right before the call it checks once more whether it may: `null` if the lease is over,
 * the declaration or the claim has changed, or the management tag is gone.
 */
export async function carryOut(
  { effect, bound }: PlannedWrite,
  claimed: Stored<ComponentRecord>,
  observation: DirectObservation,
  context: PassContext,
): Promise<CloudWrite | null> {
  const { deps, options } = context;
  if (observation.credentials === null) return null;
  const cloud = deps.calls.over(observation.expectation.cloud);
  // Without the lease's signal: a write that has started may finish, or nobody would know whether it was made.
  const call: CloudCall = { credentials: observation.credentials };
  const { lane, lease } = options;
  const resourceId = claimed.resource.id ?? claimed.resource.target.scope;
  await deps.calls.turn(cloud, { resourceId, sort: "write", lane, signal: lease?.signal });
  const condition = await permission(effect, claimed, observation, { ...context, cloud, call, bound });
  if (condition === null) return null;
  const isBound = bound === "etag" && condition.etag !== undefined;
  const conditional = effect === "create" ? boundByOf(cloud, claimed.type).create !== "none" : isBound;
  const made = { effect, observation, conditional };
  try {
    const written = await writeInTime(lease, deps, (within) =>
      write(effect, claimed, observation, { cloud, call: { ...call, ...within }, condition }),
    );
    const { resourceId = null, operation: begun, shown = null } = written;
    const { changes } = observation;
    const facts = async () => ({ kind: effect, changes, sent: await sentBy(deps, made) });
    const operation = begun ? await begunOperation(begun, claimed, await facts(), deps) : null;
    return { ...made, error: null, resourceId, operation, shown };
  } catch (error) {
    return { ...made, error: asProviderError(error), resourceId: null, operation: null, shown: null };
  }
}

interface WriteContext {
  readonly cloud: Cloud;
  readonly call: CloudCall;
}

/** The condition under which the write may be sent; `null` if it may not. What is in force is checked last. */
async function permission(
  effect: Effect,
  claimed: Stored<ComponentRecord>,
  observation: DirectObservation,
  { deps, options, cloud, call, bound }: WriteContext & PassContext & { readonly bound: Binding },
): Promise<WriteCondition | null> {
  if (isOver(options.lease, deps)) return null;
  const condition = effect === "create" ? {} : await boundTo(effect, claimed, observation, { cloud, call, bound });
  if (condition === null || isOver(options.lease, deps)) return null;
  const { liveSystemId, path } = claimed;
  const { inForce, declared, tagOwner } = observation.expectation;
  const signal = options.lease?.signal;
  const isFirst = () => tagOwner !== null && reliesOn(tagOwner.path, path, inForce.declared);
  const whenMissing = () => (isFirst() ? "managed" : "held");
  const isAllowed =
    !goesByTagOwner(claimed, { declared, tagOwner }) ||
    (await askTagOwner(tagOwner, deps, { signal, whenMissing })) === "managed";
  if (!isAllowed) return null;
  const [current, system] = await deps.records.getPair(
    [components, componentKey(liveSystemId, path)],
    [liveSystems, [liveSystemId]],
  );
  if (current?.version !== claimed.version) return null;
  const isStill = isInForce(system, inForce.system, { forMutation: options.redeploy === true });
  return isStill && mayStart(claimed.work, options.lease, deps) ? condition : null;
}

/**
 * Binds a write to what was read: by its etag, or by reading again, and by the tags. `null`: the resource is gone or replaced, it is no
 * longer the agent's, or the request to hand it back was withdrawn.
 */
async function boundTo(
  effect: Effect,
  claimed: Stored<ComponentRecord>,
  { resource, isSettled, expectation }: DirectObservation,
  { cloud, call, bound }: WriteContext & { readonly bound: Binding },
): Promise<WriteCondition | null> {
  if (resource === null || !isSettled || claimed.resource.id === null) return null;
  if (effect !== "adopt" && bound === "etag" && resource.etag !== undefined) return { etag: resource.etag };
  const again = settledIn(await cloud.read({ type: claimed.type, resourceId: claimed.resource.id }, call));
  if (again === null || again.identity !== resource.identity) return null;
  if (effect === "adopt") return isUntouched(again, resource) ? etagOf(again) : null;
  if (goesByTagOwner(claimed, expectation)) return etagOf(again);
  const isAsked = ({ tags }: SeenResource) =>
    tagValue(tags, reconcileTag.key, cloud.capabilities) === reconcileTag.value;
  if (!isManaged(again.tags, cloud) || (isAsked(resource) && !isAsked(again))) return null;
  return { ...etagOf(again), ...(bound === "test" && { tag: managementTag }) };
}

function etagOf({ etag }: SeenResource): WriteCondition {
  return etag === undefined ? {} : { etag };
}

/** Whether a resource is unchanged since its adoption was decided. */
function isUntouched(now: SeenResource, { tags, parameters }: SeenResource): boolean {
  return sameJson(now.tags, tags) && sameJson(now.parameters, parameters);
}

async function write(
  effect: Effect,
  record: ComponentRecord,
  observation: DirectObservation,
  { cloud, call, condition }: WriteContext & { readonly condition: WriteCondition },
): Promise<Written & { readonly resourceId?: string }> {
  if (effect === "create") return cloud.create(newResource(record, observation), call);
  const ref = { type: record.type, resourceId: record.resource.id ?? "" };
  if (effect === "adopt") {
    const tags = { [managementTag.key]: managementTag.value };
    return cloud.update(ref, { parameters: [], tags }, condition, call);
  }
  if (effect === "removeReconcileTag") return cloud.removeTag(ref, reconcileTag.key, condition, call);
  const { change, removedTags } = observation.correction;
  const [tag] = removedTags;
  const isChanged = change.parameters.length > 0 || Object.keys(change.tags).length > 0;
  if (tag !== undefined && !isChanged) return cloud.removeTag(ref, tag, condition, call);
  // A failed resource without differences is written again as it is.
  return cloud.update(ref, change, condition, call);
}

function newResource({ type, resource, intent }: ComponentRecord, { expectation: { expected } }: DirectObservation) {
  const { [expected.tagParameter]: declared, ...others } = expected.parameters;
  const parameters = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  const tags = Object.entries(isObject(declared) ? declared : {}).filter(
    ([key, value]) => value !== null && !isProtocolTag(key, expected),
  );
  const managed = expected.type.taggable ? { [managementTag.key]: managementTag.value } : {};
  const { id: resourceId, name, target } = resource;
  const own = Object.fromEntries(tags.map(([key, value]) => [key, String(value)]));
  return { type, name, resourceId, target, parameters, tags: { ...own, ...managed }, intent: intent ?? name };
}

/** Only coded errors leave here; any other error of an adapter is the cloud's failure. */
export function asProviderError(error: unknown): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  return new LiveplaneError("ProviderError", "The cloud failed with an unknown error.", { cause: error });
}
