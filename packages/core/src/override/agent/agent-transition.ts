import { sameJson, valueAt } from "../../json-pointer.ts";
import type { Reading } from "../../ports/cloud.ts";
import { isLeftUnread } from "../../ports/readings.ts";
import { type Declared, isOutdated, wasCarriedOut } from "../declarations/declaration.ts";
import { holdsUnknown } from "../declarations/references.ts";
import type { Sides } from "../protocol/adoption-plan.ts";
import { concluded, type Verdict } from "../protocol/conditions.ts";
import { type Difference, secretsLeft, secretsThere } from "../protocol/drift.ts";
import { itemsApplied } from "../protocol/extra-items.ts";
import { type LifecycleEvent, type Override, type Policy, type Transition, transition } from "../protocol/lifecycle.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { governorOf, isHeldByTagOwner, type Observation, observe, sidesOf, waitsNow } from "../protocol/observation.ts";
import type { SettledForms } from "../protocol/settled.ts";
import { hasMoved, isExhausted, sparing } from "../protocol/tries.ts";
import { broughtBy, isCorrectable, verdictsOf } from "../protocol/verdicts.ts";
import type { ComponentRecord, StoredObservation, Working } from "../records/component-record.ts";
import { mayBeAsked } from "./agent-follow.ts";
import type { DirectObservation } from "./agent-observe.ts";
import type { Expectation } from "./expectations.ts";
import { saidIn } from "./said.ts";

/** A component's next state, the write that its table permits, and the events to emit. */
export interface ComponentTransition extends Transition<ComponentRecord> {
  /** What was declared and shown when an episode ended; `null` if none ended or the resource doesn't exist. */
  readonly end: Sides | null;
}

/** Decides what a direct observation means for its component. Pure. */
export function transitionOf(observation: DirectObservation, policy: Policy): ComponentTransition {
  const { record: stored, reading, resource, isSettled, expectation, adoption, at } = observation;
  const record = { ...stored, tried: triedStill(observation) };
  const { declared } = expectation;
  const step = transition(record, decidedOn(observation, declared), policy);
  const isRead = resource !== null || reading.state === "missing";
  const observed = isRead ? observedNow(observation) : record.observed;
  const verdicts = verdictsOf(record, observation, expectation);
  const isAsDeclared = !record.provisioned || isCarriedOut(step, observation, declared);
  const applied = isAsDeclared ? { ...expectation.writeOnly, ...record.applied } : record.applied;
  const component: ComponentRecord = {
    ...record,
    ...step.component,
    governedBy: observation.expectation.tagOwner?.path ?? null,
    heldBy: governorOf(step.component, observation.expectation),
    observed,
    conditions: concluded(record.conditions, verdicts, { at, seen: reading.state !== "unreadable" }),
    ...underWayAfter(observation),
    override: overrideAfter(step, observation),
    start: startAfter(step, observation, observed),
    ...(isSettled && adoption.state === "none" && { provisioned: true, applied }),
    appliedItems: appliedItemsAfter(step, observation),
    settled: settledStill(observation),
    ...(step.component.status !== record.status && { tried: null, contested: null }),
    // The next check needn't wait for what this one stopped waiting for.
    ...(reading.state === "missing" && { madeAt: null }),
    ...(isCarriedOut(step, observation, declared) && { carriedOut: declared.digest, left: null }),
  };
  const drifted = isRead ? driftEvents(record, component) : [];
  const losses = [...lossEvents(record, component), ...failureEvents(observation, component)];
  const events = [...step.events, ...drifted, ...losses];
  const hasEnded = step.ended !== null && resource !== null;
  const end = hasEnded ? sidesOf(observation, expectation, observed.hashes) : null;
  return { ...step, effect: declared.leaving ? null : step.effect, component, events, end };
}

/** The writes that still count. They are forgotten when the differences change without a write of the agent's. */
function triedStill({ record, reading, changes, followed: { ended } }: DirectObservation): ComponentRecord["tried"] {
  if (ended?.failure === null && ended.operation.kind === "correct")
    return sparing(record.tried, ended.operation.changes, changes);
  const isQuiet = record.work === null && record.operation == null && reading.state === "present";
  return isQuiet && hasMoved(record.observed.changes, changes) ? null : record.tried;
}

