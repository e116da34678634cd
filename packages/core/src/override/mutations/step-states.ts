import type { ProviderWords } from "../protocol/redaction.ts";
import type { ComponentRecord, MutationStep } from "../records/component-record.ts";
import type { MutationRecord } from "../records/live-system-record.ts";

/** Why a step failed. */
export interface Failure extends Partial<ProviderWords> {
  readonly code: string;
  readonly detail: string;
}

/** How a step ended by what was done for it. */
export type CompletedStep = { readonly state: "converged" | "held" } | ({ readonly state: "failed" } & Failure);

/** How far a mutation came with one component. `interrupted`: it continues later. */
export type StepEnd = { readonly state: "interrupted" } | CompletedStep;

/** The possible results of a step, for those that depend on it. */
export type Ended = CompletedStep["state"] | "blocked";

/** A continued step keeps the time that it has already waited. */
export function begunStep(known: MutationStep | null, { id }: MutationRecord): MutationStep {
  if (known?.mutationId === id && known.state === "begun") return known;
  return { mutationId: id, state: "begun", error: null };
}

/** A step with its result. */
export function stepEnded(mutationId: string, end: CompletedStep | { readonly state: "blocked" }): MutationStep {
  if (end.state !== "failed") return { mutationId, state: end.state, error: null };
  const { state, ...error } = end;
  return { mutationId, state, error };
}

/** How a component's step ended; `null` if it hasn't. A blocked one may continue after what it waits for. */
export function endOf({ step }: ComponentRecord, { id }: MutationRecord): CompletedStep["state"] | null {
  if (step === null || step.mutationId !== id) return null;
  const { state } = step;
  return state === "converged" || state === "held" || state === "failed" ? state : null;
}
