import {
  childOf,
  isObject,
  itemStep,
  type JsonObject,
  lastStepOf,
  pointerTo,
  sameJson,
  stepsOf,
  valueAt,
} from "../../json-pointer.ts";
import type { ResourceChange } from "../../ports/cloud.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { heededOf, withoutIgnored } from "../declarations/ignored.ts";
import { keyOfBoth, nameOfItem } from "../declarations/list-keys.ts";
import { holdsUnknown, unknownValue } from "../declarations/references.ts";
import { fixedAt, pointerOf, type Shape, shapeBelow, shapeOf, unreadOf } from "../declarations/shape.ts";
import { type PlaceSides, splitItems } from "./extra-items.ts";
import { hiddenAlong, laidOver } from "./laid-over.ts";
import {
  type Comparison,
  comparisonBy,
  type ExtraItems,
  isUnread,
  memberMatches,
  memberOf,
  sameValue,
  seenBy,
} from "./likeness.ts";
import { scrub } from "./redaction.ts";
import { hiding, secretValues } from "./secret-places.ts";
import { type TagKeys, type Tags, tagsAsDeclared, tagsShown, tagValue } from "./tags.ts";

/** What a resource should be, with references resolved, and how its cloud compares values. */
export interface Expected {
  readonly parameters: JsonObject;
  /** Pointers of what the cloud decides once the resource exists. */
  readonly ignored: readonly string[];
  /** Pointers of values that must not be shown. */
  readonly secrets: readonly string[];
  /** Pointers of secrets that were declared before and that the resource may still have. @default none */
  readonly formerSecrets?: readonly string[];
  readonly type: ResourceType;
  readonly tagParameter: string;
  readonly caselessTagKeys: boolean;
  /** The unobservable values that aren't what was last applied, as the type names them. */
  readonly unapplied: ReadonlySet<string>;
  /** Its subscription or project, which a link without one refers to. */
  readonly scope: string;
  /** The cloud's settled forms of values, by pointer. */
  readonly settled: ReadonlyMap<string, Json>;
  /** Pointers of lists that may hold additional items, each with the names of the items once applied to it. */
  readonly extraItems: ExtraItems;
}

/** What a resource is. */
export interface Actual {
  readonly parameters: JsonObject;
  readonly tags: Tags;
}

/** One place where a resource differs. Safe to store and show. */
export interface Difference {
  /** The top-level parameter. */
  readonly parameter: string;
  /** Rooted at the parameters. */
  readonly pointer: string;
  readonly declared: Json;
  /** `null` if nothing is there. */
  readonly actual: Json;
}

/** The drift as `outputFields` shows it: by top-level parameter, with both whole values. */
export type Drift = Readonly<Record<string, { readonly declared: Json; readonly actual: Json }>>;

/** Where a resource differs. `corrections` holds values as they are written, secrets included: never stored. */
export interface Differences {
  readonly changes: readonly Difference[];
  readonly drift: Drift;
  readonly corrections: readonly Write[];
}

/** A value to write at a place, unredacted. */
export interface Write {
  readonly parameter: string;
  readonly pointer: string;
  readonly value: Json;
}

/** The result for a resource that matches. */
export const noDrift: Differences = { changes: [], drift: {}, corrections: [] };

/** More differences than this below one place are reported as one difference there. */
const mostBelow = 100;

/** The one comparison for drift, plans and corrections. It ignores what isn't declared or is listed as ignored. */
export function compare(expected: Expected, actual: Actual): Differences {
  const heeded = heededOf(expected.parameters, expected.ignored);
  return isInSync(heeded, expected, actual) ? noDrift : describe(heeded, expected, actual);
}

