import { noteTags } from "../../contract/protocol-tags.ts";
import { toInstant } from "../../encoding.ts";
import type { Json } from "../../ports/store.ts";
import type { Said } from "../protocol/lifecycle.ts";
import { scrub } from "../protocol/redaction.ts";
import { type TagKeys, type Tags, tagValue } from "../protocol/tags.ts";

/** What saying goes by: the moment of the take-over, and what must not be shown. */
export interface SaidAt extends TagKeys {
  readonly at: string;
  readonly secretValues: readonly Json[];
}

/** As much of a text as is kept: what the widest of the clouds' tags holds. */
const longest = 256;

/** What somebody who takes a resource over says of it in its tags, as plain text; `null`: nothing. Pure. */
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

/** A day, or an instant; a label spells it in small letters, with hyphens for colons. */
const spelled = /^(\d{4}-\d\d-\d\d)(?:[Tt_ ](\d\d)[:-](\d\d)(?:[:-](\d\d)(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?)?$/;

/** The instant that a text names; `null` when it names none, or one that is past. A day lasts to its end, in UTC as all without a zone. */
function untilIn(text: string, now: number): string | null {
  const [, day = "", hours = "23", minutes = "59", seconds, zone = "Z"] = spelled.exec(text) ?? [];
  const isWholeDay = text === day;
  const offset = zone.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  const ms = Date.parse(`${day}T${hours}:${minutes}:${seconds ?? (isWholeDay ? "59" : "00")}${offset}`);
  const isDay = day !== "" && toInstant(Date.parse(`${day}T00:00:00Z`) || 0).startsWith(day);
  return isDay && ms > now ? toInstant(ms) : null;
}
