import { createSlots } from "../../records/in-parallel.ts";
import type { Agent } from "../agent/agent.ts";
import type { AgentDeps, NamedLease } from "../agent/agent-deps.ts";
import type { Dependencies } from "../declarations/dependency-order.ts";
import { componentKey, components } from "../records/component-record.ts";
import { causeOf, isRunning, type MutationRecord } from "../records/live-system-record.ts";
import type { StepPause, Tries } from "./converge.ts";
import type { Patience } from "./patience.ts";
import { restingSteps } from "./resting-steps.ts";
import { type Ended, endOf, type StepEnd, stepEnded } from "./step-states.ts";

export interface RunContext {
  readonly agent: Agent;
  readonly deps: AgentDeps;
  readonly patience: Patience;
  /** Somebody asks for a newer mutation: steps don't rest any more. */
  readonly woken: AbortSignal;
  readonly lease?: NamedLease;
}

/** Records the result of a component's step, once. An interrupted one continues later. */
export async function endStep(
  { deps }: RunContext,
  path: string,
  end: StepEnd | { readonly state: "blocked" },
  mutation: MutationRecord,
): Promise<void> {
  if (end.state === "interrupted") return;
  const key = componentKey(mutation.liveSystemId, path);
  await deps.records.change(causeOf(mutation), async (change) => {
    const record = await change.get(components, key);
    if (record === null || endOf(record, mutation) !== null || !(await isRunning(change, mutation))) return;
    change.put(components, { ...record, step: stepEnded(mutation.id, end) });
  });
}

/** Steps that depend on each other. */
export interface OrderedSteps {
  readonly order: Dependencies;
  /** How a step ended in an earlier try; `null` if it must still run. */
  readonly endedBefore: (path: string) => Ended | null;
  readonly take: (path: string, tries: Tries) => Promise<StepPause | Pick<StepEnd, "state">>;
  /** Continues a step that was started and has waited. */
  readonly goOn: (path: string, tries: Tries) => Promise<StepPause | Pick<StepEnd, "state">>;
  /** Records that a step isn't started because an earlier one failed. */
  readonly block: (path: string) => Promise<void>;
  readonly context: Pick<RunContext, "deps" | "lease" | "woken">;
}

/** The progress of steps. `interrupted`: some continue later, or, if all the rest wait for a cloud, after this time. */
export type Progress = { readonly state: "done" } | { readonly state: "interrupted"; readonly afterMs: number | null };

const atOnce = 8;

/** Runs steps in order, this many at once. A failed or waiting step doesn't stop independent ones; its dependents aren't started. */
export async function takeInOrder({ order, endedBefore, take, goOn, block, context }: OrderedSteps): Promise<Progress> {
  const gate = createSlots(atOnce);
  const { runtime, sharing } = context.deps;
  const { lease, woken } = context;
  const steps = restingSteps(order, { clock: runtime.clock, lease, woken, areRunsScarce: sharing.work });
  const ends = new Map<string, Promise<Ended | "interrupted">>();
  const endOf = (path: string): Promise<Ended | "interrupted"> => {
    const begun = ends.get(path) ?? go(path).finally(() => steps.ended(path));
    ends.set(path, begun);
    return begun;
  };
  const go = async (path: string): Promise<Ended | "interrupted"> => {
    await Promise.resolve();
    const done = endedBefore(path);
    if (done !== null) return done;
    const before = await Promise.all((order.get(path) ?? []).map(endOf));
    if (before.includes("interrupted")) return "interrupted";
    if (before.includes("failed") || before.includes("blocked")) {
      await block(path);
      return "blocked";
    }
    const tries = { unsettled: 0, moved: 0 };
    let end = await gate(() => take(path, tries));
    while (end.state === "waiting") {
      if (!(await steps.rest(end.afterMs))) return "interrupted";
      end = await gate(() => goOn(path, tries));
    }
    return end.state;
  };
  const all = await Promise.allSettled([...order.keys()].map(endOf));
  for (const end of all) if (end.status === "rejected") throw end.reason;
  const isDone = all.every((end) => end.status === "fulfilled" && end.value !== "interrupted");
  return isDone ? { state: "done" } : { state: "interrupted", afterMs: steps.afterMs };
}
