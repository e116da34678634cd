import { isProtocolTag } from "../../contract/protocol-tags.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import { isObject } from "../../json-pointer.ts";
import type { Cloud, CloudCall, Reading, SeenResource, WriteCondition, Written } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { Binding } from "../../ports/resource-type.ts";
import { boundByOf } from "../../ports/resource-type.ts";
import type { ClaimTerms } from "../../records/claim.ts";
import type { Stored } from "../../records/records.ts";
import { correctionOf } from "../protocol/drift.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { managementTag, reconcileTag } from "../protocol/observation.ts";
import { type ComponentRecord, componentKey, components, type PendingOperation } from "../records/component-record.ts";
import { isInForce } from "../records/live-system-record.ts";
import { isOver, type PassContext } from "./agent-deps.ts";
import { begunOperation } from "./agent-follow.ts";
import type { DirectObservation } from "./agent-observe.ts";
import type { Expectation } from "./expectations.ts";
import { isManaged, tagOwnerAllows } from "./tag-owner.ts";
import { writeInTime } from "./write-in-time.ts";

/** How a write went. */
export interface CloudWrite {
  readonly effect: Effect;
  /** What it was decided on. */
  readonly observation: DirectObservation;
  /** `null`: it was made. */
  readonly error: LiveplaneError | null;
  /** The cloud would have refused it, had the resource changed. */
  readonly conditional: boolean;
  /** The id of what was created. */
  readonly resourceId: string | null;
  /** `null`: it is done. */
  readonly operation: PendingOperation | null;
}

/**
 * The one place where the agent writes to a cloud. Right before the call it looks once more whether it still may: `null` when
 * the lease is over, the declaration or the claim moved, or the management tag is gone.
 */
export async function carryOut(
  effect: Effect,
  claimed: Stored<ComponentRecord>,
  observation: DirectObservation,
  context: PassContext,
): Promise<CloudWrite | null> {
  const { deps, options } = context;
  if (observation.credentials === null) return null;
  const cloud = deps.calls.over(observation.expectation.cloud);
  // Without the lease's signal: a write that has begun is let finish for as long as one may take, or nobody would know whether it was made.
  const call: CloudCall = { credentials: observation.credentials };
  const { lane, lease } = options;
  const resourceId = claimed.resource.id ?? claimed.resource.target.scope;
  await deps.calls.turn(cloud, { resourceId, sort: "write", lane, signal: lease?.signal });
  const bound = bindingOf(effect, cloud, claimed, observation);
  const condition = await permission(effect, claimed, observation, { ...context, cloud, call, bound });
  if (condition === null) return null;
  const isBound = bound === "etag" && condition.etag !== undefined;
  const conditional = effect === "create" ? boundByOf(cloud, claimed.type).create !== "none" : isBound;
  const made = { effect, observation, conditional };
  try {
    const written = await writeInTime(lease, deps, (within) =>
      write(effect, claimed, observation, { cloud, call: { ...call, ...within }, condition }),
    );
    const { resourceId = null, operation: begun } = written;
    const { changes } = observation;
    const operation = begun ? await begunOperation(begun, claimed, { kind: effect, changes }, deps) : null;
    return { ...made, error: null, resourceId, operation };
  } catch (error) {
    return { ...made, error: asProviderError(error), resourceId: null, operation: null };
  }
}

interface WriteContext {
  readonly cloud: Cloud;
  readonly call: CloudCall;
}

/** The condition under which the write may be sent; `null`: it may not. What is in force is looked at last. */
async function permission(
  effect: Effect,
  claimed: Stored<ComponentRecord>,
  observation: DirectObservation,
  { deps, options, cloud, call, bound }: WriteContext & PassContext & { readonly bound: Binding },
): Promise<WriteCondition | null> {
  const current = await deps.records.get(components, componentKey(claimed.liveSystemId, claimed.path));
  if (current?.version !== claimed.version || isOver(options.lease, deps)) return null;
  const condition = effect === "create" ? {} : await boundTo(claimed, observation, { cloud, call, bound });
  if (condition === null || isOver(options.lease, deps)) return null;
  const { inForce, declared, tagOwner } = observation.expectation;
  const signal = options.lease?.signal;
  const isAllowed =
    declared.overrideWith === null || (await tagOwnerAllows(tagOwner, deps, { signal, whenMissing: false }));
  if (!isAllowed) return null;
  const isStill = await isInForce(deps.records, inForce.system, { forMutation: options.redeploy === true });
  return isStill && !isOver(options.lease, deps) ? condition : null;
}

