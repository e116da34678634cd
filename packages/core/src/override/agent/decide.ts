import { sameJson } from "../../json-pointer.ts";
import type { Reading } from "../../ports/cloud.ts";
import { isResting } from "../../records/rest.ts";
import { concluded } from "../protocol/conditions.ts";
import { correctionOf } from "../protocol/drift.ts";
import {
  type LifecycleEvent,
  type Observation,
  type Policy,
  type Transition,
  transition,
} from "../protocol/lifecycle.ts";
import type { Effect } from "../protocol/lifecycle-table.ts";
import type { ComponentRecord, Failures, Observed } from "../records/component-record.ts";
import type { Expectation } from "./expectations.ts";
import { findings } from "./findings.ts";
import { type Sight, seen, sidesOf } from "./sight.ts";

/** Judges whether a bulk read shows anything that the last direct read didn't, or that something is owed. */
export function looksDifferent(
  record: ComponentRecord,
  expectation: Expectation,
  reading: Reading,
  { policy, now }: { readonly policy: Policy; readonly now: number },
): boolean {
  const { readable, exists } = record.conditions;
  if (reading.state === "unreadable") return readable.value !== false;
  if (readable.value !== true) return true;
  const sight = seen(record, expectation, reading);
  const { component, effect, again } = transition(record, observationOf(sight, expectation, quietMoment), policy);
  if (component !== record || again || record.work !== null) return true;
  const isHeld = record.overrideWith !== null && expectation.governor?.status !== "Active";
  if (effect !== null && !isHeld && isWorthwhile(effect, sight, { record, expectation, now })) return true;
  if (reading.state === "missing") return exists.value !== false;
  const { observed } = record;
  if (sight.managementTag !== observed.managementTag || sight.reconcileTag !== observed.reconcileTag) return true;
  return !sameJson(sight.comparison.changes, observed.changes) || !sameJson(sight.outputs, observed.outputs);
}

/** Whether an effect has anything to write, and its component isn't resting after failures. */
export function isWorthwhile(
  effect: Effect,
  { comparison }: Sight,
  {
    record,
    expectation,
    now,
  }: { readonly record: ComponentRecord; readonly expectation: Expectation; readonly now: number },
): boolean {
  if (record.failures !== null && rests(record.failures, now)) return false;
  if (effect === "create") return expectation.unresolved.length === 0;
  if (effect === "removeReconcileTag") return true;
  const { change, removedTags } = correctionOf(comparison, expectation.expected);
  return change.parameters.length > 0 || Object.keys(change.tags).length > 0 || removedTags.length > 0;
}

/** Of the first build's rests the length isn't known: none of them is longer than this, where checks are more often. */
const longestRestMs = 3_600_000;

function rests({ nextAt, restMs = longestRestMs }: Failures, now: number): boolean {
  return isResting(nextAt, restMs, now);
}

const quietMoment = { at: "", newId: "", fingerprint: "" };

/** What the lifecycle is told of a sight. What isn't resolved counts as drift: a hand-back must wait for it. */
function observationOf(
  { reading, comparison, managementTag, reconcileTag }: Sight,
  { unresolved }: Pick<Expectation, "unresolved">,
  moment: { readonly at: string; readonly newId: string; readonly fingerprint: string },
): Observation {
  const { at, newId, fingerprint } = moment;
  if (reading.state !== "present") return { at, newId, seen: reading.state === "missing" ? "missing" : "unreadable" };
  const drift = comparison.changes.length > 0 || unresolved.length > 0;
  const identity = reading.identity ?? null;
  return { at, newId, seen: "present", identity, managementTag, reconcileTag, drift, fingerprint };
}

/** All that a judgement is made of. */
export interface Evidence {
  readonly sight: Sight;
  readonly expectation: Expectation;
  readonly policy: Policy;
  readonly moment: { readonly at: string; readonly newId: string; readonly fingerprint: string };
  /** What was sealed and hashed of the sight beforehand. */
  readonly kept: Pick<Observed, "hidden" | "hashes">;
}

/** What a look comes to. */
export interface Judgement extends Pick<Transition, "effect" | "ended" | "again"> {
  readonly record: ComponentRecord;
  readonly events: readonly LifecycleEvent[];
}

/** Turns a look into the component's next state, what may be done now, and what is to be told. Pure. */
export function judge(record: ComponentRecord, { sight, expectation, policy, moment, kept }: Evidence): Judgement {
  const step = transition(record, observationOf(sight, expectation, moment), policy);
  const { reading } = sight;
  const isRead = reading.state !== "unreadable";
  const observed = isRead ? observedNow(record, sight, expectation, kept) : record.observed;
  const provisioned = record.provisioned || reading.state === "present";
  const conditions = concluded(record.conditions, findings(record, sight, expectation), {
    at: moment.at,
    seen: isRead,
  });
  const start = startAfter(record, step, { observed, sight, expectation });
  const applied = record.provisioned ? record.applied : { ...expectation.writeOnly, ...record.applied };
  const next: ComponentRecord = {
    ...record,
    ...step.component,
    observed,
    conditions,
    start,
    ...(provisioned && reading.state === "present" && { provisioned, applied }),
  };
  const events = isRead ? [...step.events, ...driftEvents(record, next)] : step.events;
  return { record: next, effect: step.effect, ended: step.ended, again: step.again, events };
}

function driftEvents(before: ComponentRecord, after: ComponentRecord): LifecycleEvent[] {
  if (before.status === "Active" || after.status === "Active") return [];
  if (sameJson(before.observed.drift, after.observed.drift)) return [];
  const parameters = Object.keys(after.observed.drift);
  const data = { from: before.status, status: after.status, parameters };
  return [{ type: "component.override.drift_changed", data }];
}

function observedNow(
  record: ComponentRecord,
  sight: Sight,
  { expected }: Expectation,
  kept: Evidence["kept"],
): Observed {
  const isPresent = sight.reading.state === "present";
  const { comparison } = sight;
  return {
    managementTag: isPresent ? sight.managementTag : null,
    reconcileTag: sight.reconcileTag,
    outputs: isPresent ? sight.outputs : record.observed.outputs,
    hidden: isPresent ? kept.hidden : record.observed.hidden,
    changes: comparison.changes,
    drift: comparison.drift,
    hashes: kept.hashes,
    secrets: expected.secrets,
  };
}

/** What was declared and there when it was taken over; forgotten when it is given back. */
function startAfter(
  record: ComponentRecord,
  { component }: Transition,
  { observed, sight, expectation }: { observed: Observed; sight: Sight; expectation: Expectation },
): ComponentRecord["start"] {
  if (component.override === null) return null;
  if (record.override !== null) return record.start;
  const outputs = { values: observed.outputs, digests: observed.hidden?.digests ?? {} };
  return { ...sidesOf(sight, expectation, observed.hashes), outputs };
}
