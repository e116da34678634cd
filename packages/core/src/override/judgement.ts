import type { Reading } from "../ports/cloud.ts";
import type { Json } from "../ports/store.ts";
import type { Sides } from "./adoption-plan.ts";
import type { ComponentRecord, Failures, Observed } from "./component-record.ts";
import { type Conditions, concluded, type Finding } from "./conditions.ts";
import { type Comparison, compare, compareMissing, correctionOf, noDrift, protocolTags, tagValue } from "./drift.ts";
import { type JsonObject, mapOwn, sameJson } from "./json-pointer.ts";
import { type LifecycleEvent, type Observation, type Policy, type Transition, transition } from "./lifecycle.ts";
import type { Effect } from "./lifecycle-table.ts";
import { hideSecrets, redacted, scrub, secretValues as secretValuesAt } from "./redaction.ts";
import type { Expectation } from "./surroundings.ts";

/** The management tag. */
export const managementTag = { key: "managed-by", value: "platform" } as const;
/** The reconcile tag. */
export const reconcileTag = { key: "platform", value: "reconcile" } as const;

/** A reading, compared: all that a judgement needs of the resource, secrets hidden but for the corrections. */
export interface Sight {
  readonly reading: Reading;
  readonly comparison: Comparison;
  readonly managementTag: boolean;
  readonly reconcileTag: boolean;
  /** As they may be shown. */
  readonly outputs: JsonObject;
  /** Those that may not, as they are. */
  readonly hiddenOutputs: JsonObject;
}

/** Compares a reading with what is expected. */
export function seen(record: ComponentRecord, expectation: Expectation, reading: Reading): Sight {
  const { expected, cloud } = expectation;
  if (reading.state !== "present") {
    const isGone = reading.state === "missing" && record.provisioned;
    const comparison = isGone ? compareMissing(expected) : noDrift;
    return { reading, comparison, managementTag: false, reconcileTag: false, outputs: {}, hiddenOutputs: {} };
  }
  const { tags } = reading;
  const has = ({ key, value }: { key: string; value: string }) =>
    tagValue(tags, key, cloud.capabilities.caselessTagKeys) === value;
  const governed = record.overrideWith !== null && record.status === "Active";
  const { outputs, hidden } = splitOutputs(
    reading.outputs,
    secretsIn(reading, expectation),
    expected.type.sensitiveOutputs,
  );
  return {
    reading,
    comparison: compare(expected, reading),
    managementTag: governed || has(managementTag),
    reconcileTag: !governed && has(reconcileTag),
    outputs,
    hiddenOutputs: hidden,
  };
}

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
  const rests = record.overrideWith !== null && expectation.governor?.status !== "Active";
  if (effect !== null && !rests && isWorthwhile(effect, sight, { record, expectation, now })) return true;
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
  if (record.failures !== null && now < record.failures.nextAt) return false;
  if (effect === "create") return expectation.unresolved.length === 0;
  if (effect === "removeReconcileTag") return true;
  const { change, removedTags } = correctionOf(comparison, expectation.expected);
  return change.parameters.length > 0 || Object.keys(change.tags).length > 0 || removedTags.length > 0;
}

const quietMoment = { at: "", newId: "", fingerprint: "" };