/** Whether the cloud gives it an id of its own choice, so that two creations make two. */
export function isIdChosen({ type, resource }: ComponentRecord, { cloud }: Pick<Expectation, "cloud">): boolean {
  return !resource.given && cloud.resourceIdFor(type, resource.name, resource.target) === null;
}

/** What a claim says of its write that may come when its worker is gone: the cloud refuses it then, or it makes a second resource. */
export function claimTermsOf(effect: Effect, observation: DirectObservation, lease: string | null): ClaimTerms {
  if (effect === "create" && isIdChosen(observation.record, observation.expectation)) return { outlives: true };
  return lease !== null && isRefusedWhenLate(effect, observation) ? { under: lease } : {};
}

/** Whether the cloud refuses a write that arrives after another one has been made. */
function isRefusedWhenLate(effect: Effect, observation: DirectObservation): boolean {
  const { record, reading, expectation } = observation;
  if (effect === "create") return boundByOf(expectation.cloud, record.type).create !== "none";
  return bindingOf(effect, expectation.cloud, record, observation) === "etag" && settledIn(reading)?.etag !== undefined;
}

/** What binds the write: of its tags where it writes nothing else. A fingerprint of the tags moves with the management tag, as an etag does. */
function bindingOf(effect: Effect, cloud: Cloud, { type }: ComponentRecord, observation: DirectObservation): Binding {
  const { properties, tags } = boundByOf(cloud, type);
  const { change } = correctionOf(observation, observation.expectation.expected);
  if (effect === "correct" && change.parameters.length > 0) return properties;
  return tags === "fingerprint" ? "etag" : tags;
}

/** A resource that no write is under way at. */
function settledIn(reading: Reading): SeenResource | null {
  return reading.state === "working" ? null : resourceOf(reading);
}

/** Binds a write to what was read: by its etag, or by reading once more. `null`: it is gone, or not the agent's any more. */
async function boundTo(
  claimed: Stored<ComponentRecord>,
  { reading, expectation: { declared } }: DirectObservation,
  { cloud, call, bound }: WriteContext & { readonly bound: Binding },
): Promise<WriteCondition | null> {
  const read = settledIn(reading);
  if (read === null || claimed.resource.id === null) return null;
  if (bound === "etag" && read.etag !== undefined) return { etag: read.etag };
  const again = settledIn(await cloud.read({ type: claimed.type, resourceId: claimed.resource.id }, call));
  if (again === null) return null;
  if (declared.overrideWith === null && !isManaged(again.tags, cloud)) return null;
  return again.etag === undefined ? {} : { etag: again.etag };
}

async function write(
  effect: Effect,
  record: ComponentRecord,
  observation: DirectObservation,
  { cloud, call, condition }: WriteContext & { readonly condition: WriteCondition },
): Promise<Written & { readonly resourceId?: string }> {
  if (effect === "create") return cloud.create(newResource(record, observation), call);
  const ref = { type: record.type, resourceId: record.resource.id ?? "" };
  if (effect === "removeReconcileTag") return cloud.removeTag(ref, reconcileTag.key, condition, call);
  const { change, removedTags } = correctionOf(observation, observation.expectation.expected);
  const [tag] = removedTags;
  const isChanged = change.parameters.length > 0 || Object.keys(change.tags).length > 0;
  if (tag !== undefined && !isChanged) return cloud.removeTag(ref, tag, condition, call);
  // What failed and differs in nothing is asked for once more as it is.
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

/** Only coded errors go on from here; what an adapter let out is the cloud's failure. */
export function asProviderError(error: unknown): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  return new LiveplaneError("ProviderError", "The cloud failed in a way its adapter doesn't know.", { cause: error });
}

/** A write that was refused because things moved: nothing failed, the next round decides. */
export function isMoved({ error }: CloudWrite): boolean {
  if (error === null) return false;
  return (
    ["PreconditionFailed", "AlreadyExists", "NotFound", "InvalidState"].includes(error.code) ||
    error.details.outcome === "unknown"
  );
}