/** Whether all compared values match. */
function isInSync(heeded: JsonObject, expected: Expected, { parameters, tags }: Actual): boolean {
  const { type, tagParameter } = expected;
  const shape = shapeOf(type);
  const by = comparisonBy(expected);
  for (const name in heeded) {
    const declared = heeded[name] as Json;
    if (name === tagParameter) {
      if (!tagsMatch(declared, tags, expected)) return false;
    } else if (!memberMatches(name, declared, parameters[name], shapeBelow(shape, name), by)) return false;
  }
  return true;
}

/** The differences of a missing resource, including ignored places, because whoever recreates it sets them. */
export function compareMissing(expected: Expected): Differences {
  const unapplied = new Set(unreadOf(expected.type));
  const anew = { ...expected, ignored: [], unapplied, settled: new Map(), extraItems: {} };
  const { changes, drift } = describe(expected.parameters, anew, nothingThere);
  return { changes, drift, corrections: [] };
}

const nothingThere: Actual = { parameters: {}, tags: {} };

/** The declared and actual values of ignored places, by pointer. Safe to store and show. */
export function ignoredSides(expected: Expected, actual: Actual = nothingThere): Drift {
  const { parameters, ignored, tagParameter, type } = expected;
  if (ignored.length === 0) return {};
  const show = showing(expected, actual);
  const there = {
    ...actual.parameters,
    [tagParameter]: tagsAsDeclared(parameters[tagParameter], actual.tags, expected),
  };
  const sides: Record<string, { declared: Json; actual: Json }> = {};
  for (const pointer of ignored) {
    const declared = valueAt(parameters, pointer);
    if (declared === undefined) continue;
    const own = isUnreadAt(type, pointer) ? null : (valueAt(there, pointer) ?? null);
    sides[pointer] = { declared: show.declared(withoutUnknown(declared), pointer), actual: show.actual(own, pointer) };
  }
  return sides;
}

/** Whether the cloud never returns the value at a pointer. */
function isUnreadAt(type: ResourceType, pointer: string): boolean {
  let shape: Shape | undefined = shapeOf(type);
  for (const step of stepsOf(pointer)) {
    shape = shapeBelow(shape, step);
    if (isUnread(shape)) return true;
  }
  return false;
}

type Show = (value: Json, pointer: string) => Json;

/** How both sides' values are shown: without secrets and without the values in their places. */
export function showing(
  expected: Expected,
  actual: Pick<Actual, "parameters">,
): { readonly declared: Show; readonly actual: Show } {
  const { parameters, secrets, type } = expected;
  const there = secretsThere(expected);
  const hidden = [...secretValues(parameters, secrets), ...secretValues(actual.parameters, there, "foreign")];
  const show = (places: readonly string[]): Show => {
    const hide = hiding(places, type, "foreign");
    return (value, pointer) => scrub(hide(value, pointer), hidden);
  };
  return { declared: show(secrets), actual: show(there) };
}

/** Where the resource may have secrets. */
export function secretsThere({ secrets, formerSecrets = [] }: Pick<Expected, "secrets" | "formerSecrets">): string[] {
  return [...new Set([...secrets, ...formerSecrets])];
}

/** Where a resource may have secrets after a read: former ones end once nothing differs in their parameter, which is declared and heeded. */
export function secretsLeft(expected: Expected, changes: readonly Difference[]): readonly string[] {
  const { parameters, secrets, ignored, extraItems } = expected;
  const parameterOf = (pointer: string) => stepsOf(pointer)[0] ?? "";
  const open = new Set([
    ...[...ignored, ...Object.keys(extraItems)].map(parameterOf),
    ...changes.map(({ parameter }) => parameter),
  ]);
  const isReplaced = (place: string) => {
    const declared = valueAt(parameters, place);
    return declared !== undefined && !holdsUnknown(declared) && !open.has(parameterOf(place));
  };
  return secretsThere(expected).filter((place) => secrets.includes(place) || !isReplaced(place));
}

/** What must be written to correct a resource, and what can't be. */
export interface Correction {
  readonly change: ResourceChange;
  /** Tags declared to be absent. */
  readonly removedTags: readonly string[];
  /** Members that can't change once the resource exists, as its type names them. */
  readonly immutable: readonly string[];
}

