import { sameJson } from "../../json-pointer.ts";
import type { Change, Stored } from "../../records/records.ts";
import {
  aboutLiveSystem,
  type ComponentRecord,
  components,
  idOf,
  type PendingWork,
} from "../records/component-record.ts";
import { addEpisode } from "../records/episode-history.ts";
import { closeEpisode, currentEpisode, newEpisode } from "../records/episode-record.ts";
import { isInForce, isRunning, liveSystems } from "../records/live-system-record.ts";
import { type AgentDeps, heldLease, type PassContext, type PassOptions } from "./agent-deps.ts";
import type { Round, RoundDecision } from "./round.ts";

/**
 * Stores a decision by compare-and-set, with its events and the claim for its write, before the write is sent. `null`: somebody else was
 * faster. `redeclared`: the declaration has changed since. Writes nothing if nothing is new.
 */
export async function save(
  { next: decided, events, write }: RoundDecision,
  round: Round,
  { deps, options, requestId }: PassContext & { readonly requestId: string },
): Promise<Stored<ComponentRecord> | "redeclared" | null> {
  const { record: before, at, expectation } = round.observation;
  const work: PendingWork | null = write && { ...deps.claims.make(write.terms), kind: write.effect };
  // If its result is never stored, the write may have been made: until then it counts as the last one.
  const next = { ...decided, work, ...(work && { lastWriteAt: at }) };
  const isOld = round.begins === null && isNothingNew(before, next, options);
  if (work === null && events.length === 0 && isOld) return before;
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const place = [components, components.key(before)] as const;
    const [current, system] = await change.getPair(place, [liveSystems, [before.liveSystemId]]);
    if (current === null || current.version !== before.version) return null;
    // After a write the claim is this pass's own.
    if (round.writes.length === 0 && deps.claims.hold(current.work, heldLease(options.lease, deps))) return null;
    const forMutation = options.redeploy === true;
    if (!isInForce(system, expectation.inForce.system, { forMutation })) return "redeclared";
    if (round.begins !== null && !(await isRunning(change, round.begins))) return null;
    const step = await endedStep(change, before, next);
    const stored = change.put(components, { ...next, step, updatedAt: at, updatedBy: "agent" });
    await writeLedger(change, round, next, deps.settings);
    const about = aboutLiveSystem(before);
    const statuses = { from: before.status, status: next.status };
    for (const { type, data } of events) {
      const more = await toldOf(type, change, before, next);
      change.emit({ type, subject: idOf(before), about, data: { ...statuses, ...data, ...more } });
    }
    return stored;
  });
}

/** What an event contains besides the change of status. */
async function toldOf(type: string, change: Change, before: ComponentRecord, next: ComponentRecord): Promise<object> {
  if (type === "component.override.started") return { owner: next.override?.said?.owner ?? null };
  return type === "component.reconcile.requested" ? planOf(change, before, next) : {};
}

/** The step as decided, unless its mutation is over. */
async function endedStep(change: Change, { liveSystemId, step: before }: ComponentRecord, { step }: ComponentRecord) {
  if (step === null || step === before) return step;
  return (await isRunning(change, { liveSystemId, id: step.mutationId })) ? step : before;
}

/** Drops a claim whose write was never sent, and what it said about the last write. */
export async function giveBack(
  claimed: Stored<ComponentRecord>,
  { lastWriteAt }: Pick<ComponentRecord, "lastWriteAt">,
  { deps, requestId }: PassContext & { readonly requestId: string },
): Promise<Stored<ComponentRecord>> {
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const current = await change.get(components, components.key(claimed));
    if (current === null || current.work?.id !== claimed.work?.id) return claimed;
    const { unread, ...others } = current;
    // It could be read and claimed, so its step no longer waits for the cloud.
    const step = current.step?.waiting ? { ...current.step, waiting: null } : current.step;
    return change.put(components, { ...others, work: null, lastWriteAt, step });
  });
}

async function writeLedger(
  change: Change,
  { observation: { record: before, at }, transition: { ended: outcome, end } }: Round,
  next: ComponentRecord,
  limits: AgentDeps["settings"],
): Promise<void> {
  if (outcome !== null) await closeEpisode(change, before, { at, outcome, end });
  if (before.override !== null || next.start === null) return;
  const begun = newEpisode(next, next.start);
  if (begun !== null) await addEpisode(change, begun, limits);
}

/** Records whether a request was based on the last plan that was shown. */
async function planOf(change: Change, before: ComponentRecord, { request }: ComponentRecord) {
  const fingerprint = request?.fingerprint ?? "";
  const episode = await currentEpisode(change, before);
  return { fingerprint, asPlanned: episode?.servedPlan === fingerprint };
}

/** A person who asked for a check sees that it ran; a sweep or a waiting mutation stores nothing for that alone. */
function isNothingNew(before: ComponentRecord, next: ComponentRecord, { lane, redeploy }: PassOptions): boolean {
  if (lane === "people" && redeploy !== true && before.conditions !== next.conditions) return false;
  return sameJson(withoutTimes(before), withoutTimes(next));
}

function withoutTimes(record: ComponentRecord) {
  const { readable, exists, inSync } = record.conditions;
  const conditions = [readable, exists, inSync].map(({ value, reason, message }) => [value, reason, message]);
  return { ...record, conditions };
}
