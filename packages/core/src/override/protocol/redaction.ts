import type { ErrorDetails } from "../../errors.ts";
import { isObject, isWithin, type JsonObject, mapOwn, stepsOf } from "../../json-pointer.ts";
import type { ProviderFailure } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";

/** What is read in the place of a secret. */
export const redacted = "[redacted]";

/** Shorter secrets are only hidden where they are the whole of a text: as a part of it they mean nothing. */
const shortestPart = 4;

/** The value with every occurrence of a secret hidden: as a whole value or as a part of a longer text. */
export function scrub(value: Json, secrets: readonly Json[]): Json {
  if (secrets.length === 0) return value;
  if (typeof value === "string") return scrubText(value, secrets);
  if (Array.isArray(value)) return value.map((item) => scrub(item, secrets));
  if (isObject(value)) return mapOwn(value, (member) => scrub(member, secrets));
  return value !== null && typeof value !== "boolean" && secrets.includes(value) ? redacted : value;
}

function scrubText(text: string, secrets: readonly Json[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (typeof secret !== "string" || secret === "") continue;
    if (shown === secret) return redacted;
    if (secret.length >= shortestPart) shown = shown.replaceAll(secret, redacted);
  }
  return shown;
}

/** Where parameters are from: declared here, or from outside. */
type Origin = "declared" | "foreign";

/**
 * The value, which stands at `pointer`, with what stands at the secret pointers hidden. In a value that came from
 * outside the elements of an array may stand elsewhere: there a secret element hides the same place in all of them.
 */
export function hideSecrets(value: Json, pointer: string, secrets: readonly string[], from: Origin = "declared"): Json {
  let hidden = value;
  for (const secret of secrets) {
    if (isWithin(pointer, secret)) return redacted;
    if (isWithin(secret, pointer)) hidden = hideAt(hidden, stepsOf(secret.slice(pointer.length)), from);
  }
  return hidden;
}

function hideAt(value: Json, [step, ...rest]: readonly string[], from: Origin): Json {
  if (step === undefined) return redacted;
  if (Array.isArray(value)) {
    return value.map((item, at) => (from === "foreign" || String(at) === step ? hideAt(item, rest, from) : item));
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  return mapOwn(value, (member, name) => (name === step ? hideAt(member, rest, from) : member));
}

/**
 * Every text and number that stands at the secret pointers: what `scrub` looks for elsewhere. In parameters that came from
 * outside, what stands there is as secret, though it is another value: that of an older version, or one set by hand.
 */
export function secretValues(parameters: JsonObject, secrets: readonly string[], from: Origin = "declared"): Json[] {
  return secrets.flatMap((pointer) => valuesAt(parameters, stepsOf(pointer), from));
}

function valuesAt(value: Json | undefined, [step, ...rest]: readonly string[], from: Origin): Json[] {
  if (step === undefined) return scalarsIn(value);
  if (from === "foreign" && Array.isArray(value)) return value.flatMap((item) => valuesAt(item, rest, from));
  const holds = typeof value === "object" && value !== null && Object.hasOwn(value, step);
  return holds ? valuesAt((value as JsonObject)[step], rest, from) : [];
}

function scalarsIn(value: Json | undefined): Json[] {
  if (typeof value === "string" || typeof value === "number") return [value];
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  return isObject(value) ? Object.values(value).flatMap(scalarsIn) : [];
}

/** What a cloud said of a failure, fit to be stored and shown. */
export interface ProviderWords {
  readonly providerCode: string;
  readonly providerMessage: string;
  readonly providerRequestId?: string;
}

const longestMessage = 1024;
const longestName = 128;

/** A cloud's words with every known secret taken out, cut to what fits. */
export function wordsOf({ code, message, requestId }: ProviderFailure, secrets: readonly Json[]): ProviderWords {
  const shown = (text: string, most: number) => String(scrub(text, secrets)).slice(0, most);
  return {
    providerCode: shown(code, longestName),
    providerMessage: shown(message, longestMessage),
    ...(requestId !== undefined && { providerRequestId: shown(requestId, longestName) }),
  };
}

/** The cloud's own words in an error's details; `null`: there are none. */
export function failureIn({ providerCode, providerMessage, providerRequestId }: ErrorDetails): ProviderFailure | null {
  if (typeof providerCode !== "string") return null;
  return {
    code: providerCode,
    message: typeof providerMessage === "string" ? providerMessage : "",
    ...(typeof providerRequestId === "string" && { requestId: providerRequestId }),
  };
}
