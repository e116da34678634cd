import { LiveplaneError } from "@liveplane/core/errors";
import type { CloudRefusal } from "../cloud-http/cloud-http.ts";

const throttled = new Set(["Throttling", "ThrottlingException", "ThrottledException", "RequestLimitExceeded"]);

const rejected = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "ExpiredToken",
  "ExpiredTokenException",
  "IncompleteSignature",
  "InvalidClientTokenId",
  "InvalidCredentials",
  "InvalidCredentialsException",
  "InvalidSignatureException",
  "MissingAuthenticationTokenException",
  "SignatureDoesNotMatch",
  "UnauthorizedTaggingOperation",
  "UnrecognizedClientException",
]);

const busy = new Set([
  "ConcurrentModificationException",
  "ConcurrentOperationException",
  "ResourceConflict",
  "ResourceConflictException",
]);

/** AWS had a failure, so that trying again may help. */
const passing = new Set([
  "GeneralServiceException",
  "InternalFailure",
  "NetworkFailure",
  "NetworkFailureException",
  "NotStabilized",
  "NotStabilizedException",
  "ServiceInternalError",
  "ServiceInternalErrorException",
  "ServiceTimeout",
]);

type Details = CloudRefusal["details"];

/** AWS answers most refusals with 400, so its word decides. The failures of operations use the same words without `Exception`. */
export function awsRefusal({ code, details }: Pick<CloudRefusal, "code" | "details">): LiveplaneError | null {
  if (code === null) return null;
  if (throttled.has(code))
    return new LiveplaneError("RateLimited", "AWS is throttling requests.", {
      details: { retryAfterSeconds: 5, ...details },
    });
  if (rejected.has(code)) return new LiveplaneError("ProviderCredentialsRejected", undefined, { details });
  if (busy.has(code))
    return new LiveplaneError("InvalidState", "AWS is still processing another change to this resource.", { details });
  if (/^(ResourceNotFoundException|NotFound)$/.test(code))
    return new LiveplaneError("NotFound", "AWS has no such resource.", { details });
  if (/^AlreadyExists(Exception)?$/.test(code))
    return new LiveplaneError("AlreadyExists", "A resource with this identifier already exists.", { details });
  return passing.has(code) ? givenUp(code, { retryable: true, details }) : null;
}

/** The error of an operation that AWS gave up. */
export function givenUp(
  code: string,
  options: { readonly retryable: boolean; readonly details: Details },
): LiveplaneError {
  return new LiveplaneError("ProviderError", `AWS refused with ${code}.`, options);
}

/** The error of a write whose condition doesn't hold. */
export function tagIsGone(): LiveplaneError {
  return new LiveplaneError("PreconditionFailed", "The resource no longer has the tag that the write depends on.");
}
