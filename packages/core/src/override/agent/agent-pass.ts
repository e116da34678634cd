import type { LiveplaneError } from "../../errors.ts";
import type { SpanEnd } from "../../ports/runtime.ts";
import type { Key } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import { pathKey } from "../declarations/definition.ts";
import type { Policy, Transition } from "../protocol/lifecycle.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { isHeldByTagOwner } from "../protocol/observation.ts";
import { type ComponentRecord, components } from "../records/component-record.ts";
import { isSuperseded } from "../records/live-system-record.ts";
import type { Round } from "./after-write.ts";
import { type AgentDeps, isAtRest, isOver, type PassContext, type PassOptions } from "./agent-deps.ts";
import { type DirectObservation, observeDirectly } from "./agent-observe.ts";
import { readDirectly } from "./agent-read.ts";
import { giveBack, save } from "./agent-save.ts";
import { isWorthwhile, transitionOf } from "./agent-transition.ts";
import { type CloudWrite, carryOut, isMoved } from "./agent-write.ts";
import { type Expectation, openExpectations } from "./expectations.ts";

/** What a pass over one component came to. */
export interface Outcome {
  /**
   * `settled`: nothing is left to do now. `failed`: a write was refused. `raced`: somebody else changed the component, or the
   * lease ended. `busy`: somebody else is writing. `idle`: it is a mutation's now. `superseded`: the mutation that it was for is over.
   * `gone`: there is no such component.
   */
  readonly end: "settled" | "failed" | "raced" | "busy" | "idle" | "superseded" | "gone";
  readonly record: Stored<ComponentRecord> | null;
  /** The last one; `null`: there was none that may be told of. */
  readonly observation: DirectObservation | null;
  readonly error: LiveplaneError | null;
  /** The next pass should follow at once. */
  readonly again: boolean;
}

/** A pass that isn't at its end: nothing was written yet, or nobody has seen what the last write did. */
interface Open {
  readonly end: "open";
  readonly record: Stored<ComponentRecord>;
  readonly writes: readonly CloudWrite[];
}

/** One pass: what the cloud says, what that means, what it comes to, and what is done about it; after a write, all of it again. */
export function runPass(key: Key, deps: AgentDeps, options: PassOptions): Promise<Outcome> {
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
  while (outcome.end === "open") {
    const { record, writes } = outcome;
    const reading = await readDirectly(record, pass);
    const observation = await observeDirectly(reading, pass);
    const transition = transitionOf(observation, policyOf(observation, pass));
    outcome = await settle({ observation, transition, writes }, pass);
  }
  return outcome;
}

/** What a pass over a component would see and decide on, and what follows at once from that. Stores and writes nothing. */
export async function foresee(
  record: Stored<ComponentRecord>,
  context: PassContext,
): Promise<{ readonly observation: DirectObservation; readonly transition: Transition<ComponentRecord> }> {
  const { restoredTag } = context.deps.settings;
  const policy = { restoredTag, redeploy: context.options.redeploy ?? false };
  const reading = await readDirectly(record, context);
  const observation = await observeDirectly(reading, context);
  const first = transitionOf(observation, policy);
  if (!first.again) return { observation, transition: first };
  return {
    observation,
    transition: transitionOf({ ...observation, record: { ...observation.record, ...first.component } }, policy),
  };
}

interface Pass extends PassContext {
  readonly requestId: string;
}

async function begin(key: Key, { deps, options }: Pass): Promise<Outcome | Open> {
  const record = await deps.records.get(components, key);
  if (record === null) return ended("gone", null);
  const { liveSystemId: livesystemId, step } = record;
  if (options.redeploy === true && (await isSuperseded(deps.records, { livesystemId, id: step?.mutationId ?? "" })))
    return ended("superseded", record);
  if (isNotBegun(record)) return ended("idle", record);
  if (deps.claims.hold(record.work, options.lease?.name)) return ended("busy", record);
  return { end: "open", record, writes: [] };
}

/** A component that was never provisioned waits for the mutation that brings it. */
function isNotBegun({ provisioned, step }: ComponentRecord): boolean {
  return !provisioned && step?.state === "pending";
}

function policyOf(observation: DirectObservation, { deps, options }: PassContext): Policy {
  return { restoredTag: deps.settings.restoredTag, redeploy: isRedeploy(observation, options) };
}

/**
 * Another process, at the same mutation, may have ended this component's step, and a newer one may have taken its place: nothing is
 * made anew for it then.
 */
