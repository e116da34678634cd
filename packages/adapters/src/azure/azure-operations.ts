import {
  type Cloud,
  type CloudOperation,
  isObject,
  type JsonObject,
  type OperationReading,
  type ProviderFailure,
  type ResourceRef,
} from "@liveplane/core/clouds";
import { isLiveplaneError, type LiveplaneError } from "@liveplane/core/errors";
import { type CloudResponse, ownUrl, retryAfter } from "../cloud-http/cloud-http.ts";
import { apiVersionOf } from "./azure-kinds.ts";
import { type AzureRequests, isOwnPath, subscriptionOf } from "./azure-requests.ts";

const underway = new Set([
  "inprogress",
  "running",
  "accepted",
  "creating",
  "updating",
  "deleting",
  "provisioning",
  "notstarted",
]);
const notNow = new Set(["ProviderCredentialsRejected", "ProviderTimeout", "RateLimited", "Aborted"]);

/** How Azure's operations are started and followed. */
export interface AzureOperations {
  /**
   * How to follow a write by its answer; `undefined` if it is done. If the answer names no operation, the resource itself can be followed.
   */
  begun(response: CloudResponse, ref?: ResourceRef): { readonly operation?: CloudOperation };
  readonly follow: NonNullable<Cloud["follow"]>;
}

/**
 * Follows Azure's operations: by the address of their status (`Azure-AsyncOperation`), or of their result (`Location`), which answers 202
 * until it is ready. A service that names neither shows its progress on the resource. Addresses are stored as a path after a word for their
 * kind; one with another origin isn't stored.
 */
export function azureOperations(options: {
  readonly managementUrl: string;
  readonly now: () => number;
  readonly requests: Pick<AzureRequests, "sendTo">;
}): AzureOperations {
  const { managementUrl, now, requests } = options;

  function addressIn({ headers, status, body }: CloudResponse): string | null {
    const state = headers.get("azure-asyncoperation");
    if (state !== null) return ownAddress("state", state, managementUrl);
    const result = headers.get("location");
    if (result === null || (status !== 202 && isSettled(body))) return null;
    return ownAddress("result", result, managementUrl);
  }
  const paced = (headers: Headers) => {
    const seconds = retryAfter(headers, now());
    return seconds === null ? {} : { pollAfterMs: seconds * 1000 };
  };

  return {
    begun(response, ref) {
      const address = addressIn(response) ?? (isSettled(response.body) ? null : addressOf(ref));
      return address === null ? {} : { operation: { address, ...paced(response.headers) } };
    },
    async follow({ resourceId }, { address }, call) {
      const parsed = /^(state|result|resource) (\/subscriptions\/[^/]+\/.+)$/.exec(address);
      if (parsed === null || !isOwnPath(resourceId)) return { state: "gone" };
      const [, kind, at = ""] = parsed;
      try {
        const isOfEnd = kind === "result";
        const answer = await requests.sendTo(subscriptionOf(at), { method: "GET", at, isOfEnd }, call);
        const reading = readings[kind as keyof typeof readings](answer);
        if (reading.state !== "working") return reading;
        const moved = addressIn(answer);
        return { ...reading, ...paced(answer.headers), ...(moved !== null && moved !== address && { address: moved }) };
      } catch (error) {
        if (!isLiveplaneError(error) || error.code === "Aborted") throw error;
        return kind === "result" ? refusedResult(error) : unreadable(error);
      }
    },
  };
}

function addressOf(ref: ResourceRef | undefined): string | null {
  return ref === undefined ? null : `resource ${ref.resourceId}?api-version=${apiVersionOf(ref.type)}`;
}

function ownAddress(kind: "state" | "result", text: string, managementUrl: string): string | null {
  try {
    const { pathname, search } = ownUrl(managementUrl, text);
    return /^\/subscriptions\/[^/]+\//i.test(pathname) ? `${kind} ${pathname}${search}` : null;
  } catch {
    return null;
  }
}

/** A body without a status means that it is finished. */
function isSettled({ properties }: JsonObject): boolean {
  const state = isObject(properties) ? properties.provisioningState : undefined;
  return typeof state !== "string" || /^(succeeded|failed|canceled)$/i.test(state);
}

function stateOf({ body, headers }: CloudResponse): OperationReading {
  const status = typeof body.status === "string" ? body.status.toLowerCase() : "succeeded";
  if (status === "succeeded") return { state: "done" };
  if (status === "failed" || status === "canceled") return { state: "failed", ...failureIn(body, headers) };
  const { percentComplete: percent } = body;
  const progress = typeof percent === "number" ? { progress: Math.max(0, Math.min(100, percent)) } : {};
  return { state: "working", ...progress };
}

/** Some services answer a status at the address of the result. */
function resultOf(answer: CloudResponse): OperationReading {
  const { status, body } = answer;
  if (status === 202) return { state: "working" };
  const says = typeof body.status === "string" && body.id === undefined ? body.status.toLowerCase() : null;
  return says !== null && (underway.has(says) || says === "failed" || says === "canceled")
    ? stateOf(answer)
    : { state: "done" };
}

const readings = { state: stateOf, result: resultOf, resource: progressOf };

/** What the resource itself says about the last write. */
function progressOf({ body }: CloudResponse): OperationReading {
  if (!isSettled(body)) return { state: "working" };
  const state = isObject(body.properties) ? String(body.properties.provisioningState) : "";
  if (!/^(failed|canceled)$/i.test(state)) return { state: "done" };
  return { state: "failed", code: state, message: "Azure reports that the last write to this resource failed." };
}

/** The reason of a failure in an operation's own record. */
function failureIn(body: JsonObject, headers: Headers): ProviderFailure {
  const inner = isObject(body.properties) ? body.properties.error : undefined;
  const error = [body.error, inner].find(isObject) ?? {};
  const requestId = headers.get("x-ms-request-id");
  return {
    code: typeof error.code === "string" ? error.code : String(body.status),
    message:
      typeof error.message === "string" ? error.message : "Azure reported that the operation failed, without a reason.",
    ...(requestId !== null && { requestId }),
  };
}

function unreadable({ code, details, retryable }: LiveplaneError): OperationReading {
  if (code === "NotFound" || (code === "ProviderError" && !retryable)) return { state: "gone" };
  const { retryAfterSeconds: seconds } = details;
  return { state: "unreadable", reason: code, ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }) };
}

/** At the address of a result, an error means that the operation failed, unless it is about the request itself. */
function refusedResult(error: LiveplaneError): OperationReading {
  const { code, details, retryable } = error;
  const { providerCode, providerMessage, providerRequestId } = details;
  if (code === "NotFound" || retryable || notNow.has(code) || typeof providerCode !== "string")
    return unreadable(error);
  return {
    state: "failed",
    code: providerCode,
    message: typeof providerMessage === "string" ? providerMessage : error.message,
    ...(typeof providerRequestId === "string" && { requestId: providerRequestId }),
  };
}
