import type { Json } from "@liveplane/core/store";
import type { Acceptances } from "./acceptances.ts";
import { isSameJson } from "./comparison.ts";
import type { Editions } from "./editions.ts";
import type { JudgedCloud, ResourceTruth, StoredComponent, Wanted } from "./facts.ts";

/** The judge's knowledge of clouds and acceptances. */
interface Known {
  readonly cloudOf: (component: Pick<Wanted, "provider">) => JudgedCloud;
  readonly acceptances: Pick<Acceptances, "of">;
  readonly editions: Pick<Editions, "since">;
}

type Values = Readonly<Record<string, Json>>;

/** The values at the worded places, by member. */
export function wordedIn(parameters: Wanted["parameters"], { words }: JudgedCloud): ReadonlyMap<string, Json> {
  const value = parameters?.[words?.parameter ?? ""] ?? null;
  if (words === undefined || !isObject(value)) return new Map();
  return new Map(Object.entries(value).filter(([member]) => words.members.includes(member)));
}

/** A place that shows neither the declared value, nor a form of it, nor an accepted value; `null` if none. */
export function wrongPlace(
  component: StoredComponent,
  declared: Wanted,
  actual: Pick<ResourceTruth, "parameters">,
  known: Known,
): string | null {
  const cloud = known.cloudOf(declared);
  const there = wordedIn(actual.parameters, cloud);
  for (const [member, value] of wordedIn(declared.parameters, cloud)) {
    const shown = there.get(member) ?? null;
    const editions = known.editions.since(component, actual, member);
    if (isForm(member, value, shown, { ...cloud, editions }) || holds(shown, acceptedFor(member, value, shown)))
      continue;
    return `${member} is ${JSON.stringify(shown)}, declared is ${JSON.stringify(value)}`;
  }
  return null;

  /** What is declared, with the forms that people accepted in the places that show them. One of two nested ones may be shown. */
  function acceptedFor(member: string, value: Json, shown: Json): Json {
    let expected = value;
    for (const [place, { witness, declared: then }] of known.acceptances.of(component)) {
      if (memberAt(place, cloud) !== member) continue;
      const before = wordedIn(then, cloud).get(member) ?? null;
      const isShown = isSameJson(within(shown, place), witness.form);
      if (isShown && isSameJson(within(before, place), within(value, place)))
        expected = replaced(expected, stepsBelow(place), witness.form);
    }
    return expected;
  }
}

/** Whether it is the value, or one of the cloud's forms of it. */
export function isForm(
  member: string,
  declared: Json,
  shown: Json,
  { words, editions }: Pick<JudgedCloud, "words"> & { readonly editions?: readonly number[] | undefined },
): boolean {
  const forms = words?.forms(member, declared, editions) ?? [];
  return holds(shown, declared) || forms.some((form) => isSameJson(form, shown));
}

/** The member that contains a place; `null` if the place isn't worded. */
export function memberAt(place: string, { words }: JudgedCloud): string | null {
  const [, parameter, member = ""] = place.split("/");
  return parameter === words?.parameter && words?.members.includes(member) ? member : null;
}

/** The value at a place within its member. */
export function within(value: Json, place: string): Json {
  let found: Json = value;
  for (const step of stepsBelow(place)) found = memberOf(found, step);
  return found;
}

function stepsBelow(place: string): readonly string[] {
  return place.split("/").slice(3);
}

/** A part of a value. List items may be named by key, such as `name=one`. */
function memberOf(value: Json, step: string): Json {
  const [key = "", name] = step.split("=");
  if (!Array.isArray(value)) return isObject(value) ? (value[step] ?? null) : null;
  const item = name === undefined ? value[Number(step)] : value.find((one) => isObject(one) && one[key] === name);
  return item ?? null;
}

function replaced(value: Json, [step, ...rest]: readonly string[], form: Json): Json {
  if (step === undefined) return form;
  const part = memberOf(value, step);
  const next = replaced(part, rest, form);
  if (Array.isArray(value)) return value.map((item) => (item === part ? next : item));
  return isObject(value) ? { ...value, [step]: next } : value;
}

/** Whether a value contains everything declared. Other members are ignored. */
function holds(actual: Json, declared: Json): boolean {
  if (Array.isArray(declared)) {
    if (!Array.isArray(actual) || actual.length !== declared.length) return false;
    return declared.every((item, at) => holds(actual[at] ?? null, item));
  }
  if (!isObject(declared)) return actual === declared;
  return isObject(actual) && Object.entries(declared).every(([name, value]) => holds(actual[name] ?? null, value));
}

function isObject(value: Json): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
