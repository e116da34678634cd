import type { LiveplaneError } from "../../errors.ts";
import type { SpanEnd } from "../../ports/runtime.ts";
import type { Key } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import type { Policy, Transition } from "../protocol/lifecycle.ts";
import {
  type ComponentRecord,
  componentKey,
  components,
  idOf,
  type MutationStep,
} from "../records/component-record.ts";
import { isRunning, type MutationRecord } from "../records/live-system-record.ts";
import { isMoved, isRefused } from "./after-write.ts";
import { decideRound, isRedeploy } from "./agent-decision.ts";
import {
  type AgentDeps,
  heldLease,
  isAtRest,
  isOver,
  making,
  type PassContext,
  type PassOptions,
} from "./agent-deps.ts";
import { withLessons } from "./agent-lessons.ts";
import { type DirectObservation, observeDirectly } from "./agent-observe.ts";
import { type DirectReading, readDirectly } from "./agent-read.ts";
import { giveBack, save } from "./agent-save.ts";
import { secretsOnceMade } from "./agent-sent.ts";
import { transitionOf } from "./agent-transition.ts";
import { type CloudWrite, carryOut } from "./agent-write.ts";
import { appliedBy } from "./expectations.ts";
import type { DecisionFacts, Round, RoundDecision } from "./round.ts";

/** The result of a pass over one component. */
export interface Outcome {
  /**
   * `settled`: nothing is left to do now. `failed`: a write was refused. `raced`: somebody else changed the component, or the lease ended.
   * `busy`: somebody else is writing. `idle`: it belongs to a mutation now, or its step has ended. `superseded`: its mutation is over.
   * `gone`: there is no such component.
   */
  readonly end: "settled" | "failed" | "raced" | "busy" | "idle" | "superseded" | "gone";
  readonly record: Stored<ComponentRecord> | null;
  /** The last one; `null` if there was none to report. */
  readonly observation: DirectObservation | null;
  readonly error: LiveplaneError | null;
  /** The next pass should follow at once. */
  readonly again: boolean;
}

/** A step of a mutation that a pass carries out. */
interface StepOfPass {
  readonly mutation: MutationRecord;
  /** The component with its step begun, to be stored with the pass's first decision. `null`: the step has ended. */
  readonly begin: (record: Stored<ComponentRecord>) => Stored<ComponentRecord> | null;
  /** How the step ends with what the pass will answer, to be stored with its last decision; `null`: it goes on. */
  readonly endedBy: (outcome: Outcome) => MutationStep | null;
}

/** How a component is checked, perhaps for a step of a mutation. */
export interface StepPassOptions extends PassOptions {
  readonly step?: StepOfPass;
}

/** A pass that isn't finished: nothing was written yet, or the effect of the last write hasn't been read. */
interface Open {
  readonly end: "open";
  readonly record: Stored<ComponentRecord>;
  readonly writes: readonly CloudWrite[];
  /** The mutation whose step begins with the next decision; `null`: none does. */
  readonly begins: MutationRecord | null;
  /** The reading that led to the last write; `null`: everything around the component is read again. */
  readonly last: DirectReading | null;
}

/** One pass: read, interpret, decide, write; after a write, all of it again. */
export function runPass(key: Key, deps: AgentDeps, options: StepPassOptions): Promise<Outcome> {
  const { tracer, newId } = deps.runtime;
  const pass: Pass = { deps, options, requestId: newId() };
  const fields = { componentId: key.join("/"), requestId: pass.requestId, lane: options.lane };
  return tracer.during({ name: "agent.pass", fields }, () => carriedThrough(key, pass), toldOutcome);
}

function toldOutcome({ end, error }: Outcome): SpanEnd {
  return { outcome: end, code: error?.code ?? null };
}

async function carriedThrough(key: Key, pass: Pass): Promise<Outcome> {
  let outcome = await begin(key, pass);
  while (outcome.end === "open") outcome = await roundOf(outcome, pass);
  return outcome;
}

