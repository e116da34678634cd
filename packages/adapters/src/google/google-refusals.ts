import { isObject, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { CloudRefusal } from "../cloud-http/cloud-http.ts";

const slowDown = new Set(["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"]);
const quota = new Set(["quotaExceeded", "QUOTA_EXCEEDED", "limitExceeded", "dailyLimitExceeded"]);
const disabled = new Set(["SERVICE_DISABLED", "accessNotConfigured"]);
const noBilling = new Set(["BILLING_DISABLED", "accountDisabled"]);
const underWay = new Set(["resourceNotReady", "operationInProgress"]);

/** What services say of a service account that they haven't heard of yet: it takes a new one up to some minutes. */
const notYetKnown =
  /\bservice account \S+ (does not exist|\(or it may not exist\))|of type 'serviceAccount' was not found/i;

/**
 * The meaning of Google's refusals where it differs from their status: an exceeded quota, an organization's policy or a disabled service
 * come as 403 and 412, like missing rights and changed resources. `null` to use the status.
 */
export function googleRefusal({ status, code, message, details, body }: CloudRefusal): LiveplaneError | null {
  const words = [reasonIn(body), code].filter((word) => word !== null);
  const is = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  const told = (reason: string, text: string) =>
    new LiveplaneError("ProviderError", text, { retryable: false, details: { ...details, reason } });
  if (is(slowDown))
    return new LiveplaneError("RateLimited", "Google is throttling requests.", {
      details: { retryAfterSeconds: 10, ...details },
    });
  if (is(underWay))
    return new LiveplaneError("InvalidState", "Google is still processing another change to this resource.", {
      details,
    });
  if (/\bconstraints\/[\w.-]+/.test(message)) return told("PolicyRefused", "An organization policy forbids it.");
  // A 404 may be the answer to a read of the account itself.
  if ((status === 404 ? /of type 'serviceAccount'/ : notYetKnown).test(message))
    return new LiveplaneError("ProviderError", "The service doesn't know the service account yet.", {
      retryable: true,
      details: { ...details, reason: "NotYetKnown" },
    });
  if (status !== 403) return null;
  if (is(disabled)) return told("ServiceDisabled", "The service is disabled in this project.");
  if (is(noBilling)) return told("BillingDisabled", "Billing is disabled for this project.");
  if (is(quota)) return told("QuotaExceeded", "The project's quota is used up.");
  return null;
}

/** The reason that newer services add to their status. */
function reasonIn({ error }: JsonObject): string | null {
  const details = isObject(error) && Array.isArray(error.details) ? error.details : [];
  const info = details.find((one) => isObject(one) && String(one["@type"]).endsWith("google.rpc.ErrorInfo"));
  return isObject(info) && typeof info.reason === "string" ? info.reason : null;
}

const taken = new Set([
  "conflict",
  "alreadyExists",
  "ALREADY_EXISTS",
  "instanceAlreadyExists",
  "databaseAlreadyExists",
]);

/** The error of a creation whose ID is taken. */
export function asTaken(error: unknown): never {
  if (isLiveplaneError(error) && taken.has(String(error.details.reason)))
    throw new LiveplaneError("AlreadyExists", "A resource with this ID already exists.");
  throw error;
}

/** The error of a deletion if something is in the resource, or needs it. */
export function asInUse(error: unknown): never {
  if (!isLiveplaneError(error, "ProviderError") || !taken.has(String(error.details.reason))) throw error;
  const { details } = error;
  throw new LiveplaneError(
    "ProviderError",
    "Google can't delete it because it isn't empty or something depends on it.",
    {
      retryable: false,
      details: { ...details, reason: "NotEmpty" },
    },
  );
}

const movedWords = new Set(["ABORTED", "FAILED_PRECONDITION"]);

/** The error of a write bound to an outdated state. */
export function asMoved(state: string | null) {
  return (error: unknown): never => {
    if (!isLiveplaneError(error, "ProviderError")) throw error;
    const { reason, providerMessage } = error.details;
    const isWord = movedWords.has(String(reason));
    const isBound = state !== null && (reason === "ABORTED" || /etag|fingerprint/i.test(String(providerMessage)));
    if (isWord && isBound) throw hasChanged();
    // Another write came first, and nothing of this one was carried out.
    if (reason === "ABORTED")
      throw new LiveplaneError("InvalidState", "Google is still processing another change to this resource.");
    throw error;
  };
}

/** The error of a write bound to an outdated state. */
export function hasChanged(): LiveplaneError {
  return new LiveplaneError("PreconditionFailed", "The resource has changed.");
}
