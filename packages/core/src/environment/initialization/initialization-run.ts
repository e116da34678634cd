import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import type { CloudCredentials, CloudTarget, StepPlan } from "../../ports/cloud.ts";
import type { Sealed } from "../../ports/secrets.ts";
import type { Json } from "../../ports/store.ts";
import type { Claim } from "../../records/claim.ts";
import { collection } from "../../records/collection.ts";
import type { InitializationSummary } from "../environment-record.ts";

/** The names of the clouds that an environment can be initialized in. */
export type Provider = "provider-a" | "provider-b";

/** Where an environment is initialized, in the cloud's terms. */
export type RunTarget =
  | { readonly tenantId: string | null; readonly subscriptionId: string }
  | { readonly organizationId: string | null; readonly projectId: string };

export type RunStatus = "InProgress" | "Completed" | "Failed" | "Cancelled";

export interface RunStep {
  readonly name: string;
  readonly description: string;
  readonly order: number;
  readonly resourceName: string | null;
  readonly resourceType: string | null;
  readonly status: RunStatus | "NotStarted";
  readonly message: string | null;
  readonly retryCount: number;
  readonly outputFields: Readonly<Record<string, Json>>;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

export interface SealedCredentials extends Omit<CloudCredentials, "secret"> {
  readonly sealed: Sealed;
}

/** The latest initialization run of an environment in a cloud. */
export interface InitializationRunRecord {
  readonly id: string;
  readonly environment: EnvironmentRef;
  readonly provider: Provider;
  /** The name from which its resources' names are derived. */
  readonly name: string;
  readonly target: RunTarget;
  /** As requested; `null` means the first location. */
  readonly wantedRegion: string | null;
  readonly region: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly status: RunStatus;
  readonly steps: readonly RunStep[];
  readonly requester: string;
  readonly requestId: string;
  /** Wiped when the run ends. */
  readonly credentials: SealedCredentials | null;
  /** The claim of the worker that runs it. */
  readonly claim: Claim | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The runs: one for each environment and cloud, a new one replaces the old. */
export const runs = collection<InitializationRunRecord>()("initialization-run", {
  key: runKey,
  indexes: { underWay: ({ status, createdAt }) => (status === "InProgress" ? [[createdAt]] : []) },
});

/** The key of an environment's run in a cloud. */
export function runKey({ environment, provider }: Pick<InitializationRunRecord, "environment" | "provider">): string[] {
  return [environmentName(environment), provider];
}

/** The name of the job that executes an environment's run in a cloud. */
export function shardOf(run: Pick<InitializationRunRecord, "environment" | "provider">): string {
  return runKey(run).join("/");
}

export function runKeyOf(shard: string): string[] {
  const at = shard.lastIndexOf("/");
  return [shard.slice(0, at), shard.slice(at + 1)];
}

export function credentialsPlace({
  environment,
  provider,
  id,
}: Pick<InitializationRunRecord, "environment" | "provider" | "id">) {
  return ["initialization-run", environmentName(environment), provider, id];
}

export function plannedSteps(plans: readonly StepPlan[]): RunStep[] {
  return plans.map((plan, at) => ({
    ...plan,
    order: at + 1,
    status: "NotStarted",
    message: null,
    retryCount: 0,
    outputFields: {},
    startedAt: null,
    completedAt: null,
  }));
}

/** The step at which a run continues; `null` if all are done. */
export function nextStep({ steps }: InitializationRunRecord): RunStep | null {
  return steps.find(({ status }) => status !== "Completed") ?? null;
}

/** The run with a step started. After a crash, the step keeps its first start time. */
export function withStepBegun(run: InitializationRunRecord, name: string, now: string): InitializationRunRecord {
  return withStep(run, name, now, (step) => ({ ...step, status: "InProgress", startedAt: step.startedAt ?? now }));
}

/** The run with a step to retry. */
export function withStepRetried(run: InitializationRunRecord, name: string, message: string, now: string) {
  return withStep(run, name, now, (step) => ({ ...step, message, retryCount: step.retryCount + 1 }));
}

/** The run with a step done; the last one completes the run. */
export function withStepDone(
  run: InitializationRunRecord,
  name: string,
  outputFields: RunStep["outputFields"],
  now: string,
) {
  const done = withStep(run, name, now, (step) => ({
    ...step,
    status: "Completed",
    message: null,
    outputFields,
    completedAt: now,
  }));
  return nextStep(done) === null ? ended(done, "Completed", now) : done;
}

/** The run after a step has failed. Later steps stay unstarted. */
export function withStepFailed(run: InitializationRunRecord, name: string, message: string, now: string) {
  const failed = withStep(run, name, now, (step) => ({ ...step, status: "Failed", message, completedAt: now }));
  return ended(failed, "Failed", now);
}

/** The run after somebody cancelled it: unfinished steps are cancelled. */
export function withRunCancelled(run: InitializationRunRecord, now: string): InitializationRunRecord {
  const steps = run.steps.map((step) =>
    step.status === "Completed" ? step : { ...step, status: "Cancelled" as const, completedAt: now },
  );
  return ended({ ...run, steps }, "Cancelled", now);
}

/** The subscription or project of a target. */
export function targetScopeOf(target: RunTarget): string {
  return "projectId" in target ? target.projectId : target.subscriptionId;
}

/** A run as shown on its environment. */
export function toInitializationSummary({
  id,
  status,
  target,
  region,
  updatedAt,
}: InitializationRunRecord): InitializationSummary {
  const completedAt = status === "Completed" ? updatedAt : null;
  return { runId: id, status, target: targetScopeOf(target), region, completedAt };
}

/** The target of a run, as the cloud port takes it. */
export function cloudTarget({
  target,
  region,
  steps,
}: Pick<InitializationRunRecord, "target" | "region" | "steps">): CloudTarget {
  const place = { region: region ?? "" };
  const zone = steps.find(({ outputFields }) => typeof outputFields.zone === "string")?.outputFields.zone;
  if ("projectId" in target) return { scope: target.projectId, ...place, ...(typeof zone === "string" && { zone }) };
  const group = steps.find(({ name }) => name === "resource-group")?.outputFields.name;
  return {
    scope: target.subscriptionId,
    ...place,
    ...(target.tenantId !== null && { tenantId: target.tenantId }),
    ...(typeof group === "string" && { container: group }),
  };
}

/** The outputs so far, by step. */
export function stepOutputs({ steps }: InitializationRunRecord): Record<string, RunStep["outputFields"]> {
  return Object.fromEntries(
    steps.filter(({ status }) => status === "Completed").map(({ name, outputFields }) => [name, outputFields]),
  );
}

function withStep(run: InitializationRunRecord, name: string, now: string, change: (step: RunStep) => RunStep) {
  const steps = run.steps.map((step) => (step.name === name ? change(step) : step));
  return { ...run, steps, updatedAt: now };
}

function ended(run: InitializationRunRecord, status: RunStatus, now: string): InitializationRunRecord {
  return { ...run, status, credentials: null, claim: null, updatedAt: now };
}
