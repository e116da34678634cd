import { isLiveplaneError, LiveplaneError } from "../errors.ts";

/** A refusal of a token operation, with the word that RFC 6749 has for it beside the code. */
export function inTokenWords(refusal: unknown): unknown {
  if (!isLiveplaneError(refusal) || refusal.details.error !== undefined) return refusal;
  const { code, message, cause, retryable, status } = refusal;
  const details = { ...refusal.details, error: wordOf(refusal) };
  return new LiveplaneError(code, message, { cause, details, retryable, status });
}

function wordOf({ status, details: { errors = [] } }: LiveplaneError): string {
  if (errors.some(({ pointer, code }) => pointer === "#/grant_type" && code === "Enum"))
    return "unsupported_grant_type";
  if (status === 401) return "invalid_client";
  if (status === 429 || status === 503) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
}