/** The witnesses that are kept: one ends once another value is declared at its place. Under another type it may still be confirmed. */
function settledStill({ record: { settled, type }, expectation }: DirectObservation): SettledForms {
  const { expected, hiddenForms } = expectation;
  const isInForce = (place: string) => expected.settled.has(place) || hiddenForms.has(place);
  const isKept = ([place, witness]: readonly [string, SettledForms[string] | undefined]) =>
    witness?.type !== type || isInForce(place) || holdsUnknown(valueAt(expected.parameters, place) ?? null);
  const kept = Object.entries(settled).filter(isKept);
  return kept.length === Object.keys(settled).length ? settled : Object.fromEntries(kept);
}

/**
 * The applied items of lists that allow extra ones. They are remembered from their first write, and forgotten once they are neither
 * declared nor present.
 */
function appliedItemsAfter(
  { component: { status }, effect }: Transition,
  { record, resource, reading, differs, expectation }: DirectObservation,
): ComponentRecord["appliedItems"] {
  const isRead = resource !== null || reading.state === "missing";
  if (status === "ManualOverride" || !isRead) return record.appliedItems;
  const isApplied = resource === null ? effect === "create" : effect === "correct" || !differs;
  const there = resource?.parameters ?? {};
  const applied = itemsApplied(expectation.expected, there, { isApplied });
  return sameJson(applied, record.appliedItems) ? record.appliedItems : applied;
}

/** A component to be deleted takes no part in a hand-back: a reconcile tag on it has no effect. */
function decidedOn<T extends Observation>(observation: T, { leaving }: Declared): T {
  return leaving ? { ...observation, reconcileTag: false } : observation;
}

/** Whether a component matches its current declaration and the agent manages it. */
function isCarriedOut(
  { component }: Transition,
  { reading, differs, adoption }: Observation,
  { leaving }: Declared,
): boolean {
  const isIts = adoption.state === "none" && component.status === "Active";
  return reading.state === "present" && !differs && !leaving && isIts;
}

/** The running operation to store. If it can't be read, it stays as it was. */
function underWayAfter({ record, reading, followed: { pending }, at }: DirectObservation) {
  const before = record.working;
  const isKept = pending !== null || record.operation !== null;
  const operation = isKept ? { operation: pending } : {};
  if (reading.state === "unreadable") return operation;
  if (reading.state !== "working") return before === null ? operation : { ...operation, working: null };
  const working: Working = { since: reading.since ?? before?.since ?? at, progress: reading.progress ?? null };
  return { ...operation, working };
}

/** Whether a bulk read shows anything that the last direct read didn't, or something is due. */
export function looksDifferent(
  record: ComponentRecord,
  expectation: Expectation,
  reading: Reading,
  { policy, rests, now }: { readonly policy: Policy; readonly rests: boolean; readonly now: number },
): boolean {
  const { readable, exists } = record.conditions;
  if (reading.state === "unreadable") return readable.value !== false || isLeftUnread(reading);
  if (readable.value !== true) return true;
  const observation = observe(record, expectation, reading);
  if (record.operation !== null && mayBeAsked(record.operation, now)) return true;
  const isFollowed = record.operation !== null;
  // A bulk read may lag, so a component with a running operation is read directly.
  if (!isFollowed && (reading.state === "working" || record.working !== null)) return true;
  const { declared } = expectation;
  const step = transition(record, { ...decidedOn(observation, declared), ...undated }, policy);
  const { component, effect, again } = step;
  if (component !== record || again || record.work !== null || isOutdated(record.observed, declared)) return true;
  if (isCarriedOut(step, observation, declared) && !wasCarriedOut(record, declared)) return true;
  const isWaiting = waitsNow(observation, expectation, record) !== null;
  const isAwaited = effect === "create" && expectation.absent !== null;
  const isHeld = isHeldByTagOwner(component, expectation) || isWaiting || isAwaited || declared.leaving;
  if (effect !== null && !isHeld && isWorthwhile(effect, observation, { record, expectation, rests })) return true;
  if (!sameJson(observation.ignored, record.observed.ignored)) return true;
  if ((expectation.tagOwner?.path ?? null) !== record.governedBy) return true;
  if (!isFollowed && saysOtherwise(verdictsOf(record, observation, expectation).inSync, record)) return true;
  if (reading.state === "missing") return exists.value !== false;
  const { observed } = record;
  if (observation.managementTag !== observed.managementTag) return true;
  if (observation.reconcileTag !== observed.reconcileTag) return true;
  return !sameJson(observation.changes, observed.changes) || !sameJson(observation.outputs, observed.outputs);
}

function saysOtherwise(now: Verdict, { conditions: { inSync: before }, failures }: ComponentRecord): boolean {
  if (now.value !== before.value || now.reason !== before.reason || now.message !== before.message) return true;
  // A failed write of the agent's is reported in the words of its answer, which no read repeats.
  return failures === null && now.providerCode !== before.providerCode;
}

