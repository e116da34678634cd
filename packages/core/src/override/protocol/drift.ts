import { childOf, isObject, type JsonObject, pointerTo, stepsOf, valueAt } from "../../json-pointer.ts";
import type { ResourceChange } from "../../ports/cloud.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { heededOf, withoutIgnored } from "../declarations/ignored.ts";
import { unknownValue } from "../declarations/references.ts";
import { hideSecrets, redacted, scrub, secretValues } from "./redaction.ts";
import { type Shape, shapeBelow, shapeOf } from "./shape.ts";
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
  /** Of the parameters that the cloud never gives back, those that aren't what was last applied. */
  readonly unapplied: ReadonlySet<string>;
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
  const { type, tagParameter, unapplied } = expected;
  const shape = shapeOf(type);
  for (const name in heeded) {
    const declared = heeded[name] as Json;
    if (name === tagParameter) {
      if (!tagsMatch(declared, tags, expected)) return false;
    } else if (type.writeOnly.length > 0 && type.writeOnly.includes(name)) {
      if (unapplied.has(name)) return false;
    } else if (!matches(declared, parameters[name], shape.children.get(name) ?? shape.any)) return false;
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
    const isUnreadable = type.writeOnly.includes(stepsOf(pointer)[0] ?? "");
    const own = isUnreadable ? null : (valueAt(there, pointer) ?? null);
    sides[pointer] = {
      declared: isUnreadable ? redacted : show(withoutUnknown(declared), pointer),
      actual: show(own, pointer),
    };
  }
  return sides;
}

/** How values of a resource are shown: without the secrets, and whatever stands in their places. */
function shownBy({ parameters, secrets }: Expected, actual: Actual): (value: Json, pointer: string) => Json {
  const hidden = [...secretValues(parameters, secrets), ...secretValues(actual.parameters, secrets, "foreign")];
  return (value, pointer) => scrub(hideSecrets(value, pointer, secrets, "foreign"), hidden);
}

/** What must be written to take the corrections to a resource, and what can't be. */
export interface Correction {
  readonly change: ResourceChange;
  /** Tags that are declared to be absent. */
  readonly removedTags: readonly string[];
  /** Parameters that can't change once the resource exists. */
  readonly immutable: readonly string[];
}

/** Turns what differs into what is written. The protocol's tags are never in it. */
export function correctionOf(
  { corrections }: Pick<Differences, "corrections">,
  { type, tagParameter }: Expected,
): Correction {
  const tags: Record<string, string> = {};
  const removedTags: string[] = [];
  const parameters: { pointer: string; value: Json }[] = [];
  const immutable = new Set<string>();
  for (const { parameter, pointer, value } of corrections) {
    if (type.immutable.includes(parameter)) immutable.add(parameter);
    else if (parameter !== tagParameter) parameters.push({ pointer, value });
    else if (value === null) removedTags.push(tagKeyOf(pointer));
    else tags[tagKeyOf(pointer)] = String(value);
  }
  return { change: { parameters, tags }, removedTags, immutable: [...immutable] };
}

function tagKeyOf(pointer: string): string {
  return stepsOf(pointer)[1] ?? "";
}

function matches(declared: Json, actual: Json | undefined, shape: Shape | undefined): boolean {
  if (declared === actual) return true;
  if (declared === null) return actual === undefined || typeof actual === "function";
  if (typeof declared !== "object") return shape?.caseless === true && sameText(declared, actual);
  if (declared === unknownValue) return true;
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(declared)) return Array.isArray(actual) && listMatches(declared, actual, shape);
  return !Array.isArray(actual) && objectMatches(declared as JsonObject, actual as JsonObject, shape);
}

function objectMatches(declared: JsonObject, actual: JsonObject, shape: Shape | undefined): boolean {
  let empty = true;
  for (const name in declared) {
    empty = false;
    const below = shape === undefined ? undefined : shapeBelow(shape, name);
    if (!matches(declared[name] as Json, actual[name], below)) return false;
  }
  return !empty || Object.keys(actual).length === 0;
}

function listMatches(declared: readonly Json[], actual: readonly Json[], shape: Shape | undefined): boolean {
  if (declared.length !== actual.length) return false;
  if (shape?.set === true) return setMatches(declared, actual, shape);
  for (let at = 0; at < declared.length; at++) {
    const below = shape === undefined ? undefined : shapeBelow(shape, String(at));
    if (!matches(declared[at] as Json, actual[at], below)) return false;
  }
  return true;
}

/** Elements pair off in any order: each declared one takes the first that is left and fits. */
function setMatches(declared: readonly Json[], actual: readonly Json[], shape: Shape): boolean {
  const left = [...actual];
  return declared.every((item) => {
    const at = left.findIndex((other) => matches(item, other, shape.any));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function sameText(declared: Json, actual: Json | undefined): boolean {
  if (typeof declared !== "string" || typeof actual !== "string") return false;
  const plain = (text: string) => text.replaceAll(/\s/g, "").toLowerCase();
  return plain(declared) === plain(actual);
}

function tagsMatch(declared: Json, tags: Tags, keys: TagKeys): boolean {
  if (!isObject(declared)) return declared === null || declared === unknownValue;
  for (const key in declared) {
    if (!matches(declared[key] as Json, tagValue(tags, key, keys), undefined)) return false;
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
    const unreadable = type.writeOnly.includes(name);
    const show = (value: Json, at: string) => (unreadable && value !== null ? redacted : shown(value, at));
    for (const place of found) {
      const at = place.pointer;
      const [shownDeclared, shownActual] = [show(withoutUnknown(place.declared), at), show(place.actual ?? null, at)];
      changes.push({ parameter: name, pointer: at, declared: shownDeclared, actual: shownActual });
      if (!holdsUnknown(place.declared)) corrections.push({ parameter: name, pointer: at, value: place.declared });
    }
    const whole =
      name === tagParameter ? tagsShown(actual.tags, expected) : withoutIgnored(own ?? null, pointer, ignored);
    drift[name] = { declared: show(withoutUnknown(declared), pointer), actual: show(whole ?? null, pointer) };
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
  if (expected.type.writeOnly.includes(name)) {
    return expected.unapplied.has(name) && declared !== null ? [{ pointer, declared, actual: undefined }] : [];
  }
  if (name !== expected.tagParameter) return differences(declared, actual, shape, pointer);
  if (!isObject(declared)) return [];
  return Object.keys(declared).flatMap((key) =>
    differences(declared[key] as Json, childOf(actual, key), undefined, pointerTo(pointer, key)),
  );
}

function differences(declared: Json, actual: Json | undefined, shape: Shape | undefined, pointer: string): Place[] {
  if (matches(declared, actual, shape)) return [];
  if (isObject(declared) && isObject(actual) && Object.keys(declared).length > 0) {
    return Object.keys(declared).flatMap((name) =>
      differences(declared[name] as Json, childOf(actual, name), shapeBelow(shape, name), pointerTo(pointer, name)),
    );
  }
  if (Array.isArray(declared) && Array.isArray(actual) && declared.length === actual.length && shape?.set !== true) {
    return declared.flatMap((item, at) =>
      differences(item, actual[at], shapeBelow(shape, String(at)), pointerTo(pointer, at)),
    );
  }
  return [{ pointer, declared, actual }];
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
