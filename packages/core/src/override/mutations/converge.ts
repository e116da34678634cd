import { forStrangers } from "../../errors.ts";
import type { Reading } from "../../ports/cloud.ts";
import type { Key } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import { growingRest } from "../../records/rest.ts";
import type { Agent } from "../agent/agent.ts";
import { type AgentDeps, isOver, type NamedLease } from "../agent/agent-deps.ts";
import type { DirectObservation } from "../agent/agent-observe.ts";
import type { Outcome } from "../agent/agent-pass.ts";
import type { Unresolved } from "../agent/referenced-values.ts";
import { fixedAt } from "../declarations/shape.ts";
import { isHeldByTagOwner, wordsAbout } from "../protocol/observation.ts";
import { isExhausted } from "../protocol/tries.ts";
import { broughtBy, exhaustedVerdict, isCorrectable, withoutValue } from "../protocol/verdicts.ts";
import type { ComponentRecord, MutationStep } from "../records/component-record.ts";
import type { MutationRecord } from "../records/live-system-record.ts";
import type { Patience, Wait } from "./patience.ts";
import { begunStep, type CompletedStep, endOf, type Failure, type StepEnd, stepEnded } from "./step-states.ts";

/** A step that waits for a cloud and holds nothing meanwhile. */
export interface StepPause {
  readonly state: "waiting";
  readonly afterMs: number;
}

/** How often a step was retried in a run, without waits: the result didn't match, or somebody else was writing. */
export interface Tries {
  unsettled: number;
  moved: number;
  /** Whether a pass of this run has stored that it began. */
  begun?: boolean;
}

/** What to do after a pass: stop or run another. */
type Verdict =
  | StepEnd
  /** `moved`: somebody else wrote. `unsettled`: the result didn't match. `wait`: the cause may pass. */
  | {
      readonly state: "again";
      readonly reason: "moved" | "unsettled";
      readonly failure: Failure;
      readonly afterMs?: number;
    }
  | { readonly state: "wait"; readonly wait: Wait; readonly failure: Failure };

/** Others were writing each time. */
export const changedByOthers: Failure = {
  code: "Conflict",
  detail: "The component kept being changed by somebody else.",
};

const triesUnsettled = 5;
const triesAfterMove = 400;
/** A conflict usually ends at once, but a governor may stay in the way for minutes. */
const pauses = { unsettled: { firstMs: 100, longestMs: 1_600 }, moved: { firstMs: 5, longestMs: 2_000 } };

/** What a step works with. */
interface ConvergeContext {
  readonly agent: Agent;
  readonly deps: AgentDeps;
  readonly patience: Patience;
  readonly tries: Tries;
  readonly mutation: MutationRecord;
  readonly lease?: NamedLease;
}

/**
 * Brings one component as far as a deploy can now: equal to its declaration, controlled by a person, or waiting for a cloud. `isStored`: its
 * step has ended, by its last pass or in another process with the same mutation.
 */
export async function converge(
  key: Key,
  context: ConvergeContext,
): Promise<StepEnd | StepPause | { readonly state: CompletedStep["state"]; readonly isStored: true }> {
  const { agent, deps, patience, tries, mutation, lease } = context;
  const step = {
    mutation,
    begin: (record: Stored<ComponentRecord>) => begunAt(key, record, context),
    endedBy: (outcome: Outcome) => stepEndedBy(outcome, mutation),
  };
  for (;;) {
    if (isOver(lease, deps)) return { state: "interrupted" };
    const outcome = await agent.pass(key, { lane: "people", redeploy: true, step, ...(lease && { lease }) });
    if (outcome === null) return { state: "interrupted" };
    const stored = outcome.record && endOf(outcome.record, mutation);
    if (stored !== null) return { state: stored, isStored: true };
    // The step hasn't begun, so this isn't one of its tries.
    if (outcome.end === "busy" && !tries.begun) {
      await deps.runtime.clock.sleep(200, lease && { signal: lease.signal });
      continue;
    }
    tries.begun ||= outcome.end === "settled" || outcome.end === "failed";
    const verdict = verdictOf(outcome);
    if (verdict.state === "wait") {
      const afterMs = await patience.pauseMs(key, verdict.wait);
      if (afterMs !== null) return { state: "waiting", afterMs };
      // Whoever has paused for longer than its lease says nothing: another process may have begun to wait anew.
      return isOver(lease, deps) ? { state: "interrupted" } : { state: "failed", ...verdict.failure };
    }
    if (verdict.state !== "again") return verdict;
    tries[verdict.reason] += 1;
    const { unsettled, moved } = tries;
    if (unsettled >= triesUnsettled || moved >= triesAfterMove) return { state: "failed", ...verdict.failure };
    const pauseMs = growingRest(tries[verdict.reason], pauses[verdict.reason]);
    await deps.runtime.clock.sleep(verdict.afterMs ?? pauseMs, lease && { signal: lease.signal });
  }
}

