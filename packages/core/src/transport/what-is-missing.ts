import { pathInWords } from "../contract/path-in-words.ts";
import type { OperationId } from "../contract/routes.ts";
import { errorCodes, isLiveplaneError, LiveplaneError } from "../errors.ts";

/**
 * A refusal that only says `NotFound` names what the path names. The words come from the request alone, so that a hidden thing and a missing
 * one have the same.
 */
export function namingWhatIsMissing(
  refusal: unknown,
  { operation, params }: { readonly operation: OperationId; readonly params: Readonly<Record<string, string>> },
): unknown {
  if (!isLiveplaneError(refusal, "NotFound") || refusal.message !== errorCodes.NotFound[1]) return refusal;
  const named = pathInWords(operation, params).slice(-2);
  if (named.length === 0) return refusal;
  const words = named.toReversed().join(" of the ");
  const { cause, details, retryable, status, requestId } = refusal;
  const options = { cause, details, retryable, status, requestId };
  return new LiveplaneError("NotFound", `There is no ${words}, or you may not view it.`, options);
}