const undated = { at: "", newId: "", fingerprint: "" };

/** Whether an effect has anything to write and its component isn't waiting after failures. */
export function isWorthwhile(
  effect: Effect,
  { correction, reading }: Pick<Observation, "correction" | "reading">,
  {
    record,
    expectation,
    rests,
  }: { readonly record: ComponentRecord; readonly expectation: Expectation; readonly rests: boolean },
): boolean {
  if (rests) return false;
  if (effect === "create") return expectation.unresolved.length === 0;
  if (effect === "removeReconcileTag" || effect === "adopt") return true;
  if (!isCorrectable(record, { correction, reading }, expectation)) return false;
  const { change, removedTags } = correction;
  if (change.parameters.length > 0 && isExhausted(record, { reading }, broughtBy(expectation))) return false;
  if (reading.state === "failed" && reading.isFinal !== true) return true;
  return change.parameters.length > 0 || Object.keys(change.tags).length > 0 || removedTags.length > 0;
}

function driftEvents(before: ComponentRecord, after: ComponentRecord): LifecycleEvent[] {
  if (before.status === "Active" || after.status === "Active") return [];
  if (sameJson(before.observed.drift, after.observed.drift)) return [];
  const parameters = Object.keys(after.observed.drift);
  const data = { from: before.status, status: after.status, parameters };
  return [{ type: "component.override.drift_changed", data }];
}

/** A resource that was there is gone. The agent may create it again at once, but empty: people should know. */
function lossEvents(before: ComponentRecord, after: ComponentRecord): LifecycleEvent[] {
  if (before.conditions.exists.value !== true || after.conditions.exists.value !== false) return [];
  const data = { from: before.status, status: after.status, resourceId: before.resource.id };
  return [{ type: "component.missing", data }];
}

/** A failure that the cloud reports, whoever caused it. Failures of the agent's own writes are reported as their results. */
function failureEvents({ record, reading, followed }: DirectObservation, after: ComponentRecord): LifecycleEvent[] {
  if (reading.state !== "failed" || followed.ended !== null) return [];
  const [before, now] = [record.conditions.inSync, after.conditions.inSync];
  if (before.reason === now.reason && before.providerCode === now.providerCode) return [];
  const { providerCode = "", providerMessage = "", providerRequestId } = now;
  const words = { providerCode, providerMessage, ...(providerRequestId !== undefined && { providerRequestId }) };
  return [{ type: "component.failed", data: { from: record.status, status: after.status, ...words } }];
}

function observedNow(observation: DirectObservation): StoredObservation {
  const { record, expectation, kept } = observation;
  const isThere = observation.resource !== null;
  return {
    against: expectation.declared.digest,
    managementTag: isThere ? observation.managementTag : null,
    reconcileTag: observation.reconcileTag,
    outputs: isThere ? observation.outputs : record.observed.outputs,
    hidden: isThere ? kept.hidden : record.observed.hidden,
    changes: observation.changes,
    fingerprint: observation.fingerprint,
    drift: observation.drift,
    ignored: observation.ignored,
    hashes: kept.hashes,
    // What is still being written may be a secret.
    secrets:
      isThere && observation.isSettled
        ? secretsLeft(expectation.expected, observation.changes)
        : secretsThere(expectation.expected),
  };
}

/** The override, with its tags at the take-over: they are read only then. */
function overrideAfter({ component: { override } }: Transition, observation: DirectObservation): Override | null {
  const { record, at, resource, expectation } = observation;
  if (override === null || record.override !== null || resource === null) return override;
  const { caselessTagKeys } = expectation.cloud.capabilities;
  return { ...override, said: saidIn(resource.tags, { at, caselessTagKeys, secretValues: expectation.secretValues }) };
}

/** What was declared and present at the take-over; forgotten at the hand-back. */
function startAfter(
  { component }: Transition,
  observation: DirectObservation,
  observed: StoredObservation,
): ComponentRecord["start"] {
  const { record, expectation } = observation;
  if (component.override === null) return null;
  if (record.override !== null) return record.start;
  const outputs = { values: observed.outputs, digests: observed.hidden?.digests ?? {} };
  const sides = sidesOf(observation, expectation, observed.hashes);
  const known = record.observed.changes;
  const isKnown = ({ pointer, actual }: Difference) =>
    known.some((before) => before.pointer === pointer && sameJson(before.actual, actual));
  const differing = observation.changes.filter((change) => !isKnown(change)).map(({ pointer }) => pointer);
  return { ...sides, differing, outputs };
}