/** One round, from a reading to an outcome: decide, store with the claim for the write, then write. */
async function roundOf({ record, begins, writes, last }: Open, pass: Pass): Promise<Outcome | Open> {
  const { deps, options } = pass;
  // What a write did is read and stored even if the process is about to stop.
  const { lease, ...patient } = options;
  const reading = await readDirectly(record, writes.length === 0 ? pass : { deps, options: patient }, last);
  const read = await withLessons(deps, reading, writes.at(-1));
  const observation = onceAdopted(await observeDirectly(read, pass), writes);
  const transition = transitionOf(observation, policyOf(observation, pass));
  const round = { observation, transition, begins, writes, taught: read.taught };
  const decision = withEndOfStep(decideRound(round, options, factsOf(round, pass)), round, options);
  report(decision, round, deps);
  const saved = await save(decision, round, pass);
  // The result of a write is always stored, against the current declaration.
  if (saved === "redeclared" && writes.length > 0)
    return { end: "open", record: observation.record, begins: null, writes, last: null };
  if (saved === null && writes.length > 0)
    return (await resumed(observation.record, writes, pass)) ?? ended("raced", observation.record);
  if (saved === null || saved === "redeclared") return ended("raced", observation.record);
  const { write } = decision;
  if (write === null) return outcomeOf(round, saved);
  // The component may be moved meanwhile. The claim moves with it, and keeps this worker from writing under the new path.
  const made = await deps.claims.during(saved.work, () => carryOut(write, saved, observation, pass));
  if (made === null) return { ...ended("raced", await giveBack(saved, decision.next, pass)), observation };
  const claimed = isRefused(made) ? { ...saved, lastWriteAt: decision.next.lastWriteAt } : saved;
  return { end: "open", record: withWrite(claimed, made), begins: null, writes: [...writes, made], last: observation };
}

/** A resource whose management tag was just set counts as found, whatever somebody has done to it since. */
function onceAdopted(observation: DirectObservation, writes: readonly CloudWrite[]): DirectObservation {
  const { isSettled, followed } = observation;
  const { ended } = followed;
  const written = writes.at(-1);
  const isMade = written?.effect === "adopt" && written.error === null && written.operation === null;
  const isAdopted = ended === null ? isMade : ended.operation.kind === "adopt" && ended.failure === null;
  return isAdopted && isSettled ? { ...observation, adoption: { state: "none" } } : observation;
}

/** The pass with what somebody else has stored meanwhile, such as a note, so that the result of its write isn't lost. `null`: the claim is gone. */
async function resumed(
  record: Stored<ComponentRecord>,
  writes: readonly CloudWrite[],
  { deps }: Pass,
): Promise<Open | null> {
  const current = await deps.records.get(components, componentKey(record.liveSystemId, record.path));
  const written = writes.at(-1);
  if (current === null || written === undefined || record.work === null || current.work?.id !== record.work.id)
    return null;
  const resumedAt = withWrite({ ...current, lastWriteAt: record.lastWriteAt }, written);
  return { end: "open", record: resumedAt, begins: null, writes, last: null };
}

/** What a pass would see and decide, and what follows at once. Stores and writes nothing. */
export async function foresee(
  record: Stored<ComponentRecord>,
  context: PassContext,
): Promise<{ readonly observation: DirectObservation; readonly transition: Transition<ComponentRecord> }> {
  const { restoredTag } = context.deps.settings;
  const reading = await readDirectly(record, context);
  const observation = await observeDirectly(reading, context);
  // A deploy doesn't recreate what it removes.
  const redeploy = context.options.redeploy === true && !observation.expectation.declared.leaving;
  const policy = { restoredTag, redeploy };
  const first = transitionOf(observation, policy);
  if (!first.again) return { observation, transition: first };
  return {
    observation,
    transition: transitionOf({ ...observation, record: { ...observation.record, ...first.component } }, policy),
  };
}

interface Pass extends PassContext {
  readonly options: StepPassOptions;
  readonly requestId: string;
}

