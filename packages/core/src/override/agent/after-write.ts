import type { EventType } from "../../contract/event-types.ts";
import { nowText } from "../../encoding.ts";
import { forStrangers, LiveplaneError } from "../../errors.ts";
import { sameJson } from "../../json-pointer.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { Json } from "../../ports/store.ts";
import type { Difference } from "../protocol/drift.ts";
import type { LifecycleEvent, Transition } from "../protocol/lifecycle.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { failureIn, type ProviderWords, wordsOf } from "../protocol/redaction.ts";
import { isIneffective } from "../protocol/verdicts.ts";
import { type ComponentRecord, type Failures, idOf } from "../records/component-record.ts";
import { type AgentDeps, making } from "./agent-deps.ts";
import type { DirectObservation } from "./agent-observe.ts";
import { type CloudWrite, isMoved } from "./agent-write.ts";

/** One round of a pass. */
export interface Round {
  readonly observation: DirectObservation;
  readonly transition: Transition<ComponentRecord>;
  /** The writes of this pass, which end with the one that was observed. */
  readonly writes: readonly CloudWrite[];
}

/** Anything to tell of a component. */
interface Told {
  readonly type: EventType;
  readonly data: { readonly [name: string]: Json };
}

/** What a round comes to once the write before it is counted in: the component as it is to be stored, and what is to be told. */
export function afterWrite(
  { observation, transition: { component, events }, writes }: Round,
  deps: AgentDeps,
): { record: ComponentRecord; events: readonly Told[] } {
  const written = writes.at(-1);
  const { followed, at } = observation;
  const seen: ComponentRecord = isThere(observation) ? { ...component, madeAt: null } : component;
  if (followed.ended !== null) return afterOperation(seen, followed.ended, { observation, events, deps });
  if (written === undefined) return { record: seen, events: [...adopted(observation), ...events] };
  const { error, effect, resourceId, conditional } = written;
  if (error !== null) {
    const { secretValues } = written.observation.expectation;
    return afterFailure(seen, { effect, error, secretValues, isMoved: isMoved(written) }, { events, deps });
  }
  if (written.operation !== null)
    return {
      record: { ...seen, lastWriteAt: at },
      events: [{ type: "component.working", data: { effect } }, ...events],
    };
  const { changes, expectation } = written.observation;
  const placed = { ...seen.resource, id: resourceId ?? seen.resource.id };
  const applied = effect === "removeReconcileTag" ? seen.applied : { ...seen.applied, ...expectation.writeOnly };
  const record = { ...seen, resource: placed, applied };
  return afterSuccess(record, { effect, changes, conditional }, { observation, events, deps });
}

/** A write that was made, and what it was to change. */
interface MadeWrite extends Pick<CloudWrite, "effect" | "conditional"> {
  readonly changes: readonly Difference[];
}

function afterSuccess(seen: ComponentRecord, write: MadeWrite, telling: Telling) {
  const done = { ...seen, lastWriteAt: telling.observation.at, failures: null };
  switch (write.effect) {
    case "create":
      return afterCreate(done, write, telling);
    case "correct":
      return afterCorrection(done, { ...write, failures: seen.failures }, telling);
    case "removeReconcileTag":
      return { record: done, events: telling.events };
  }
}

/** What was under way has come to its end. What it changed after a person took over is a race, whatever bound it when it was sent. */
function afterOperation(
  seen: ComponentRecord,
  { operation, failure }: NonNullable<DirectObservation["followed"]["ended"]>,
  telling: Telling,
): { record: ComponentRecord; events: readonly Told[] } {
  const { kind: effect, changes } = operation;
  if (effect === "remove") return { record: seen, events: telling.events };
  // It was taken away meanwhile: nobody knows what the write made of it.
  const isGone = effect !== "create" && telling.observation.reading.state === "missing";
  if (failure === null && isGone) return { record: seen, events: telling.events };
  if (failure === null) {
    return afterSuccess(seen, { effect, changes, conditional: false }, telling);
  }
  const { secretValues } = telling.observation.expectation;
  const { code: providerCode, message: providerMessage, requestId } = failure;
  const details = { providerCode, providerMessage, ...(requestId !== undefined && { providerRequestId: requestId }) };
  const error = new LiveplaneError("ProviderError", "The cloud could not do what was asked of it.", { details });
  return afterFailure(seen, { effect, error, secretValues, isMoved: false, code: "ProvisioningFailed" }, telling);
}

/** Whether the resource is there for certain, and isn't only being made. */
function isThere({ reading }: DirectObservation): boolean {
  return reading.state !== "working" && resourceOf(reading) !== null;
}

/** A resource that was there before its component is provisioned by being found. */
function adopted(observation: DirectObservation): Told[] {
  const { record, managementTag } = observation;
  if (record.provisioned || !isThere(observation) || !managementTag) return [];
  return [{ type: "component.provisioned", data: { adopted: true } }];
}

interface Telling {
  readonly observation: DirectObservation;
  readonly events: readonly LifecycleEvent[];
  readonly deps: AgentDeps;
}

