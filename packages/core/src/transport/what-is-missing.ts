import { operationsById } from "../contract/operations/operations.ts";
import { ownerInWords, pathInWords } from "../contract/path-in-words.ts";
import type { OperationId } from "../contract/routes.ts";
import type { Operation } from "../contract/row.ts";
import { errorCodes, isLiveplaneError, LiveplaneError } from "../errors.ts";

/**
 * A refusal that only says `NotFound` names what the path names, and a creation's names the owner. The words come from the request alone, so
 * that a hidden thing and a missing one have the same.
 */
export function namingWhatIsMissing(
  refusal: unknown,
  { operation, params }: { readonly operation: OperationId; readonly params: Readonly<Record<string, string>> },
): unknown {
  if (!isLiveplaneError(refusal, "NotFound") || refusal.message !== errorCodes.NotFound[1]) return refusal;
  const [thing, container] = pathInWords(operation, params).toReversed();
  if (thing === undefined) return refusal;
  const { access }: Operation = operationsById[operation];
  const isCreation = "on" in access && access.rules?.some((rule) => rule === "creates" || rule === "createsNew");
  const owner = container ?? ownerInWords(params);
  const message =
    owner !== null && isCreation
      ? `There is no ${owner}, or you may not view it or its ${thing}.`
      : `There is no ${container === undefined ? thing : `${thing} of the ${container}`}, or you may not view it.`;
  const { cause, details, retryable, status, requestId } = refusal;
  const options = { cause, details, retryable, status, requestId };
  return new LiveplaneError("NotFound", message, options);
}
