import { childOf, isObject, isWithin, type JsonObject, pointerTo, stepsOf, valueAt } from "../../json-pointer.ts";
import type { ResourceChange } from "../../ports/cloud.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { heededOf, withoutIgnored } from "../declarations/ignored.ts";
import { unknownValue } from "../declarations/references.ts";
import { isUnread, matches, memberOf, sameValue } from "./likeness.ts";
import { hideSecrets, redacted, scrub, secretValues } from "./redaction.ts";
import { fixedAt, type Shape, shapeBelow, shapeOf, unreadPlaces } from "./shape.ts";
import { type TagKeys, type Tags, tagsAsDeclared, tagsShown, tagValue } from "./tags.ts";

/** What a resource should be, references resolved, and how its cloud compares. */
export interface Expected {
  readonly parameters: JsonObject;
  /** Pointers of what is the cloud's own once the resource is there. */
  readonly ignored: readonly string[];
  /** Pointers of values that must not be shown. */
  readonly secrets: readonly string[];
  readonly type: ResourceType;
  readonly tagParameter: string;
  readonly caselessTagKeys: boolean;
  /** Of what the cloud never gives back, as the type names it, that which isn't what was last applied. */
  readonly unapplied: ReadonlySet<string>;
  /** The subscription or project that it lies in: whose a link is that names none. */
  readonly scope: string;
}

/** What a resource is. */
export interface Actual {
  readonly parameters: JsonObject;
  readonly tags: Tags;
}

/** One place where a resource isn't what it should be. Safe to store and to show. */
export interface Difference {
  /** The top-level parameter. */
  readonly parameter: string;
  /** Rooted at the parameters. */
  readonly pointer: string;
  readonly declared: Json;
  /** `null`: nothing is there. */
  readonly actual: Json;
}

/** The drift as `outputFields` shows it: by top-level parameter, both sides whole. */
export type Drift = Readonly<Record<string, { readonly declared: Json; readonly actual: Json }>>;

/** Where a resource isn't what it should be. `corrections` holds values as they are written, secrets included: never stored. */
export interface Differences {
  readonly changes: readonly Difference[];
  readonly drift: Drift;
  readonly corrections: readonly Write[];
}

/** A value to write at a place, as it is. */
export interface Write {
  readonly parameter: string;
  readonly pointer: string;
  readonly value: Json;
}

/** The answer for everything that is as it should be. */
export const noDrift: Differences = { changes: [], drift: {}, corrections: [] };

/** The one comparison, for drift, plans and corrections. Of what isn't declared, and of what is ignored, it says nothing. */
export function compare(expected: Expected, actual: Actual): Differences {
  const heeded = heededOf(expected.parameters, expected.ignored);
  return isInSync(heeded, expected, actual) ? noDrift : describe(heeded, expected, actual);
}

/** Whether all that is heeded is as declared. */
function isInSync(heeded: JsonObject, expected: Expected, { parameters, tags }: Actual): boolean {
  const { type, tagParameter } = expected;
  const shape = shapeOf(type);
  for (const name in heeded) {
    const declared = heeded[name] as Json;
    if (name === tagParameter) {
      if (!tagsMatch(declared, tags, expected)) return false;
    } else if (!matches(declared, parameters[name], shape.children.get(name) ?? shape.any, expected)) return false;
  }
  return true;
}

/** What differs when nothing is there at all: what is ignored, too, for whoever makes the resource anew sets it. */
export function compareMissing(expected: Expected): Differences {
  const anew = { ...expected, ignored: [], unapplied: new Set(expected.type.writeOnly) };
  const { changes, drift } = describe(expected.parameters, anew, nothingThere);
  return { changes, drift, corrections: [] };
}

const nothingThere: Actual = { parameters: {}, tags: {} };

/** What is declared and there at the places that are ignored, by pointer. Safe to store and to show. */
export function ignoredSides(expected: Expected, actual: Actual = nothingThere): Drift {
  const { parameters, ignored, tagParameter, type } = expected;
  if (ignored.length === 0) return {};
  const show = shownBy(expected, actual);
  const there = {
    ...actual.parameters,
    [tagParameter]: tagsAsDeclared(parameters[tagParameter], actual.tags, expected),
  };
  const sides: Record<string, { declared: Json; actual: Json }> = {};
  for (const pointer of ignored) {
    const declared = valueAt(parameters, pointer);
    if (declared === undefined) continue;
    const isUnreadable = unreadPlaces(type).some((place) => isWithin(pointer, place));
    const own = isUnreadable ? null : (valueAt(there, pointer) ?? null);
    sides[pointer] = {
      declared: isUnreadable ? redacted : show(withoutUnknown(declared), pointer),
      actual: show(own, pointer),
    };
  }
  return sides;
}

/** How values of a resource are shown: without the secrets, and whatever stands in their places. */
function shownBy({ parameters, secrets, type }: Expected, actual: Actual): (value: Json, pointer: string) => Json {
  const hidden = [...secretValues(parameters, secrets), ...secretValues(actual.parameters, secrets, "foreign")];
  const places = type.writeOnly.length === 0 ? secrets : [...secrets, ...unreadPlaces(type)];
  return (value, pointer) => scrub(hideSecrets(value, pointer, value === null ? secrets : places, "foreign"), hidden);
}

