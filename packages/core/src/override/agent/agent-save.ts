import type { EventType } from "../../contract/event-types.ts";
import { nowText } from "../../encoding.ts";
import { forStrangers } from "../../errors.ts";
import { sameJson } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { LifecycleEvent } from "../protocol/lifecycle.ts";
import type { Effect } from "../protocol/lifecycle-table.ts";
import {
  aboutLiveSystem,
  type ComponentRecord,
  componentKey,
  components,
  type Failures,
  idOf,
  type PendingWork,
} from "../records/component-record.ts";
import { addEpisode } from "../records/episode-history.ts";
import { closeEpisode, currentEpisode, newEpisode } from "../records/episode-record.ts";
import type { AgentDeps } from "./agent-deps.ts";
import type { Look } from "./agent-look.ts";
import { type CloudWrite, isMoved } from "./agent-write.ts";
import { isIneffective } from "./findings.ts";
import { sidesOf } from "./sight.ts";

/** What a pass wants stored: what it saw, what it did before, what it is about to do. */
export interface PassFinding {
  readonly look: Look;
  /** The write that this look was taken after. */
  readonly written: CloudWrite | null;
  /** What comes next: the claim for it is in the same commit. */
  readonly effect: Effect | null;
  /** Store that it was looked at, even when nothing else is new. */
  readonly touch: boolean;
}

/** Anything to tell of a component. */
interface Told {
  readonly type: EventType;
  readonly data: { readonly [name: string]: Json };
}

/**
 * Stores what a look found by compare-and-set, with its events, before anything that it permits is done.
 * `null`: somebody else was faster. What finds nothing new writes nothing.
 */
export async function save(
  finding: PassFinding,
  { deps, requestId }: { readonly deps: AgentDeps; readonly requestId: string },
): Promise<Stored<ComponentRecord> | null> {
  const { look } = finding;
  const before = look.record;
  const { record: judged, events } = afterWrite(finding, deps);
  const work = finding.effect === null ? null : newWork(finding.effect, deps);
  const next = { ...judged, work, ...(finding.effect === "create" && creation(look, requestId)) };
  if (look.judgement.ended === "Reconciled") observeHandBack(look, deps);
  if (work === null && events.length === 0 && isNothingNew(before, next, finding.touch)) return before;
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const current = await change.get(components, componentKey(before.liveSystemId, before.path));
    if (current === null || current.version !== before.version || deps.claims.hold(current.work)) return null;
    const stored = change.put(components, { ...next, updatedAt: look.at, updatedBy: "agent" });
    await writeLedger(change, finding, next, deps.settings);
    for (const { type, data } of events) {
      const about = aboutLiveSystem(before);
      const statuses = { from: before.status, status: next.status };
      const plan = type === "component.reconcile.requested" ? await planOf(change, look) : {};
      change.emit({ type, subject: idOf(before), about, data: { ...statuses, ...data, ...plan } });
    }
    return stored;
  });
}

/**
 * What is written down before a create. Where the cloud chooses ids, the one of what is gone is forgotten: the new one is found
 * by its intent.
 */
function creation({ judgement: { record }, expectation: { cloud } }: Look, requestId: string) {
  const { resource, type } = record;
  const isChosen = !resource.given && cloud.resourceIdFor(type, resource.name, resource.target) === null;
  return { intent: record.intent ?? requestId, resource: isChosen ? { ...resource, id: null } : resource };
}

function observeHandBack({ record: { request, provider }, at }: Look, { runtime }: AgentDeps): void {
  if (request === null) return;
  const seconds = (Date.parse(at) - Date.parse(request.requestedAt)) / 1000;
  runtime.metrics.observe("liveplane_hand_back_seconds", Math.max(0, seconds), { provider });
}

