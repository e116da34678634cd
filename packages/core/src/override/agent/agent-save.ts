import { sameJson } from "../../json-pointer.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { sidesOf } from "../protocol/observation.ts";
import {
  aboutLiveSystem,
  type ComponentRecord,
  components,
  idOf,
  type PendingWork,
} from "../records/component-record.ts";
import { addEpisode } from "../records/episode-history.ts";
import { closeEpisode, currentEpisode, newEpisode } from "../records/episode-record.ts";
import { isInForce, liveSystems } from "../records/live-system-record.ts";
import { afterWrite, type Round } from "./after-write.ts";
import { type AgentDeps, isAtRest, type PassContext, type PassOptions } from "./agent-deps.ts";
import type { DirectObservation } from "./agent-observe.ts";
import { claimTermsOf, isIdChosen } from "./agent-write.ts";

/**
 * Stores what a round comes to by compare-and-set, with its events and the claim for the write that is next, before anything that it permits is done.
 * `null`: somebody else was faster; `redeclared`: what it was decided on is no longer in force. What comes to nothing new writes nothing.
 */
export async function save(
  round: Round & { readonly effect: Effect | null },
  { deps, options, requestId }: PassContext & { readonly requestId: string },
): Promise<Stored<ComponentRecord> | "redeclared" | null> {
  const { observation, transition, effect } = round;
  const { record: before, at } = observation;
  const { record: after, events } = afterWrite(round, deps);
  const lease = options.lease?.name ?? null;
  const work: PendingWork | null = effect && {
    ...deps.claims.make(claimTermsOf(effect, observation, lease)),
    kind: effect,
  };
  const next = { ...after, work, ...(effect === "create" && creation(round, requestId)) };
  // From here on the rest is watched.
  if (next.failures !== before.failures) isAtRest(next, deps);
  if (transition.ended === "Reconciled") observeHandBack(observation, deps);
  if (work === null && events.length === 0 && isNothingNew(before, next, options)) return before;
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const system = [liveSystems, [before.liveSystemId]] as const;
    const [current] = await change.getPair([components, components.key(before)], system);
    if (current === null || current.version !== before.version || deps.claims.hold(current.work, lease)) return null;
    if (!(await isInForce(change, observation.expectation.inForce.system))) return "redeclared";
    const stored = change.put(components, { ...next, updatedAt: at, updatedBy: "agent" });
    await writeLedger(change, round, next, deps.settings);
    for (const { type, data } of events) {
      const about = aboutLiveSystem(before);
      const statuses = { from: before.status, status: next.status };
      const plan = type === "component.reconcile.requested" ? await planOf(change, round) : {};
      change.emit({ type, subject: idOf(before), about, data: { ...statuses, ...data, ...plan } });
    }
    return stored;
  });
}

/** Gives up a claim whose write was never sent. */
export async function giveBack(
  claimed: Stored<ComponentRecord>,
  { deps, requestId }: PassContext & { readonly requestId: string },
): Promise<Stored<ComponentRecord>> {
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const current = await change.get(components, components.key(claimed));
    if (current === null || current.version !== claimed.version) return claimed;
    return change.put(components, { ...current, work: null });
  });
}

/**
 * What is written down before a create. Where the cloud chooses ids, the one of what is gone is forgotten: the new one is found
 * by its intent.
 */
function creation({ observation: { expectation }, transition: { component } }: Round, requestId: string) {
  const { resource, intent } = component;
  const kept = isIdChosen(component, expectation) ? { ...resource, id: null } : resource;
  return { intent: intent ?? requestId, resource: kept };
}

function observeHandBack({ record: { request, provider }, at }: DirectObservation, { runtime }: AgentDeps): void {
  if (request === null) return;
  const seconds = (Date.parse(at) - Date.parse(request.requestedAt)) / 1000;
  runtime.metrics.observe("liveplane_hand_back_seconds", Math.max(0, seconds), { provider });
}

async function writeLedger(
  change: Change,
  { observation, transition: { ended: outcome } }: Round,
  next: ComponentRecord,
  limits: AgentDeps["settings"],
): Promise<void> {
  const { record: before, at, reading, expectation } = observation;
  if (outcome !== null) {
    const end = resourceOf(reading) !== null ? sidesOf(observation, expectation, next.observed.hashes) : null;
    await closeEpisode(change, before, { at, outcome, end });
  }
  if (before.override !== null || next.start === null) return;
  const begun = newEpisode(next, next.start);
  if (begun !== null) await addEpisode(change, begun, limits);
}

/** A request says whether it was made on the last plan that was served. */
async function planOf(change: Change, { observation: { record }, transition: { component } }: Round) {
  const fingerprint = component.request?.fingerprint ?? "";
  const episode = await currentEpisode(change, record);
  return { fingerprint, asPlanned: episode?.servedPlan === fingerprint };
}

/** That it was looked at is news to a person who asked; to a sweep, and to a mutation that waits, it is none. */
function isNothingNew(before: ComponentRecord, next: ComponentRecord, { lane, redeploy }: PassOptions): boolean {
  if (lane === "people" && redeploy !== true && before.conditions !== next.conditions) return false;
  return sameJson(withoutTimes(before), withoutTimes(next));
}

function withoutTimes(record: ComponentRecord) {
  const { readable, exists, inSync } = record.conditions;
  const conditions = [readable, exists, inSync].map(({ value, reason, message }) => [value, reason, message]);
  return { ...record, conditions };
}
