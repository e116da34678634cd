import { isObject, type JsonObject, type OperationReading, type Written } from "@liveplane/core/clouds";
import { elsewhere } from "../cloud-http/cloud-http.ts";
import { awsRefusal, givenUp } from "./aws-refusals.ts";

/** What Cloud Control says about a request to change a resource. */
export interface AwsProgress {
  readonly token: string;
  /** Absent: AWS hasn't chosen it yet. */
  readonly identifier?: string;
  readonly isDeletion: boolean;
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly pollAfterMs: number;
}

const shortestPollMs = 1_000;
const longestPollMs = 60_000;
const defaultPollMs = 5_000;

/** The progress in an answer. */
export function progressIn({ ProgressEvent }: JsonObject, now: number): AwsProgress {
  const event: JsonObject = isObject(ProgressEvent) ? ProgressEvent : {};
  const { RequestToken, Identifier, Operation, OperationStatus, ErrorCode, StatusMessage, RetryAfter } = event;
  const wait = typeof RetryAfter === "number" ? RetryAfter * 1000 - now : defaultPollMs;
  return {
    token: String(RequestToken),
    ...(typeof Identifier === "string" && { identifier: Identifier }),
    isDeletion: Operation === "DELETE",
    status: String(OperationStatus),
    code: String(ErrorCode ?? OperationStatus),
    message: String(StatusMessage ?? "AWS gave no reason."),
    pollAfterMs: Math.min(Math.max(wait, shortestPollMs), longestPollMs),
  };
}

/** Whether AWS is still processing the request. */
export function isInProgress({ status }: AwsProgress): boolean {
  return status === "PENDING" || status === "IN_PROGRESS" || status === "CANCEL_IN_PROGRESS";
}

/** The state of a request, as the agent follows it. Deleting what is gone is a success. */
export function progressReading(progress: AwsProgress): OperationReading {
  const { status, code, message, pollAfterMs, token } = progress;
  if (isInProgress(progress)) return { state: "working", pollAfterMs };
  if (status === "SUCCESS" || isGone(progress)) return { state: "done" };
  return { state: "failed", code, message, requestId: token };
}

/** A write's answer; throws if AWS has given up already. */
export function writtenBy(progress: AwsProgress): Written {
  const { status, code, message, pollAfterMs, token } = progress;
  if (isInProgress(progress)) return { operation: { address: token, pollAfterMs } };
  if (status === "SUCCESS" || isGone(progress)) return {};
  const details = { reason: code, providerCode: code, providerMessage: message, providerRequestId: token };
  throw awsRefusal({ code, details }) ?? givenUp(code, { retryable: false, details });
}

function isGone({ isDeletion, code }: AwsProgress): boolean {
  return isDeletion && code === "NotFound";
}

/** A stored address, validated again. */
export function requestToken(address: string): string {
  if (!/^[-A-Za-z0-9+/=]{1,128}$/.test(address) || address.includes("//")) throw elsewhere();
  return address;
}
