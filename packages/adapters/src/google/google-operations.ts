import { type CloudCall, isObject, type JsonObject } from "@liveplane/core/clouds";
import { type ErrorCode, isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { GoogleDialect } from "./google-dialects.ts";

/** What watching an operation needs. */
export interface OperationDeps {
  /** Reads a path of a service. */
  readonly get: (service: string, path: string, call: CloudCall) => Promise<JsonObject>;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly now: () => number;
  /** How long an operation is watched. */
  readonly waitMs: number;
}

const pausesMs = [250, 500, 1000, 2000];

/**
 * Watches the operation that an answer names, if it names one, to its end. What goes wrong in it is thrown; one that takes longer
 * than it is watched has an unknown outcome, as has one that can't be watched.
 */
export async function settled(
  deps: OperationDeps,
  {
    dialect,
    resourceId,
    body,
  }: {
    readonly dialect: Pick<GoogleDialect, "service" | "operation">;
    readonly resourceId: string;
    readonly body: JsonObject;
  },
  call: CloudCall,
): Promise<void> {
  const path = dialect.operation(resourceId, body);
  if (path === null) return;
  const end = deps.now() + deps.waitMs;
  let operation = body;
  for (let turn = 0; !isDone(operation); turn++) {
    if (deps.now() >= end) throw unknown("ProviderTimeout", "Google is still at it.");
    operation = await lookAgain(deps, { service: dialect.service, path, turn }, call);
  }
  refuseFailed(operation);
}

async function lookAgain(
  { get, sleep }: OperationDeps,
  { service, path, turn }: { readonly service: string; readonly path: string; readonly turn: number },
  call: CloudCall,
): Promise<JsonObject> {
  try {
    await sleep(pausesMs[Math.min(turn, pausesMs.length - 1)] ?? 0, call.signal);
    return await get(service, path, call);
  } catch (error) {
    const code = isLiveplaneError(error, "Aborted") ? "Aborted" : "ProviderError";
    throw unknown(code, "What became of the operation was not found out.");
  }
}

function isDone({ status, done }: JsonObject): boolean {
  return done === true || status === "DONE";
}

function unknown(code: "Aborted" | "ProviderError" | "ProviderTimeout", message: string): LiveplaneError {
  return new LiveplaneError(code, message, { retryable: code !== "Aborted", details: { outcome: "unknown" } });
}

/** What the words of operations mean. Compute Engine has words of its own, the others those of gRPC by number. */
const meanings: Readonly<Record<string, ErrorCode>> = {
  RESOURCE_ALREADY_EXISTS: "AlreadyExists",
  "6": "AlreadyExists",
  RESOURCE_NOT_FOUND: "NotFound",
  "5": "NotFound",
  CONDITION_NOT_MET: "PreconditionFailed",
  PERMISSION_DENIED: "ProviderCredentialsRejected",
  "7": "ProviderCredentialsRejected",
  RATE_LIMIT_EXCEEDED: "RateLimited",
  "8": "RateLimited",
};

function refuseFailed({ error }: JsonObject): void {
  if (!isObject(error)) return;
  const [first] = Array.isArray(error.errors) ? error.errors : [];
  const word = String((isObject(first) ? first.code : error.code) ?? "");
  const meaning = meanings[word];
  const details = { ...(/^[\w.-]{1,64}$/.test(word) && { reason: word }) };
  if (meaning === "RateLimited")
    throw new LiveplaneError(meaning, undefined, { details: { ...details, retryAfterSeconds: 10 } });
  if (meaning !== undefined) throw new LiveplaneError(meaning, undefined, { details });
  throw new LiveplaneError("ProviderError", "Google could not do it.", {
    retryable: word === "10" || word === "14",
    details,
  });
}
