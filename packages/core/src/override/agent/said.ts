import { noteTags } from "../../contract/protocol-tags.ts";
import { toInstant } from "../../encoding.ts";
import type { Json } from "../../ports/store.ts";
import type { Said } from "../protocol/lifecycle.ts";
import { scrub } from "../protocol/redaction.ts";
import { type TagKeys, type Tags, tagValue } from "../protocol/tags.ts";

/** The time of the take-over, and what must not be shown. */
export interface SaidAt extends TagKeys {
  readonly at: string;
  readonly secretValues: readonly Json[];
}

/** The longest text that is kept: what the largest tag of any cloud holds. */
const longest = 256;

/** What the person who takes over says in the resource's tags, as plain text; `null` if nothing. Pure. */
export function saidIn(tags: Tags, { at, caselessTagKeys, secretValues }: SaidAt): Said | null {
  const textOf = (key: string): string | null => {
    const text = scrub(
      (tagValue(tags, key, { caselessTagKeys }) ?? "").replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").trim(),
      secretValues,
    );
    return typeof text === "string" && text !== "" ? [...text].slice(0, longest).join("").toWellFormed() : null;
  };
  const reason = textOf(noteTags.reason);
  const owner = textOf(noteTags.owner);
  const until = untilIn(textOf(noteTags.until) ?? "", Date.parse(at));
  return reason === null && owner === null && until === null ? null : { reason, owner, until };
}

/** A day or an instant. In a label it has lower-case letters, and hyphens instead of colons. */
const spelled = /^(\d{4}-\d\d-\d\d)(?:[Tt_ ](\d\d)[:-](\d\d)(?:[:-](\d\d)(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?)?$/;

/**
 * The instant that a text names; `null` if it names none or one in the past. A day lasts to its end, in UTC like everything without a zone.
 */
function untilIn(text: string, now: number): string | null {
  const [, day = "", hours = "23", minutes = "59", seconds, zone = "Z"] = spelled.exec(text) ?? [];
  const isWholeDay = text === day;
  const offset = zone.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  const ms = Date.parse(`${day}T${hours}:${minutes}:${seconds ?? (isWholeDay ? "59" : "00")}${offset}`);
  const isDay = day !== "" && toInstant(Date.parse(`${day}T00:00:00Z`) || 0).startsWith(day);
  return isDay && ms > now ? toInstant(ms) : null;
}