/** What the lifecycle is told of a sight. What isn't resolved counts as drift: a hand-back must wait for it. */
function observationOf(
  { reading, comparison, managementTag, reconcileTag }: Sight,
  { unresolved }: Pick<Expectation, "unresolved">,
  moment: { readonly at: string; readonly newId: string; readonly fingerprint: string },
): Observation {
  const { at, newId, fingerprint } = moment;
  if (reading.state !== "present") return { at, newId, seen: reading.state };
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

/** The values that must not be shown: those that secrets have, and those that stand in their places. */
function secretsIn(reading: Reading, { expected, secretValues }: Expectation): readonly Json[] {
  if (expected.secrets.length === 0 || reading.state !== "present") return secretValues;
  return [...secretValues, ...secretValuesAt(reading.parameters, expected.secrets, true)];
}

/** What is declared and there, of the declared parameters, secrets hidden. */
export function sidesOf({ reading, comparison }: Sight, expectation: Expectation, hashes: Observed["hashes"]): Sides {
  const { expected } = expectation;
  const hidden = secretsIn(reading, expectation);
  const { parameters, secrets, tagParameter, type } = expected;
  const show = (value: Json, name: string) => scrub(hideSecrets(value, `/${escaped(name)}`, secrets, true), hidden);
  const declared = mapOwn(parameters, (value, name) => (type.writeOnly.includes(name) ? redacted : show(value, name)));
  const differing = comparison.changes.map(({ pointer }) => pointer);
  if (reading.state !== "present") return { declared, actual: {}, hashes, differing };
  const actual: Record<string, Json> = {};
  for (const name of Object.keys(parameters)) {
    const value =
      name === tagParameter
        ? declaredTags(parameters[name], reading.tags, expected.caselessTagKeys)
        : reading.parameters[name];
    if (value !== undefined) actual[name] = show(value, name);
  }
  return { declared, actual, hashes, differing };
}

/** The tags with those that are declared under the declaration's spelling, without the protocol's. */
function declaredTags(
  declared: Json | undefined,
  tags: Readonly<Record<string, string>>,
  caseless: boolean,
): JsonObject {
  const spelled = new Map(
    Object.keys((declared ?? {}) as JsonObject).map((key) => [caseless ? key.toLowerCase() : key, key]),
  );
  const own = Object.entries(tags).filter(([key]) => !protocolTags.has(key.toLowerCase()));
  return Object.fromEntries(own.map(([key, value]) => [spelled.get(caseless ? key.toLowerCase() : key) ?? key, value]));
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function splitOutputs(outputs: JsonObject, secrets: readonly Json[], sensitive: readonly string[]) {
  if (secrets.length === 0 && sensitive.length === 0) return { outputs, hidden: {} };
  const hidden: Record<string, Json> = {};
  const shown = mapOwn(outputs, (value, name) => {
    const scrubbed = sensitive.includes(name) ? redacted : scrub(value, secrets);
    if (!sameJson(scrubbed, value)) hidden[name] = value;
    return scrubbed;
  });
  return { outputs: shown, hidden };
}

type Findings = Readonly<Record<keyof Conditions, Finding>>;

function findings(record: ComponentRecord, sight: Sight, expectation: Expectation): Findings {
  const { exists, inSync } = record.conditions;
  const { reading } = sight;
  if (reading.state === "unreadable") {
    const { reason } = reading;
    return {
      readable: { value: false, reason, message: "It could not be read." },
      exists,
      inSync: { ...inSync, value: null, reason: "Unreadable", message: "It could not be read." },
    };
  }
  const read = { value: true, reason: "Read", message: "" };
  if (reading.state === "missing") {
    const reason = record.provisioned ? "Missing" : "NotProvisioned";
    const message = record.provisioned ? "The resource is gone." : "It has not been provisioned yet.";
    const gone = { value: false, reason, message };
    return { readable: read, exists: gone, inSync: record.provisioned ? gone : { ...gone, value: null } };
  }
  return {
    readable: read,
    exists: { value: true, reason: "Exists", message: "" },
    inSync: syncFinding(record, sight, expectation),
  };
}

function syncFinding(
  { muteDrift, failures }: ComponentRecord,
  { comparison }: Sight,
  { unresolved, writeOnly, expected }: Expectation,
): Finding {
  const drifting = Object.keys(comparison.drift);
  if (drifting.length === 0) {
    if (unresolved.length > 0)
      return { value: null, reason: "Unresolved", message: "A reference stands for nothing yet." };
    const unseen = Object.keys(writeOnly);
    const message =
      unseen.length === 0
        ? ""
        : `The cloud never gives back ${unseen.join(", ")}: compared with what was last applied.`;
    return { value: true, reason: "InSync", message };
  }
  const muted = drifting.every((name) => muteDrift.includes(name));
  if (muted) return { value: false, reason: "Muted", message: "Only muted parameters differ." };
  if (isIneffective(failures))
    return { value: false, reason: "Ineffective", message: "Correcting it has had no effect." };
  const fixed = drifting.filter((name) => expected.type.immutable.includes(name));
  if (fixed.length === drifting.length) {
    return { value: false, reason: "Immutable", message: `The resource exists: ${fixed.join(", ")} cannot change.` };
  }
  return { value: false, reason: "Drift", message: "It differs from its declaration." };
}

/** Three equal corrections without effect. */
export function isIneffective(failures: Failures | null): boolean {
  return failures !== null && failures.ineffective !== null && failures.count >= 3;
}
