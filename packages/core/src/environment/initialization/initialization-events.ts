import type { Change } from "../../records/records.ts";
import { emitEnvironment, environments, requireEnvironment } from "../environment-record.ts";
import { type InitializationRunRecord, toInitializationSummary } from "./initialization-run.ts";

type Run = InitializationRunRecord;

/** Copies a run's state to its environment, whose status depends on it. Throws `NotFound` if the environment is gone. */
export async function markRun(change: Change, run: Run, by: string): Promise<void> {
  const record = await requireEnvironment(change, run.environment);
  const initializations = { ...record.initializations, [run.provider]: toInitializationSummary(run) };
  change.put(environments, { ...record, initializations, updatedAt: run.updatedAt, updatedBy: by });
}

export function emitRun(change: Change, run: Run, what: "started" | "completed" | "failed" | "cancelled"): void {
  const { environment, provider, id, status } = run;
  emitEnvironment(change, environment, {
    type: `environment.initialization.${what}`,
    data: { provider, runId: id, status, requester: run.requester },
  });
}

/** Emits the progress of a step. */
export function emitStep(change: Change, { environment, provider, id, steps }: Run, name: string): void {
  const step = steps.find((one) => one.name === name);
  if (step === undefined) return;
  emitEnvironment(change, environment, {
    type: "environment.initialization.step_changed",
    data: { provider, runId: id, step: name, order: step.order, status: step.status, retryCount: step.retryCount },
  });
}
