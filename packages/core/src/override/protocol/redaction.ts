import type { ErrorDetails } from "../../errors.ts";
import { isObject, mapOwn } from "../../json-pointer.ts";
import type { ProviderFailure } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";

/** What is read in the place of a secret. */
export const redacted = "[redacted]";

/** Shorter secrets are only hidden where they are the whole of a text: as a part of it they mean nothing. */
const shortestPart = 4;
/** A text that takes more comparisons than this for each of its characters is hidden whole. */
const mostChecks = 16;

/** Secrets, as they are looked for in texts. */
interface Wanted {
  readonly whole: ReadonlySet<Json>;
  /** Those that may be part of a longer text, by their first characters. */
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

/** The value with every occurrence of a secret hidden: as a whole value or as a part of a longer text. */
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