/** A component whose step begins with the first pass of a run; `null`: another process with the same mutation has ended it. */
function begunAt(
  key: Key,
  record: Stored<ComponentRecord>,
  { mutation, tries, patience }: ConvergeContext,
): Stored<ComponentRecord> | null {
  if (endOf(record, mutation) !== null) return null;
  if (tries.begun) return record;
  const step = begunStep(record.step, mutation);
  // Whoever waited for it continues, so nothing is new.
  if (step === record.step && record.work === null && patience.knows(key, mutation.id)) return record;
  return { ...record, work: null, failures: null, step };
}

/** The step that ends with such a pass; `null`: it goes on, or a newer mutation has one with the component now. */
function stepEndedBy(outcome: Outcome, { id }: MutationRecord): MutationStep | null {
  if (outcome.record?.step?.mutationId !== id) return null;
  const verdict = verdictOf(outcome);
  const isEnd = verdict.state === "converged" || verdict.state === "held" || verdict.state === "failed";
  return isEnd ? stepEnded(id, verdict) : null;
}

/** Judges the result of a pass. Pure. */
function verdictOf({ end, record, observation, error, again }: Outcome): Verdict {
  if (record === null) return { state: "converged" };
  if (end === "superseded") return { state: "interrupted" };
  if (end === "busy" || end === "raced" || end === "idle" || observation === null) {
    return { state: "again", reason: "moved", failure: changedByOthers, ...(end === "busy" && { afterMs: 200 }) };
  }
  if (end === "failed" && error !== null) {
    const { code, message: detail } = forStrangers(error);
    const failure = { code, detail, ...record.failures?.words };
    if (!error.retryable) return { state: "failed", ...failure };
    const { retryAfterSeconds } = error.details;
    return waitOut(failure, retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000);
  }
  if (error?.code === "InvalidState") {
    const detail = "The cloud took too long to process another change to this resource.";
    const wait = {
      why: "working",
      detail: "The cloud is still processing another change to this resource.",
      afterMs: 10_000,
    } as const;
    return { state: "wait", wait, failure: { code: "ProviderTimeout", detail } };
  }
  if (again) return { state: "again", reason: "moved", failure: changedByOthers, afterMs: 0 };
  const verdict = verdictOfObservation(observation, record);
  return verdict.state === "failed" && verdict.code === "Immutable"
    ? { ...verdict, detail: `${verdict.detail} ${restAfter(changeableIn(observation))}` }
    : verdict;
}

/** What is known of a component's other places once one of them could not be changed. */
function restAfter(left: readonly string[]): string {
  return left.length === 0 ? "Everything else in it is as declared." : `Not written either: ${left.join(", ")}.`;
}

/** The differences at places that can change. */
function changeableIn({ changes, expectation }: DirectObservation): string[] {
  return changes
    .map(({ pointer }) => pointer)
    .filter((pointer) => fixedAt(expectation.expected.type, pointer) === null);
}

/** What the step of a component in this state fails with unless that changes; `null` if it doesn't. */
export function foreseenFailure(observation: DirectObservation, record: ComponentRecord): Failure | null {
  const verdict = verdictOfObservation(observation, record);
  const rest = changeableIn(observation);
  if (verdict.state === "failed" && verdict.code === "Immutable" && rest.length > 0) {
    const isWritten = isCorrectable(record, observation, observation.expectation);
    const detail = isWritten ? `A deploy still writes ${rest.join(", ")}.` : restAfter(rest);
    return { code: verdict.code, detail: `${verdict.detail} ${detail}` };
  }
  if (verdict.state === "failed") return { code: verdict.code, detail: verdict.detail };
  if (verdict.state === "wait") return verdict.wait.why === "working" ? null : verdict.failure;
  return verdict.state === "again" ? verdict.failure : null;
}

