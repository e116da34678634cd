import { isObject, type JsonObject } from "@liveplane/core/clouds";

export type Json = JsonObject[string];

/** What a service makes of a value that it is sent, in words; applied twice it changes nothing more. */
export type FormWord = keyof typeof plainForms | `${keyof typeof givenForms}:${string}`;

/** By pointer; `*` stands for every item of a list. */
export type FormWords = Readonly<Record<string, FormWord>>;

const plainForms = {
  /** Taken and never given back. */
  never: () => undefined,
  /** What is empty, false or zero isn't shown. */
  noEmpty: (value: Json) => (isEmpty(value) ? undefined : value),
  /** What holds nothing but empty members isn't shown either. */
  noneInside: (value: Json) => (isObject(value) && Object.values(value).every(isEmpty) ? undefined : value),
  lower: (value: Json) => String(value).toLowerCase(),
  upper: (value: Json) => String(value).toUpperCase(),
  title: (value: Json) => `${String(value).charAt(0).toUpperCase()}${String(value).slice(1)}`,
  /** `80` is a range of one port. */
  range: (value: Json) => (String(value).includes("-") ? value : `${value}-${value}`),
  /** `1` processor is 1000 thousandths of one. */
  milli: (value: Json) => (String(value).endsWith("m") ? value : `${Number(value) * 1000}m`),
  /** Whole numbers as texts. */
  text: (value: Json) => String(value),
  /** A list of texts in the order of the service. */
  sorted: (value: Json) => (Array.isArray(value) ? [...value].sort() : value),
} satisfies Record<string, (value: Json) => Json | undefined>;

const givenForms = {
  /** Completed by what is missing at its end, or at its beginning. */
  ends: (value: Json, given: string) => (String(value).endsWith(given) ? value : `${value}${given}`),
  starts: (value: Json, given: string) => (String(value).startsWith(given) ? value : `${given}${value}`),
  /** Resolved to this, whatever was named. */
  as: (_: Json, given: string) => given,
  /** A list of objects in the order of a member. */
  sortedBy: (value: Json, given: string) => (Array.isArray(value) ? [...value].sort(by(given)) : value),
} satisfies Record<string, (value: Json, given: string) => Json | undefined>;

/** A body in the words of its service. */
export function inForms(body: JsonObject, words: FormWords): JsonObject {
  let formed: Json | undefined = body;
  for (const [pointer, word] of Object.entries(words))
    formed = changed(formed, pointer.split("/").slice(1), formOf(word));
  return formed as JsonObject;
}

/** A body with what its service adds where nothing was sent. Nothing is added inside what isn't there. */
export function withDefaults(body: JsonObject, defaults: JsonObject): JsonObject {
  let whole: Json | undefined = body;
  for (const [pointer, value] of Object.entries(defaults)) {
    const steps = pointer.split("/").slice(1);
    const last = steps.at(-1) ?? "";
    whole = changed(whole, steps.slice(0, -1), (at) =>
      isObject(at) && at[last] == null ? { ...at, [last]: value } : at,
    );
  }
  return whole as JsonObject;
}

/** What is at a pointer whose steps need no escapes. */
export function memberAt(body: unknown, pointer: string): Json | undefined {
  let at = body;
  for (const step of pointer.split("/").slice(1)) at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
  return at as Json | undefined;
}

export function isEmpty(value: Json): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === 0 || value === "";
}

function formOf(word: FormWord): (value: Json) => Json | undefined {
  if (Object.hasOwn(plainForms, word)) return plainForms[word as keyof typeof plainForms];
  const at = word.indexOf(":");
  const form = givenForms[word.slice(0, at) as keyof typeof givenForms];
  return (value) => form(value, word.slice(at + 1));
}

function changed(
  value: Json | undefined,
  [step, ...rest]: readonly string[],
  form: (value: Json) => Json | undefined,
): Json | undefined {
  if (value === undefined || value === null) return value;
  if (step === undefined) return form(value);
  if (Array.isArray(value)) {
    const items = value.map((item, at) => (step === "*" || step === String(at) ? changed(item, rest, form) : item));
    return items.filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  const names = step === "*" ? Object.keys(value) : [step];
  const own: Record<string, Json> = { ...value };
  for (const name of names) {
    const next = changed(own[name], rest, form);
    if (next === undefined) delete own[name];
    else own[name] = next;
  }
  return own;
}

function by(name: string): (a: Json, b: Json) => number {
  const of = (item: Json) => (isObject(item) ? item[name] : item);
  return (a, b) => {
    const [one, other] = [of(a), of(b)];
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one) < String(other) ? -1 : 1;
  };
}