/** What must be written to take the corrections to a resource, and what can't be. */
export interface Correction {
  readonly change: ResourceChange;
  /** Tags that are declared to be absent. */
  readonly removedTags: readonly string[];
  /** What can't change once the resource exists, as its type names it. */
  readonly immutable: readonly string[];
}

/** Nothing to write. */
export const noCorrection: Correction = { change: { parameters: [], tags: {} }, removedTags: [], immutable: [] };

/** Turns what differs into what is written. The protocol's tags are never in it. */
export function correctionOf(corrections: readonly Write[], { type, tagParameter }: Expected): Correction {
  const tags: Record<string, string> = {};
  const removedTags: string[] = [];
  const parameters: { pointer: string; value: Json }[] = [];
  const immutable = new Set<string>();
  for (const { parameter, pointer, value } of corrections) {
    const fixed = fixedAt(type, pointer);
    if (fixed !== null) immutable.add(fixed);
    else if (parameter !== tagParameter) parameters.push({ pointer, value });
    else if (value === null) removedTags.push(tagKeyOf(pointer));
    else tags[tagKeyOf(pointer)] = String(value);
  }
  return { change: { parameters, tags }, removedTags, immutable: [...immutable] };
}

function tagKeyOf(pointer: string): string {
  return stepsOf(pointer)[1] ?? "";
}

function tagsMatch(declared: Json, tags: Tags, keys: TagKeys): boolean {
  if (!isObject(declared)) return declared === null || declared === unknownValue;
  for (const key in declared) {
    if (!sameValue(declared[key] as Json, tagValue(tags, key, keys))) return false;
  }
  return true;
}

/** The second, slower walk: taken only when something differs, it says where. */
function describe(heeded: JsonObject, expected: Expected, actual: Actual): Differences {
  const { type, tagParameter, ignored } = expected;
  const shown = shownBy(expected, actual);
  const changes: Difference[] = [];
  const corrections: Write[] = [];
  const drift: Record<string, { declared: Json; actual: Json }> = {};

  for (const [name, declared] of Object.entries(heeded)) {
    const pointer = pointerTo("", name);
    const own =
      name === tagParameter ? tagsAsDeclared(declared, actual.tags, expected) : childOf(actual.parameters, name);
    const found = placesOf(name, declared, own, expected, shapeBelow(shapeOf(type), name));
    if (found.length === 0) continue;
    for (const place of found) {
      const at = place.pointer;
      const [shownDeclared, shownActual] = [shown(withoutUnknown(place.declared), at), shown(place.actual ?? null, at)];
      changes.push({ parameter: name, pointer: at, declared: shownDeclared, actual: shownActual });
      if (!holdsUnknown(place.declared)) corrections.push({ parameter: name, pointer: at, value: place.declared });
    }
    const whole =
      name === tagParameter ? tagsShown(actual.tags, expected) : withoutIgnored(own ?? null, pointer, ignored);
    drift[name] = { declared: shown(withoutUnknown(declared), pointer), actual: shown(whole ?? null, pointer) };
  }
  return { changes, drift, corrections };
}

interface Place {
  readonly pointer: string;
  readonly declared: Json;
  readonly actual: Json | undefined;
}

function placesOf(
  name: string,
  declared: Json,
  actual: Json | undefined,
  expected: Expected,
  shape: Shape | undefined,
): Place[] {
  const pointer = pointerTo("", name);
  if (name !== expected.tagParameter) return differences({ declared, actual, pointer }, shape, expected);
  if (!isObject(declared)) return [];
  return Object.keys(declared).flatMap((key) => {
    const place = { declared: declared[key] as Json, actual: childOf(actual, key), pointer: pointerTo(pointer, key) };
    return sameValue(place.declared, place.actual) ? [] : [place];
  });
}

function differences(place: Place, shape: Shape | undefined, expected: Expected): Place[] {
  const { declared, actual, pointer } = place;
  if (matches(declared, actual, shape, expected)) return [];
  if (isUnread(shape)) return declared === null ? [] : [{ pointer, declared, actual: undefined }];
  if (isObject(declared) && isObject(actual) && Object.keys(declared).length > 0) {
    return Object.keys(declared).flatMap((name) => {
      const below = {
        declared: declared[name] as Json,
        actual: memberOf(actual, name, expected),
        pointer: pointerTo(pointer, name),
      };
      return differences(below, shapeBelow(shape, name), expected);
    });
  }
  if (Array.isArray(declared) && Array.isArray(actual) && declared.length === actual.length && shape?.set !== true) {
    return declared.flatMap((item, at) => {
      const below = { declared: item, actual: actual[at], pointer: pointerTo(pointer, at) };
      return differences(below, shapeBelow(shape, String(at)), expected);
    });
  }
  return [place];
}

function holdsUnknown(value: Json): boolean {
  if (value === unknownValue) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value as JsonObject).some(holdsUnknown);
}

/** The value as it is shown while parts of it aren't known. */
function withoutUnknown(value: Json): Json {
  if (value === unknownValue) return null;
  if (Array.isArray(value)) return value.map(withoutUnknown);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutUnknown(member)]));
}