function verdictOfObservation(observation: DirectObservation, record: ComponentRecord): Verdict {
  const { reading, changes, expectation, adoption } = observation;
  if (reading.state === "unreadable") return unreadable(reading);
  if (record.status === "ManualOverride") return { state: "held" };
  if (reading.state === "working") return working(record, reading);
  if (adoption.state === "refused" && !record.provisioned)
    return { state: "failed", code: adoption.code, detail: adoption.detail };
  if (adoption.state === "due")
    return {
      state: "again",
      reason: "unsettled",
      failure: { code: "ProviderError", detail: "The management tag was not set." },
    };
  const isDone = reading.state === "present" && changes.length === 0;
  if (!isDone && isHeldByTagOwner(record, expectation)) return { state: "held" };
  if (reading.state === "failed") {
    const detail = "The cloud could not complete the last operation.";
    return { state: "failed", code: "ProvisioningFailed", detail, ...wordsAbout({ ...observation, record }, reading) };
  }
  const [blocked] = observation.unresolved;
  if (blocked !== undefined) return unresolved(blocked);
  if (!isDone && isExhausted(record, observation, broughtBy(expectation))) {
    const { reason: code, message: detail } = exhaustedVerdict(changes);
    return { state: "failed", code, detail };
  }
  if (record.status === "ReconcileRequested") {
    return {
      state: "again",
      reason: "unsettled",
      failure: { code: "Conflict", detail: "The hand-back did not complete." },
    };
  }
  if (isDone) return { state: "converged" };
  const { immutable } = observation.correction;
  if (reading.state === "present" && immutable.length > 0) {
    return {
      state: "failed",
      code: "Immutable",
      detail: `${immutable.join(", ")} can't change once the resource exists.`,
    };
  }
  if (reading.state === "present" && !isCorrectable(record, observation, expectation)) {
    const detail =
      "Writes of this type can't be made conditional on what was read. To allow them, declare unconditionalWrites.";
    return { state: "failed", code: "NotCorrectable", detail };
  }
  return {
    state: "again",
    reason: "unsettled",
    failure: { code: "ProviderError", detail: "The resource still differs from its declaration." },
  };
}

function unreadable(reading: { readonly reason: string; readonly retryAfterMs?: number }): Verdict {
  if (reading.reason === "NoAgentCredentials") {
    return {
      state: "failed",
      code: "ProviderCredentialsMissing",
      detail: "The agent has no credentials for this cloud in this environment.",
    };
  }
  const failure = { code: "ProviderError", detail: `The resource could not be read: ${reading.reason}.` };
  if (reading.reason === "ProviderCredentialsRejected") return { state: "again", reason: "unsettled", failure };
  return waitOut(failure, reading.retryAfterMs);
}

/** A temporary failure is retried. */
function waitOut(failure: Failure, afterMs: number | undefined): Verdict {
  const wait = { why: "failing", detail: failure.detail, ...(afterMs !== undefined && { afterMs }) } as const;
  return { state: "wait", wait, failure };
}

const nounOf = {
  create: "creation",
  correct: "correction",
  adopt: "adoption",
  removeReconcileTag: "removal of the reconcile tag",
  remove: "deletion",
} as const;

function working({ operation }: ComponentRecord, { pollAfterMs }: Extract<Reading, { state: "working" }>): Verdict {
  const what =
    operation === null
      ? "The cloud is still processing an operation."
      : `The cloud is still processing the agent's ${nounOf[operation.kind]}.`;
  const wait = { why: "working", detail: what, ...(pollAfterMs !== undefined && { afterMs: pollAfterMs }) } as const;
  const failure = { code: "ProviderTimeout", detail: "The cloud took too long to finish the operation." };
  return { state: "wait", wait, failure };
}

function unresolved(open: Unresolved): Verdict {
  if (open.why === "overridden") return { state: "held" };
  // What a failed step lacks isn't on its way.
  const lacking = open.why === "waiting" ? ({ ...open, why: "absent" } as const) : open;
  return { state: "failed", code: "InvalidDeclaration", detail: withoutValue(lacking) };
}
