import { forStrangers } from "../../errors.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Key } from "../../ports/store.ts";
import type { Agent } from "../agent/agent.ts";
import { type AgentDeps, isOver } from "../agent/agent-deps.ts";
import type { DirectObservation } from "../agent/agent-observe.ts";
import type { Outcome } from "../agent/agent-pass.ts";
import type { Unresolved } from "../agent/expectations.ts";
import { isHeldByGovernor } from "../agent/tag-owner.ts";
import { correctionOf } from "../protocol/drift.ts";
import { isIneffective } from "../protocol/verdicts.ts";
import type { ComponentRecord } from "../records/component-record.ts";

/** How far a mutation came with one component. `interrupted`: it goes on later. */
export type StepEnd =
  | { readonly state: "converged" | "held" | "interrupted" }
  | { readonly state: "failed"; readonly code: string; readonly detail: string };

/** What to do after a pass: it is over, or worth another one. */
type Verdict =
  | StepEnd
  | {
      readonly state: "again";
      readonly reason: "moved" | "failed";
      readonly failure: Failure;
      readonly afterMs?: number;
    };

interface Failure {
  readonly code: string;
  readonly detail: string;
}

const triesAfterFailure = 5;
const triesAfterMove = 400;

/** Takes one component as far as a deploy can: equal to its declaration, or in a person's hands. */
export async function converge(
  key: Key,
  { agent, deps, lease }: { readonly agent: Agent; readonly deps: AgentDeps; readonly lease?: Lease },
): Promise<StepEnd> {
  let failed = 0;
  let moved = 0;
  for (;;) {
    if (isOver(lease, deps)) return { state: "interrupted" };
    const outcome = await agent.pass(key, { lane: "people", redeploy: true, ...(lease && { lease }) });
    if (outcome === null) return { state: "interrupted" };
    const verdict = verdictOf(outcome);
    if (verdict.state !== "again") return verdict;
    if (verdict.reason === "failed") failed += 1;
    else moved += 1;
    if (failed >= triesAfterFailure || moved >= triesAfterMove) return { state: "failed", ...verdict.failure };
    const pause = verdict.reason === "failed" ? 100 * 2 ** failed : Math.min(10 * moved, 200);
    await deps.runtime.clock.sleep(Math.min(verdict.afterMs ?? pause, 30_000), lease && { signal: lease.signal });
  }
}

/** Judges what a pass came to: pure. */
function verdictOf({ end, record, observation, error, again }: Outcome): Verdict {
  if (record === null) return { state: "converged" };
  const elsewhere: Failure = { code: "Conflict", detail: "Somebody else kept changing it." };
  if (end === "busy" || end === "raced" || end === "idle" || observation === null) {
    return { state: "again", reason: "moved", failure: elsewhere, afterMs: end === "busy" ? 200 : 5 };
  }
  if (end === "failed" && error !== null) {
    const { code, message: detail } = forStrangers(error);
    const failure = { code, detail };
    if (!error.retryable) return { state: "failed", ...failure };
    const { retryAfterSeconds } = error.details;
    return {
      state: "again",
      reason: "failed",
      failure,
      ...(retryAfterSeconds !== undefined && { afterMs: retryAfterSeconds * 1000 }),
    };
  }
  if (again) return { state: "again", reason: "moved", failure: elsewhere, afterMs: 0 };
  return verdictOfObservation(observation, record);
}

function verdictOfObservation(observation: DirectObservation, record: ComponentRecord): Verdict {
  const { reading, changes, expectation } = observation;
  if (reading.state === "unreadable") return unreadable(reading);
  if (record.status === "ManualOverride") return { state: "held" };
  const isDone = reading.state === "present" && changes.length === 0;
  if (!isDone && isHeldByGovernor(record, expectation)) return { state: "held" };
  const [blocked] = observation.unresolved;
  if (blocked !== undefined) return unresolved(blocked);
  if (record.status === "ReconcileRequested") {
    return {
      state: "again",
      reason: "failed",
      failure: { code: "Conflict", detail: "The hand-back did not come to its end." },
    };
  }
  if (isDone) return { state: "converged" };
  const { immutable } = correctionOf(observation, expectation.expected);
  if (reading.state === "present" && immutable.length > 0) {
    return {
      state: "failed",
      code: "Immutable",
      detail: `The resource exists: ${immutable.join(", ")} cannot change.`,
    };
  }
  if (isIneffective(record.failures))
    return { state: "failed", code: "Ineffective", detail: "Correcting it has no effect." };
  return {
    state: "again",
    reason: "failed",
    failure: { code: "ProviderError", detail: "It did not become what is declared." },
  };
}

function unreadable(reading: { readonly reason: string; readonly retryAfterMs?: number }): Verdict {
  if (reading.reason === "NoAgentCredentials") {
    return {
      state: "failed",
      code: "ProviderCredentialsMissing",
      detail: "The agent has no credentials for this cloud here.",
    };
  }
  const failure = { code: "ProviderError", detail: `It could not be read: ${reading.reason}.` };
  return {
    state: "again",
    reason: "failed",
    failure,
    ...(reading.retryAfterMs !== undefined && { afterMs: reading.retryAfterMs }),
  };
}

function unresolved({ reference, why }: Unresolved): Verdict {
  if (why === "overridden") return { state: "held" };
  const at = `at /parameters${reference.pointer}`;
  const named =
    reference.kind === "secret" ? `the secret ${reference.shortName}` : `${reference.path}#${reference.output}`;
  return { state: "failed", code: "InvalidDeclaration", detail: `The reference to ${named} ${at} stands for nothing.` };
}
