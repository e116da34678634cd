import type { EventType } from "../../contract/event-types.ts";
import { nowText } from "../../encoding.ts";
import { forStrangers } from "../../errors.ts";
import { sameJson } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { LifecycleEvent, Transition } from "../protocol/lifecycle.ts";
import type { Effect } from "../protocol/lifecycle-table.ts";
import { isIneffective } from "../protocol/verdicts.ts";
import type { ComponentRecord, Failures } from "../records/component-record.ts";
import type { AgentDeps } from "./agent-deps.ts";
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
  const isPresent = observation.reading.state === "present";
  const seen: ComponentRecord = isPresent ? { ...component, madeAt: null } : component;
  if (written === undefined) return { record: seen, events: [...adopted(observation), ...events] };
  if (written.error !== null) return afterFailure(seen, written, { events, deps });
  const done = { ...seen, lastWriteAt: observation.at, failures: null };
  switch (written.effect) {
    case "create":
      return afterCreate(done, written, { events, deps, isPresent });
    case "correct":
      return afterCorrection(done, written, { observation, deps, events });
    case "removeReconcileTag":
      return { record: done, events };
  }
}

/** A resource that was there before its component is provisioned by being found. */
function adopted({ record, reading, managementTag }: DirectObservation): Told[] {
  if (record.provisioned || reading.state !== "present" || !managementTag) return [];
  return [{ type: "component.provisioned", data: { adopted: true } }];
}

interface Telling {
  readonly events: readonly LifecycleEvent[];
  readonly deps: AgentDeps;
}

function afterCreate(
  done: ComponentRecord,
  { observation: { expectation }, resourceId }: CloudWrite,
  { events, deps, isPresent }: Telling & { isPresent: boolean },
) {
  const record: ComponentRecord = {
    ...done,
    provisioned: true,
    resource: { ...done.resource, id: resourceId ?? done.resource.id },
    intent: null,
    applied: { ...done.applied, ...expectation.writeOnly },
    madeAt: isPresent ? null : deps.runtime.clock.now(),
  };
  return { record, events: [{ type: "component.provisioned" as const, data: { adopted: false } }, ...events] };
}

function afterCorrection(
  done: ComponentRecord,
  written: CloudWrite,
  { observation, deps, events }: Telling & { observation: DirectObservation },
) {
  const { changes, expectation } = written.observation;
  const applied = { ...done.applied, ...expectation.writeOnly };
  const pointers = changes.map(({ pointer }) => pointer);
  const raced = raceOf(written, observation);
  const isSame = observation.reading.state === "present" && sameJson(changes, observation.changes);
  if (isSame && raced.length === 0) {
    const failures = ineffectiveAfter(observation.record.failures, pointers, deps);
    const record = withIneffectiveCondition({ ...done, applied, failures });
    const isNew = failures.count === 3;
    const told: Told[] = isNew ? [failed("correct", { code: "Ineffective", pointers })] : [];
    deps.runtime.metrics.count("liveplane_corrections_total", { provider: done.provider, outcome: "ineffective" });
    return { record, events: [...told, ...events] };
  }
  deps.runtime.metrics.count("liveplane_corrections_total", { provider: done.provider, outcome: "corrected" });
  const corrected: Told = { type: "component.corrected", data: { pointers } };
  return { record: { ...done, applied }, events: [corrected, ...raced, ...events] };
}

/** A write without a condition that fell on a resource whose tag was taken off meanwhile. */
function raceOf({ conditional, observation: before }: CloudWrite, now: DirectObservation): Told[] {
  if (conditional || now.reading.state !== "present" || now.managementTag) return [];
  const fields = before.changes.map(({ pointer, actual, declared }) => ({ pointer, from: actual, to: declared }));
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

function afterFailure(
  seen: ComponentRecord,
  written: CloudWrite,
  { events, deps }: Telling,
): { record: ComponentRecord; events: readonly Told[] } {
  const { error, effect } = written;
  const maybeMade = error?.details.outcome === "unknown";
  const record = maybeMade ? { ...seen, lastWriteAt: nowText(deps) } : seen;
  if (error === null || isMoved(written)) return { record, events };
  const { failures: before } = record;
  const code = error.code;
  const count = (before?.code === code ? before.count : 0) + 1;
  const restMs = Math.min(deps.settings.checkSeconds * 1000, 500 * 2 ** Math.min(count, 10));
  const nextAt = deps.runtime.clock.now() + restMs;
  const failures: Failures = { code, detail: forStrangers(error).message, count, nextAt, restMs, ineffective: null };
  deps.runtime.metrics.count("liveplane_corrections_total", { provider: seen.provider, outcome: code });
  const told = before?.code === code ? [] : [failed(effect, { code, pointers: [] })];
  return { record: { ...record, failures }, events: [...told, ...events] };
}

function failed(
  effect: Effect,
  { code, pointers }: { readonly code: string; readonly pointers: readonly string[] },
): Told {
  return { type: "component.correction_failed", data: { effect, code, pointers } };
}