function afterCreate(done: ComponentRecord, write: MadeWrite, { observation, events, deps }: Telling) {
  const madeAt = isThere(observation) ? null : deps.runtime.clock.now();
  // From here on it is watched.
  if (madeAt !== null) deps.rests.stands(...making(done, madeAt, deps));
  const record: ComponentRecord = { ...done, provisioned: true, intent: null, madeAt };
  const provisioned: Told = { type: "component.provisioned", data: { adopted: false } };
  return { record, events: [provisioned, ...events, ...raceOf(write, observation)] };
}

function afterCorrection(
  done: ComponentRecord,
  { changes, conditional, failures: before }: MadeWrite & Pick<ComponentRecord, "failures">,
  { observation, deps, events }: Telling,
) {
  const pointers = changes.map(({ pointer }) => pointer);
  const raced = raceOf({ conditional, changes }, observation);
  const isSame = isThere(observation) && changes.length > 0 && sameJson(changes, observation.changes);
  if (isSame && raced.length === 0) {
    const failures = ineffectiveAfter(before, pointers, deps);
    const record = withIneffectiveCondition({ ...done, failures });
    const isNew = failures.count === 3;
    const told: Told[] = isNew ? [failed("correct", { code: "Ineffective", pointers })] : [];
    deps.runtime.metrics.count("liveplane_corrections_total", { provider: done.provider, outcome: "ineffective" });
    return { record, events: [...told, ...events] };
  }
  deps.runtime.metrics.count("liveplane_corrections_total", { provider: done.provider, outcome: "corrected" });
  const corrected: Told = { type: "component.corrected", data: { pointers } };
  return { record: done, events: [corrected, ...raced, ...events] };
}

/** A write without a condition that fell on a resource whose tag was taken off meanwhile. */
function raceOf({ conditional, changes }: Omit<MadeWrite, "effect">, now: DirectObservation): Told[] {
  if (conditional || resourceOf(now.reading) === null || now.managementTag) return [];
  const fields = changes.map(({ pointer, actual, declared }) => ({ pointer, from: actual, to: declared }));
  return [{ type: "component.race_detected", data: { fields } }];
}

function ineffectiveAfter(failures: Failures | null, pointers: readonly string[], deps: AgentDeps): Failures {
  const ineffective = pointers.join(" ");
  const count = failures?.ineffective === ineffective ? failures.count + 1 : 1;
  const everyMs = deps.settings.checkSeconds * 1000;
  const restMs = count < 3 ? 0 : Math.min(everyMs * 2 ** Math.min(count - 2, 10), Math.max(everyMs, 3_600_000));
  const detail = "Correcting it has no effect.";
  return { code: "Ineffective", detail, count, nextAt: deps.runtime.clock.now() + restMs, restMs, ineffective };
}

function withIneffectiveCondition(record: ComponentRecord): ComponentRecord {
  const { inSync } = record.conditions;
  if (!isIneffective(record.failures) || inSync.reason === "Muted") return record;
  const told = { ...inSync, reason: "Ineffective", message: "Correcting it has had no effect." };
  return { ...record, conditions: { ...record.conditions, inSync: told } };
}

interface FailedWrite {
  readonly effect: Effect;
  readonly error: LiveplaneError;
  readonly isMoved: boolean;
  readonly secretValues: readonly Json[];
  /** @default the error's */
  readonly code?: string;
}

function afterFailure(
  seen: ComponentRecord,
  { effect, error, isMoved: moved, secretValues, code = error.code }: FailedWrite,
  { events, deps }: Pick<Telling, "events" | "deps">,
): { record: ComponentRecord; events: readonly Told[] } {
  const maybeMade = error.details.outcome === "unknown";
  const record = maybeMade ? { ...seen, lastWriteAt: nowText(deps) } : seen;
  if (moved) return { record, events };
  const { failures: before } = record;
  const said = failureIn(error.details);
  const words = said && wordsOf(said, secretValues);
  const count = (before?.code === code ? before.count : 0) + 1;
  const restMs = Math.min(deps.settings.checkSeconds * 1000, 500 * 2 ** Math.min(count, 10));
  const nextAt = deps.runtime.clock.now() + restMs;
  const detail = forStrangers(error).message;
  const rests = { count, nextAt, restMs, ineffective: null };
  const failures: Failures = { code, detail, ...rests, ...(words && { words }) };
  deps.runtime.metrics.count("liveplane_corrections_total", { provider: seen.provider, outcome: code });
  const { providerCode, providerRequestId } = words ?? {};
  const about = { component: idOf(seen), effect, code, providerCode, providerRequestId };
  deps.runtime.logger.warn(about, "A write to a cloud failed.");
  const told = before?.code === code ? [] : [failed(effect, { code, pointers: [], ...words })];
  return { record: { ...record, failures }, events: [...told, ...events] };
}

function failed(
  effect: Effect,
  data: { readonly code: string; readonly pointers: readonly string[] } & Partial<ProviderWords>,
): Told {
  return { type: "component.correction_failed", data: { effect, ...data } };
}