async function begin(key: Key, { deps, options }: Pass): Promise<Outcome | Open> {
  const { step } = options;
  const [record, isWanted] = await Promise.all([
    deps.records.get(components, key),
    step === undefined || isRunning(deps.records, step.mutation),
  ]);
  if (record === null) return ended("gone", null);
  if (!isWanted) return ended("superseded", record);
  const begun = step === undefined ? record : step.begin(record);
  if (begun === null || isNotBegun(begun)) return ended("idle", record);
  if (deps.claims.hold(record.work, heldLease(options.lease, deps))) return ended("busy", record);
  const begins = begun === record ? null : (step?.mutation ?? null);
  return { end: "open", record: begun, begins, writes: [], last: null };
}

/** A component that was never provisioned waits for its mutation. */
function isNotBegun({ provisioned, step }: ComponentRecord): boolean {
  return !provisioned && step?.state === "pending";
}

function policyOf(observation: DirectObservation, { deps, options }: PassContext): Policy {
  return { restoredTag: deps.settings.restoredTag, redeploy: isRedeploy(observation, options) };
}

/** What a decision needs to know about clocks and this process's memory. */
function factsOf({ transition }: Round, { deps, options, requestId }: Pass): DecisionFacts {
  const { lease } = options;
  return {
    now: deps.runtime.clock.now(),
    everyMs: deps.settings.checkSeconds * 1000,
    rests: isAtRest(transition.component, deps),
    isOver: isOver(lease, deps),
    requestId,
    lease: lease?.name ?? null,
  };
}

/** Counts and logs the result of a round, and starts to time its pauses by the monotonic clock. */
function report({ next, wrote }: RoundDecision, { observation, transition }: Round, deps: AgentDeps): void {
  const { record: before, at } = observation;
  const { metrics, logger } = deps.runtime;
  const { provider } = before;
  if (wrote !== null) metrics.count("liveplane_corrections_total", { provider, outcome: wrote.outcome });
  if (wrote?.failed) logger.warn({ component: idOf(before), ...wrote.failed }, "A write to a cloud failed.");
  if (next.madeAt !== null && next.madeAt !== before.madeAt) deps.rests.stands(...making(next, next.madeAt, deps));
  if (next.failures !== before.failures) isAtRest(next, deps);
  if (transition.ended === "Reconciled" && before.request !== null) {
    const seconds = (Date.parse(at) - Date.parse(before.request.requestedAt)) / 1000;
    metrics.observe("liveplane_hand_back_seconds", Math.max(0, seconds), { provider });
  }
}

/** A step ends in the commit that stores what its last pass saw. */
function withEndOfStep(decision: RoundDecision, round: Round, { step }: StepPassOptions): RoundDecision {
  const { next, write } = decision;
  if (step === undefined || write !== null || next.step?.state !== "begun") return decision;
  const end = step.endedBy(outcomeOf(round, { ...next, version: round.observation.record.version }));
  return end === null ? decision : { ...decision, next: { ...next, step: end } };
}

function outcomeOf({ observation, transition, writes }: Round, record: Stored<ComponentRecord>): Outcome {
  const written = writes.at(-1);
  const isFailed = written !== undefined && written.error !== null && !isMoved(written);
  const error = written?.error ?? null;
  return { ...ended(isFailed ? "failed" : "settled", record), error, observation, again: transition.again };
}

function ended(end: Outcome["end"], record: Stored<ComponentRecord> | null): Outcome {
  return { end, record, observation: null, error: null, again: false };
}

/** The component for the next round: with the ID that the cloud gave, and values that can't be read back. */
function withWrite(
  record: Stored<ComponentRecord>,
  { effect, error, observation, resourceId, operation }: CloudWrite,
): Stored<ComponentRecord> {
  const found = resourceId === null ? record : { ...record, resource: { ...record.resource, id: resourceId } };
  const placed = operation === null ? found : { ...found, operation };
  if (error !== null || effect === "removeReconcileTag") return placed;
  const request = placed.request && { ...placed.request, rewritten: true as const };
  const applied = { ...placed.applied, ...appliedBy(effect, observation.expectation) };
  return { ...placed, request, applied, secretsSent: secretsOnceMade(placed, { effect, observation }) };
}
