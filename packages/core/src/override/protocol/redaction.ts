import type { ErrorDetails } from "../../errors.ts";
import { isObject, mapOwn } from "../../json-pointer.ts";
import type { ProviderFailure } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";

/** The replacement of a secret. */
export const redacted = "[redacted]";

/** Shorter secrets are hidden only as whole texts, because they match by chance inside others. */
const shortestPart = 4;
/** A text that needs more comparisons per character is hidden entirely. */
const mostChecks = 16;

/** Secrets, indexed for searching texts. */
interface Wanted {
  readonly whole: ReadonlySet<Json>;
  /** Those that may be inside a longer text, by their first characters. */
  readonly byStart: ReadonlyMap<string, readonly string[]>;
}

const wanted = new WeakMap<readonly Json[], Wanted>();

function wantedOf(secrets: readonly Json[]): Wanted {
  const known = wanted.get(secrets);
  if (known !== undefined) return known;
  const whole = new Set(secrets);
  const parts = [...whole].filter((one) => typeof one === "string" && one.length >= shortestPart) as string[];
  const made = { whole, byStart: Map.groupBy(parts, (part) => part.slice(0, shortestPart)) };
  wanted.set(secrets, made);
  return made;
}

/** The value with every occurrence of a secret hidden, as a whole value or inside a longer text. */
export function scrub(value: Json, secrets: readonly Json[]): Json {
  return secrets.length === 0 ? value : scrubbed(value, wantedOf(secrets));
}

function scrubbed(value: Json, secrets: Wanted): Json {
  if (typeof value === "string") return scrubText(value, secrets);
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, secrets));
  if (isObject(value)) return mapOwn(value, (member) => scrubbed(member, secrets));
  return typeof value === "number" && secrets.whole.has(value) ? redacted : value;
}

function scrubText(text: string, { whole, byStart }: Wanted): string {
  if (text !== "" && whole.has(text)) return redacted;
  let shown = "";
  let shownTo = 0;
  let hiddenTo = 0;
  let checks = 0;
  for (let at = 0; at + shortestPart <= text.length; at++) {
    for (const part of byStart.get(text.slice(at, at + shortestPart)) ?? []) {
      checks += 1;
      if (!text.startsWith(part, at)) continue;
      if (at >= hiddenTo) shown += text.slice(shownTo, at) + redacted;
      hiddenTo = Math.max(hiddenTo, at + part.length);
      shownTo = hiddenTo;
    }
    if (checks > mostChecks * text.length) return redacted;
  }
  return shownTo === 0 ? text : shown + text.slice(shownTo);
}

/** A cloud's description of a failure, safe to store and show. */
export interface ProviderWords {
  readonly providerCode: string;
  readonly providerMessage: string;
  readonly providerRequestId?: string;
}

const longestMessage = 1024;
const longestName = 128;

/** A cloud's words without known secrets, shortened. */
export function wordsOf({ code, message, requestId }: ProviderFailure, secrets: readonly Json[]): ProviderWords {
  const shown = (text: string, most: number) => String(scrub(text, secrets)).slice(0, most);
  return {
    providerCode: shown(code, longestName),
    providerMessage: shown(message, longestMessage),
    ...(requestId !== undefined && { providerRequestId: shown(requestId, longestName) }),
  };
}

/** The cloud's own words in an error's details; `null` if there are none. */
export function failureIn({ providerCode, providerMessage, providerRequestId }: ErrorDetails): ProviderFailure | null {
  if (typeof providerCode !== "string") return null;
  return {
    code: providerCode,
    message: typeof providerMessage === "string" ? providerMessage : "",
    ...(typeof providerRequestId === "string" && { requestId: providerRequestId }),
  };
}