async function writeLedger(
  change: Change,
  { look }: PassFinding,
  next: ComponentRecord,
  limits: AgentDeps["settings"],
): Promise<void> {
  const { record: before, judgement, at, sight, expectation } = look;
  if (judgement.ended !== null) {
    const end = sight.reading.state === "present" ? sidesOf(sight, expectation, next.observed.hashes) : null;
    await closeEpisode(change, before, { at, outcome: judgement.ended, end });
  }
  if (before.override !== null || next.start === null) return;
  const begun = newEpisode(next, next.start);
  if (begun !== null) await addEpisode(change, begun, limits);
}

function newWork(kind: Effect, { claims }: AgentDeps): PendingWork {
  return { ...claims.make(), kind };
}

/** `observedAt` alone is no news. */
function isNothingNew(before: ComponentRecord, next: ComponentRecord, touch: boolean): boolean {
  if (touch && before.conditions !== next.conditions) return false;
  return sameJson(withoutTimes(before), withoutTimes(next));
}

function withoutTimes(record: ComponentRecord) {
  const { readable, exists, inSync } = record.conditions;
  const conditions = [readable, exists, inSync].map(({ value, reason, message }) => [value, reason, message]);
  return { ...record, conditions };
}

/** The record and events once the last write is counted in. */
function afterWrite(
  { look, written }: PassFinding,
  deps: AgentDeps,
): { record: ComponentRecord; events: readonly Told[] } {
  const { record } = look.judgement;
  const { events } = look.judgement;
  const isPresent = look.sight.reading.state === "present";
  const seen: ComponentRecord = isPresent ? { ...record, madeAt: null } : record;
  if (written === null) return { record: seen, events: [...adopted(look), ...events] };
  if (written.error !== null) return afterFailure(seen, written, { events, deps });
  const done = { ...seen, lastWriteAt: look.at, failures: null };
  switch (written.effect) {
    case "create":
      return afterCreate(done, written, { events, deps, isPresent });
    case "correct":
      return afterCorrection(done, written, { look, deps, events });
    case "removeReconcileTag":
      return { record: done, events };
  }
}

/** A request says whether it was made on the last plan that was served. */
async function planOf(change: Change, { record, judgement }: Look) {
  const fingerprint = judgement.record.request?.fingerprint ?? "";
  const episode = await currentEpisode(change, record);
  return { fingerprint, asPlanned: episode?.servedPlan === fingerprint };
}

/** A resource that was there before its component is provisioned by being found. */
function adopted({ record, sight }: Look): Told[] {
  if (record.provisioned || sight.reading.state !== "present" || !sight.managementTag) return [];
  return [{ type: "component.provisioned", data: { adopted: true } }];
}

interface Telling {
  readonly events: readonly LifecycleEvent[];
  readonly deps: AgentDeps;
}

function afterCreate(
  done: ComponentRecord,
  { look, resourceId }: CloudWrite,
  { events, deps, isPresent }: Telling & { isPresent: boolean },
) {
  const record: ComponentRecord = {
    ...done,
    provisioned: true,
    resource: { ...done.resource, id: resourceId ?? done.resource.id },
    intent: null,
    applied: { ...done.applied, ...look.expectation.writeOnly },
    madeAt: isPresent ? null : deps.runtime.clock.now(),
  };
  return { record, events: [{ type: "component.provisioned" as const, data: { adopted: false } }, ...events] };
}

function afterCorrection(done: ComponentRecord, written: CloudWrite, { look, deps, events }: Telling & { look: Look }) {
  const { changes } = written.look.sight.comparison;
  const applied = { ...done.applied, ...written.look.expectation.writeOnly };
  const pointers = changes.map(({ pointer }) => pointer);
  const raced = raceOf(written, look);
  const isSame = look.sight.reading.state === "present" && sameJson(changes, look.sight.comparison.changes);
  if (isSame && raced.length === 0) {
    const failures = ineffectiveAfter(look.record.failures, pointers, deps);
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
function raceOf({ conditional, look: before }: CloudWrite, { sight }: Look): Told[] {
  if (conditional || sight.reading.state !== "present" || sight.managementTag) return [];
  const fields = before.sight.comparison.changes.map(({ pointer, actual, declared }) => ({
    pointer,
    from: actual,
    to: declared,
  }));
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