/** Nothing to write. */
export const noCorrection: Correction = { change: { parameters: [], tags: {} }, removedTags: [], immutable: [] };

/**
 * Turns what differs into what is written; nothing: a resource that failed is written again as it is. The protocol's tags are never in it.
 */
export function correctionOf(corrections: readonly Write[], expected: Expected, actual: JsonObject): Correction {
  const { type, tagParameter } = expected;
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
  if (parameters.length > 0 || corrections.length === 0)
    parameters.push(...hiddenAlong(parameters, expected, actual, comparisonBy(expected)));
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

/** The second, slower walk, taken only if something differs: it finds where. */
function describe(heeded: JsonObject, expected: Expected, actual: Actual): Differences {
  const { type, tagParameter, ignored } = expected;
  const by = comparisonBy(expected);
  const found = Object.entries(heeded).map(([name, declared]) => {
    const pointer = pointerTo("", name);
    const own =
      name === tagParameter ? tagsAsDeclared(declared, actual.tags, expected) : childOf(actual.parameters, name);
    const place = { declared, actual: own, pointer };
    const places =
      name === tagParameter ? tagDifferences(place) : differences(place, shapeBelow(shapeOf(type), name), by);
    return { name, place, places };
  });
  const isTooMuch = found.reduce((count, { places }) => count + places.length, 0) > mostBelow;

  const show = showing(expected, actual);
  const changes: Difference[] = [];
  const corrections: Write[] = [];
  const drift: Record<string, { declared: Json; actual: Json }> = {};
  for (const { name, place, places } of found) {
    if (places.length === 0) continue;
    const isTags = name === tagParameter;
    for (const at of isTooMuch && !isTags && places.length > 1
      ? [asOne(place, shapeBelow(shapeOf(type), name), by)]
      : places) {
      const { pointer, write } = at;
      // That nothing is there is no secret.
      const there = at.actual == null ? null : show.actual(at.actual, pointer);
      const declared = show.declared(withoutUnknown(at.declared), pointer);
      changes.push({ parameter: name, pointer, declared, actual: there });
      if (!holdsUnknown(write)) corrections.push({ parameter: name, pointer, value: write });
    }
    const { declared, pointer } = place;
    const whole = isTags ? tagsShown(actual.tags, expected) : withoutIgnored(place.actual ?? null, pointer, ignored);
    drift[name] = {
      declared: show.declared(withoutUnknown(declared), pointer),
      actual: show.actual(whole ?? null, pointer),
    };
  }
  return { changes, drift, corrections };
}

/** A place that differs. */
interface Place extends PlaceSides {
  /** What corrects it. */
  readonly write: Json;
}

function tagDifferences({ declared, actual, pointer }: PlaceSides): Place[] {
  if (!isObject(declared)) return [];
  return Object.entries(declared).flatMap(([key, value]) => {
    const own = childOf(actual, key);
    if (sameValue(value, own)) return [];
    return [{ declared: value, actual: own, pointer: pointerTo(pointer, key), write: value }];
  });
}

/** Where two values differ. Each value is looked at once, and no more than so many places are told apart below one. */
function differences(sides: PlaceSides, shape: Shape | undefined, by: Comparison): Place[] {
  const { declared, pointer } = sides;
  const actual = Array.isArray(declared) ? splitItems(sides, shape, by).own : sides.actual;
  const form = by.settled.get(pointer);
  const seen = (shown: Json) => seenBy(declared, shown, shape);
  if (form !== undefined && sameJson(seen(form), seen(actual ?? null))) return [];
  const members = isUnread(shape) || declared === unknownValue ? null : membersOf({ ...sides, actual }, shape, by);
  if (members === null) {
    if (memberMatches(lastStepOf(pointer), declared, actual, shape, by)) return [];
    if (Array.isArray(declared) && memberMatches(lastStepOf(pointer), declared, actual, shape, changeableOf(by)))
      return saidOnceIn(declared, pointer, shape, by);
    if (!isUnread(shape))
      return [{ ...sides, actual, write: Array.isArray(declared) ? laidOver(sides, shape, by) : declared }];
    return declared === null ? [] : [{ pointer, declared, actual: undefined, write: declared }];
  }
  const found: Place[] = [];
  for (const [name, value, own] of members) {
    const below = { declared: value, actual: own, pointer: pointerTo(pointer, name) };
    found.push(...differences(below, shapeBelow(shape, name), by));
    if (found.length > mostBelow) return [asOne(sides, shape, by)];
  }
  return found;
}

/** The comparison without what can't be written any more. */
function changeableOf(by: Comparison): Comparison {
  return { ...by, unapplied: new Set([...by.unapplied].filter((name) => fixedAt(by.type, pointerOf(name)) === null)) };
}

/** The values in a list that count at a creation alone, and were declared otherwise then. */
function saidOnceIn(declared: Json, pointer: string, shape: Shape | undefined, by: Comparison): Place[] {
  if (isUnread(shape))
    return by.unapplied.has(shape.unread) ? [{ pointer, declared, actual: undefined, write: declared }] : [];
  if (typeof declared !== "object" || declared === null || shape === undefined) return [];
  return Object.entries(declared as JsonObject).flatMap(([name, value]) =>
    saidOnceIn(value, pointerTo(pointer, name), shapeBelow(shape, name), by),
  );
}

type Member = readonly [name: string, declared: Json, actual: Json | undefined];

/** What is compared part by part, with its counterparts; `null`: it is one value. */
function membersOf(
  { declared, actual }: PlaceSides,
  shape: Shape | undefined,
  by: Comparison,
): readonly Member[] | null {
  if (isObject(declared) && isObject(actual)) {
    const members = Object.entries(declared);
    return members.length === 0 ? null : members.map(([name, value]) => [name, value, memberOf(actual, name, by)]);
  }
  return Array.isArray(declared) && Array.isArray(actual) ? itemsOf(declared, actual, shape) : null;
}

/**
 * The items of two lists, paired by key. A list is compared as one value if its items have no key, if a meaningful order differs, or if
 * some are missing and others new, because those may be renamed ones.
 */
function itemsOf(
  declared: readonly Json[],
  actual: readonly Json[],
  shape: Shape | undefined,
): readonly Member[] | null {
  const key = keyOfBoth(declared, actual, shape);
  if (key === null || declared.length === 0) return null;
  const there = new Map(actual.map((item, at) => [nameOfItem(item, key), { item, at }]));
  const pairs = declared.map((item) => ({ item, found: there.get(nameOfItem(item, key)) }));
  const names = new Set(declared.map((item) => nameOfItem(item, key)));
  const extra = actual.filter((item) => !names.has(nameOfItem(item, key)));
  if (extra.length > 0 && pairs.some(({ found }) => found === undefined)) return null;
  const order = [...pairs.map(({ found }) => found?.at ?? actual.length), ...extra.map((item) => actual.indexOf(item))];
  if (shape?.set !== true && order.some((at, nth) => at < (order[nth - 1] ?? 0))) return null;
  return [
    ...pairs.map(({ item, found }): Member => [itemStep(key, item), item, found?.item]),
    ...extra.map((item): Member => [itemStep(key, item), null, item]),
  ];
}

/** Too many differences, told as one. Its correction keeps what isn't declared there. */
function asOne(sides: PlaceSides, shape: Shape | undefined, by: Comparison): Place {
  return { ...sides, write: laidOver(sides, shape, by) };
}

/** The value as it is shown while parts of it aren't known. */
export function withoutUnknown(value: Json): Json {
  if (value === unknownValue) return null;
  if (Array.isArray(value)) return value.map(withoutUnknown);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutUnknown(member)]));
}