function isRedeploy({ record: { step }, expectation }: DirectObservation, { redeploy }: PassOptions): boolean {
  return redeploy === true && step?.state === "begun" && step.mutationId === lastMutationOf(expectation);
}

function lastMutationOf({ inForce }: Expectation): string {
  return inForce.system.lastMutationId;
}

/** Stores what a round comes to; then, under the claim that was stored with it, makes the write that it permits. */
async function settle(round: Round, pass: Pass): Promise<Outcome | Open> {
  const { observation, transition, writes } = round;
  const effect = await nextEffect(round, pass);
  const saved = await save({ ...round, effect }, pass);
  // What a write came to is stored in any case: against what is in force now.
  if (saved === "redeclared" && writes.length > 0) return { end: "open", record: observation.record, writes };
  if (saved === null || saved === "redeclared") return ended("raced", observation.record);
  if (effect === null) return { ...endedAfter(writes.at(-1), saved), observation, again: transition.again };
  // The component may move meanwhile: its claim moves along, and keeps this worker from writing under the new path, too.
  const write = await pass.deps.claims.during(saved.work, () => carryOut(effect, saved, observation, pass));
  if (write === null) return { ...ended("raced", await giveBack(saved, pass)), observation };
  return { end: "open", record: withWrite(saved, write), writes: [...writes, write] };
}

function endedAfter(written: CloudWrite | undefined, record: Stored<ComponentRecord>): Outcome {
  const error = written?.error ?? null;
  const isFailed = written !== undefined && error !== null && !isMoved(written);
  return { ...ended(isFailed ? "failed" : "settled", record), error };
}

function ended(end: Outcome["end"], record: Stored<ComponentRecord> | null): Outcome {
  return { end, record, observation: null, error: null, again: false };
}

/** The component as the next round must see it: with the id that the cloud gave, and what can't be read back. */
function withWrite(
  record: Stored<ComponentRecord>,
  { effect, error, observation, resourceId, operation }: CloudWrite,
): Stored<ComponentRecord> {
  const found = resourceId === null ? record : { ...record, resource: { ...record.resource, id: resourceId } };
  const placed = operation === null ? found : { ...found, operation };
  if (error !== null || effect === "removeReconcileTag") return placed;
  return { ...placed, applied: { ...placed.applied, ...observation.expectation.writeOnly } };
}

/** A pass corrects, rereads and cleans up; more rounds than this mean that somebody keeps changing the resource. */
const mostRounds = 8;

/** What a round permits and is worth doing now; nothing after a write that failed, nor twice the same without effect. */
async function nextEffect({ observation, transition, writes }: Round, pass: Pass): Promise<Effect | null> {
  const { effect, component, again } = transition;
  const { deps, options } = pass;
  // How an operation failed is told first; what is done about it, a later pass decides.
  if (observation.followed.ended?.failure != null) return null;
  if (effect === null || again || writes.length + 1 >= mostRounds || isOver(options.lease, deps)) return null;
  const { expectation } = observation;
  // A person doesn't wait for the rest after failures.
  const rests = options.lane !== "people" && isAtRest(component, deps);
  const written = writes.at(-1);
  if (written !== undefined && !mayGoOn(observation, written, effect)) return null;
  if (expectation.inForce.system.status !== "Active") return null;
  if (options.redeploy === true && component.step?.mutationId !== lastMutationOf(expectation)) return null;
  if (effect !== "removeReconcileTag" && (isHeldByTagOwner(expectation) || expectation.waitsFor !== null)) return null;
  if (!isWorthwhile(effect, observation, { record: component, expectation, rests })) return null;
  const isAllowed = effect !== "create" || isRedeploy(observation, options);
  return isAllowed || (await dependenciesExist(observation, pass)) ? effect : null;
}

function mayGoOn(now: DirectObservation, written: CloudWrite, effect: Effect): boolean {
  if (written.error !== null) return isMoved(written) && written.error.code !== "InvalidState";
  // What was just made and isn't seen yet is on its way: made again, it would be there twice where the cloud chooses ids.
  if (effect === "create") return written.effect !== "create";
  if (effect !== "correct" || written.effect !== "correct") return true;
  return JSON.stringify(written.observation.changes) !== JSON.stringify(now.changes);
}

async function dependenciesExist({ record, expectation }: DirectObservation, { deps, options }: PassContext) {
  const { dependsOn } = expectation.declared;
  if (dependsOn.length === 0) return true;
  const siblings = await (options.expectations ?? openExpectations(deps)).siblings(record.liveSystemId);
  return dependsOn.every((path) => siblings.get(pathKey(path))?.conditions.exists.value === true);
}
