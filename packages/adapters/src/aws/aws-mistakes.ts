import { isObject, type JsonObject, type ParameterMistake, pointerTo } from "@liveplane/core/clouds";
import { nearIt, nearNames } from "../cloud-http/near-names.ts";
import { tagParameter } from "./aws-types.ts";

/**
 * The properties of a type, or of what one of them holds, with what they hold: `#12` an object with the properties of that number, alone or in
 * lists; `*` in front, a map of such; `|A|B` one of these words; empty, anything.
 */
export type AwsMembers = Readonly<Record<string, string>>;

type Json = JsonObject[string];

/**
 * What is probably misspelled in a type's parameters: a property that AWS doesn't describe, or a word that isn't among those that it lists,
 * which resembles one. AWS judges everything else, because it may have added properties and words. Pure.
 */
export function awsMistakes(
  type: string,
  parameters: JsonObject,
  members: Readonly<Record<string, AwsMembers>>,
): readonly ParameterMistake[] {
  const own = members[type];
  if (own === undefined) return [];
  const { [tagParameter]: _, ...declared } = parameters;
  return mistakesIn(declared, own, "");

  function mistakesIn(value: JsonObject, known: AwsMembers, above: string): ParameterMistake[] {
    return Object.entries(value).flatMap(([name, member]) => {
      const pointer = pointerTo(above, name);
      const held = Object.hasOwn(known, name) ? known[name] : undefined;
      if (held !== undefined) return mistakesAt(member, held, pointer);
      const near = misspelled(name, Object.keys(known));
      return near.length === 0 ? [] : [{ pointer, detail: `AWS describes no property ${name} here.${nearIt(near)}` }];
    });
  }

  function mistakesAt(value: Json, held: string, pointer: string): ParameterMistake[] {
    if (held === "" || isReference(value)) return [];
    if (Array.isArray(value)) return value.flatMap((item, at) => mistakesAt(item, held, `${pointer}/${at}`));
    if (held.startsWith("*"))
      return isObject(value)
        ? Object.entries(value).flatMap(([name, item]) => mistakesAt(item, held.slice(1), pointerTo(pointer, name)))
        : [];
    if (held.startsWith("#")) return isObject(value) ? mistakesIn(value, members[held.slice(1)] ?? {}, pointer) : [];
    const words = held.slice(1).split("|");
    if (typeof value !== "string" || words.includes(value)) return [];
    const near = misspelled(value, words);
    return near.length === 0 ? [] : [{ pointer, detail: `AWS lists other words here.${nearIt(near)}` }];
  }
}

/** Names that differ from this one in case, or in one or two letters of many. */
function misspelled(name: string, known: readonly string[]): readonly string[] {
  const [plain, most] = [name.toLowerCase(), name.length < 6 ? 1 : 2];
  const close = known.filter((one) => Math.abs(one.length - name.length) <= most);
  const same = close.filter((one) => one.toLowerCase() === plain);
  if (same.length > 0) return same;
  // A word of few letters resembles too many.
  return name.length < 5 ? [] : nearNames(name, close, (one) => one.toLowerCase()).filter(isOneSlip);

  function isOneSlip(one: string): boolean {
    const [a, b] = [plain, one.toLowerCase()];
    let start = 0;
    while (start < a.length && a[start] === b[start]) start++;
    let end = 0;
    while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
    return Math.max(a.length, b.length) - start - end <= most;
  }
}

function isReference(value: Json): boolean {
  return isObject(value) && Object.keys(value).some((name) => name === "$output" || name === "$secret");
}
