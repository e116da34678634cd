import { isLiveplaneError } from "../../errors.ts";
import type { ProviderFailure } from "../../ports/cloud.ts";
import { asProviderError } from "../agent/agent-write.ts";
import { type Observed, wordsAbout } from "../protocol/observation.ts";
import { failureIn } from "../protocol/redaction.ts";
import type { Wait } from "./patience.ts";
import type { Failure } from "./step-states.ts";

/** The result of one attempt to delete a component. */
export type Attempt =
  | { readonly state: "gone" }
  | { readonly state: "moved"; readonly failure: Failure }
  | { readonly state: "wait"; readonly wait: Wait; readonly failure: Failure }
  | { readonly state: "failed"; readonly failure: Failure };

/** It may pass. */
export function failing(failure: Failure, afterMs?: number): Attempt {
  const wait = { why: "failing", detail: failure.detail, ...(afterMs !== undefined && { afterMs }) } as const;
  return { state: "wait", wait, failure };
}

export function working(afterMs: number | undefined): Attempt {
  const wait = {
    why: "working",
    detail: "The cloud is still processing an operation.",
    ...(afterMs !== undefined && { afterMs }),
  } as const;
  return {
    state: "wait",
    wait,
    failure: { code: "ProviderTimeout", detail: "The cloud took too long to finish the operation." },
  };
}

/** An accepted deletion failed, in the cloud's own words. */
export function failedBy(failure: ProviderFailure, about: Observed): Failure {
  const detail = "The cloud could not delete the resource.";
  return { code: "ProvisioningFailed", detail, ...wordsAbout(about, failure) };
}

/** The result of a cloud's refusal to delete. */
export function afterError(thrown: unknown, about: Observed): Attempt {
  rethrowStoreFailure(thrown);
  const error = asProviderError(thrown);
  const said = failureIn(error.details);
  const failure = { code: error.code, detail: error.message, ...(said && wordsAbout(about, said)) };
  if (error.code === "PreconditionFailed") return { state: "moved", failure };
  if (error.code === "InvalidState") return working(undefined);
  const { retryAfterSeconds, outcome } = error.details;
  if (!error.retryable && outcome !== "unknown") return { state: "failed", failure };
  return failing(failure, retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000);
}

/** A failure before the cloud was asked. */
export function unclaimed(thrown: unknown): Attempt {
  rethrowStoreFailure(thrown);
  const error = asProviderError(thrown);
  const failure = { code: error.code, detail: error.message };
  return error.retryable ? failing(failure) : { state: "failed", failure };
}

/** A store failure says nothing about the resource: the mutation retries later. */
function rethrowStoreFailure(error: unknown): void {
  if (isLiveplaneError(error, "StoreFailed") || isLiveplaneError(error, "CommitOutcomeUnknown")) throw error;
  if (isLiveplaneError(error, "Aborted")) throw error;
}
