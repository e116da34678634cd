import { canonicalJson, childOf, isObject, type JsonObject } from "../../json-pointer.ts";
import { plainType, type ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { holdsUnknown, unknownValue } from "../declarations/references.ts";
import { type Shape, shapeBelow } from "../declarations/shape.ts";

/** How two values are compared, besides the facts of their place. */
export interface Comparison {
  readonly type: ResourceType;
  readonly unapplied: ReadonlySet<string>;
  readonly scope: string;
  /** Settled forms by pointer, for the walk that finds where values differ. */
  readonly settled: ReadonlyMap<string, Json>;
  readonly ignored: readonly string[];
  readonly extraItems: ExtraItems;
  readonly work: Work;
}

/** Pointers of lists that may hold additional items, each with the names of the items once applied to it. */
export type ExtraItems = Readonly<Record<string, readonly string[]>>;

/** The work of one comparison, counted in steps instead of time, so that equal values always give equal answers. */
export interface Work {
  steps: number;
  /** The members of objects whose names are links, by link. */
  readonly links: Map<JsonObject, ReadonlyMap<string, Json>>;
}

/** After this many steps, a list that still needs item-by-item pairing counts as different. */
const mostSteps = 500_000;

/** More items than this without any distinction aren't paired one by one. */
const mostPaired = 1000;

/** Starts a comparison. */
export function comparisonBy(how: Omit<Comparison, "work">): Comparison {
  const { type, unapplied, scope, settled, ignored, extraItems } = how;
  return { type, unapplied, scope, settled, ignored, extraItems, work: { steps: 0, links: new Map() } };
}

/** Whether the actual value is the declared one in any of the cloud's spellings. Ignores what isn't declared. */
export function matches(declared: Json, actual: Json | undefined, shape: Shape | undefined, by: Comparison): boolean {
  by.work.steps += 1;
  if (isUnread(shape))
    return holdsUnknown(declared) || (!by.unapplied.has(shape.unread) && unreadMatches(declared, actual, shape, by));
  if (declared === actual) return true;
  if (declared === null) return actual === undefined || typeof actual === "function";
  if (declared === unknownValue || isLeftOpen(declared, shape, by)) return true;
  if ((actual === undefined || actual === null) && by.type.omitsEmpty === true) {
    // A missing object counts only together with everything declared in it.
    if (!isObject(declared)) return isEmpty(declared, shape);
    return Object.keys(declared).length > 0 && objectMatches(declared, nothing, shape, by);
  }
  if (typeof declared !== "object")
    return isScalar(actual) && formOf(declared, shape, by) === formOf(actual, shape, by);
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(declared)) return Array.isArray(actual) && listMatches(declared, actual, shape, by);
  return !Array.isArray(actual) && objectMatches(declared as JsonObject, actual as JsonObject, shape, by);
}

/** Whether a value leaves the choice to the cloud. */
function isLeftOpen(declared: Json, shape: Shape | undefined, { type }: Pick<Comparison, "type">): boolean {
  if (typeof declared === "string") return type.undecided?.test(declared) === true;
  return shape?.filled === true && Array.isArray(declared) && declared.length === 0;
}

/** Some clouds show what they aren't said to show. Then it is compared as far as it is shown; a secret may be shown masked. */
function unreadMatches(declared: Json, actual: Json | undefined, shape: Shape, by: Comparison): boolean {
  if (shape.secret || declared === null || actual === undefined || actual === null) return true;
  return matches(shownOf(declared, actual), actual, { ...shape, unread: null }, by);
}

/** The members of a declared value that are there too. */
function shownOf(declared: Json, actual: Json | undefined): Json {
  if (Array.isArray(declared) && Array.isArray(actual)) return declared.map((item, at) => shownOf(item, actual[at]));
  if (!isObject(declared) || !isObject(actual)) return declared;
  const names = Object.keys(declared).filter((name) => Object.hasOwn(actual, name));
  return Object.fromEntries(names.map((name) => [name, shownOf(declared[name] as Json, actual[name])]));
}

/** What is shown, as far as it is declared. Items that may be in any order count as far as one of them is. */
export function seenBy(declared: Json, shown: Json, shape: Shape | undefined): Json {
  if (Array.isArray(declared) && Array.isArray(shown) && declared.length === shown.length) {
    const any = shape?.set === true ? together(declared) : undefined;
    return shown.map((item, at) => seenBy(any ?? (declared[at] as Json), item, shape?.any));
  }
  if (!isObject(declared) || !isObject(shown)) return shown;
  const names = Object.keys(declared).filter((name) => Object.hasOwn(shown, name));
  return names.length === 0
    ? shown
    : Object.fromEntries(
        names.map((name) => [name, seenBy(declared[name] as Json, shown[name] as Json, shapeBelow(shape, name))]),
      );
}

/** All members that any of these values has; of values that aren't objects, the first. */
function together(values: readonly Json[]): Json | undefined {
  const objects = values.filter(isObject);
  if (objects.length === 0) return values[0];
  const names = new Set(objects.flatMap((one) => Object.keys(one)));
  const below = (name: string) => objects.map((one) => childOf(one, name)).filter((value) => value !== undefined);
  return Object.fromEntries([...names].map((name) => [name, together(below(name)) ?? null]));
}

/** Whether two values are the same where no table says anything of them: those of tags. */
export function sameValue(declared: Json, actual: Json | undefined): boolean {
  return declared === actual || matches(declared, actual, undefined, comparisonBy(noFacts));
}

/** Whether the cloud never returns the value there. */
export function isUnread(shape: Shape | undefined): shape is Shape & { readonly unread: string } {
  return shape !== undefined && shape.unread !== null;
}

const noFacts: Omit<Comparison, "work"> = {
  type: plainType,
  unapplied: new Set(),
  scope: "",
  settled: new Map(),
  ignored: [],
  extraItems: {},
};

function objectMatches(declared: JsonObject, actual: JsonObject, shape: Shape | undefined, by: Comparison): boolean {
  for (const name in declared)
    if (!memberMatches(name, declared[name] as Json, memberOf(actual, name, by), shapeBelow(shape, name), by))
      return false;
  return true;
}

/** Whether a member matches. A member of a known set of words may differ in case. */
export function memberMatches(
  name: string,
  declared: Json,
  actual: Json | undefined,
  shape: Shape | undefined,
  by: Comparison,
): boolean {
  if (matches(declared, actual, shape, by)) return true;
  if (by.type.words?.test(name) !== true || typeof declared !== "string" || typeof actual !== "string") return false;
  return declared.toLowerCase() === actual.toLowerCase();
}

const nothing: JsonObject = {};

function listMatches(
  declared: readonly Json[],
  actual: readonly Json[],
  shape: Shape | undefined,
  by: Comparison,
): boolean {
  if (declared.length !== actual.length) return false;
  if (shape?.set === true) return setMatches(declared, actual, shape, by);
  for (let at = 0; at < declared.length; at++)
    if (!matches(declared[at] as Json, actual[at], shape?.any, by)) return false;
  return true;
}

/** Whether elements can be paired in any order. Scalars are counted; objects are paired among those with equal scalar members. */
function setMatches(declared: readonly Json[], actual: readonly Json[], { any }: Shape, by: Comparison): boolean {
  if (isUnread(any)) return declared.length === 0 || !by.unapplied.has(any.unread);
  const known = declared.filter((item) => item !== unknownValue);
  const names = tellingNames(known.filter(isObject), any, by);
  const groupOf = (item: Json) => groupIn(item, names, any, by);
  const there = Map.groupBy(actual, groupOf);
  for (const [group, items] of Map.groupBy(known, groupOf)) {
    const others = there.get(group) ?? [];
    if (others.length < items.length || (!isScalar(items[0]) && !pairOff(items, others, any, by))) return false;
  }
  return true;
}

/** The members that are non-empty scalars in each of some objects: where these differ, the objects differ. */
function tellingNames(items: readonly JsonObject[], shape: Shape | undefined, by: Comparison): readonly string[] {
  const tells = (name: string, item: JsonObject) => {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    const below = shapeBelow(shape, name);
    if (!isScalar(value) || value === null || isUnread(below) || name.includes("/")) return false;
    if (isLeftOpen(value, below, by)) return false;
    return by.type.omitsEmpty !== true || !isEmpty(value, below);
  };
  let names = Object.keys(items[0] ?? {});
  for (const item of items) names = names.filter((name) => tells(name, item));
  return names;
}

function groupIn(item: Json, names: readonly string[], shape: Shape | undefined, by: Comparison): string {
  by.work.steps += 1 + names.length;
  if (isScalar(item)) return formOf(item, shape, by);
  if (!isObject(item)) return "[";
  const forms = names.map((name) => {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    return isScalar(value) ? formOf(value, shapeBelow(shape, name), by) : "";
  });
  return `{${JSON.stringify(forms)}`;
}

/**
 * Whether each item can be paired with another. Equal texts are paired first. An item that fits several then gives way to one that fits
 * only what it has taken.
 */
function pairOff(items: readonly Json[], others: readonly Json[], shape: Shape | undefined, by: Comparison): boolean {
  if (items.length === 1 && others.length === 1) return matches(items[0] as Json, others[0], shape, by);
  const takenBy = new Map<number, number>();
  const left = pairSame(items, others, takenBy, (item, other) => matches(item, other, shape, by));
  if (left === null) return false;
  const order = [...others.keys()].sort((a, b) => Number(takenBy.has(a)) - Number(takenBy.has(b)));
  const finds = (item: number, tried: Set<number>): boolean =>
    order.some((at) => {
      by.work.steps += 1;
      if (tried.has(at) || by.work.steps > mostSteps || tried.size > mostPaired) return false;
      if (!matches(items[item] as Json, others[at], shape, by)) return false;
      tried.add(at);
      const holder = takenBy.get(at);
      if (holder !== undefined && !finds(holder, tried)) return false;
      takenBy.set(at, item);
      return true;
    });
  return left.every((item) => finds(item, new Set()));
}

/** Pairs items with equal texts and returns the rest; `null` if too many are left. */
function pairSame(
  items: readonly Json[],
  others: readonly Json[],
  takenBy: Map<number, number>,
  fits: (item: Json, other: Json) => boolean,
): number[] | null {
  const byText = Map.groupBy(others.keys(), (at) => canonicalJson(others[at]));
  const left: number[] = [];
  for (const [item, value] of items.entries()) {
    const at = byText.get(canonicalJson(value))?.pop();
    if (at !== undefined && fits(value, others[at] as Json)) takenBy.set(at, item);
    else if (left.push(item) > mostPaired) return null;
  }
  return left;
}

/** A member by name. A name that is a resource link may have another spelling. */
export function memberOf(actual: JsonObject, name: string, { type, scope, work }: Comparison): Json | undefined {
  const own = Object.hasOwn(actual, name) ? actual[name] : undefined;
  if (own !== undefined || type.linkOf === undefined || !name.includes("/")) return own;
  const link = type.linkOf(name, scope);
  if (link === null) return undefined;
  const known = work.links.get(actual) ?? linksIn(actual, type.linkOf, scope);
  work.links.set(actual, known);
  return known.get(link);
}

function linksIn(object: JsonObject, linkOf: NonNullable<ResourceType["linkOf"]>, scope: string) {
  const links = new Map<string, Json>();
  for (const [name, value] of Object.entries(object)) {
    const link = linkOf(name, scope);
    if (link !== null && !links.has(link)) links.set(link, value);
  }
  return links;
}

type Scalar = string | number | boolean | null;

function isScalar(value: Json | undefined): value is Scalar {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** One text for all spellings of a scalar at its place. */
function formOf(value: Scalar, shape: Shape | undefined, { type, scope }: Pick<Comparison, "type" | "scope">): string {
  const digits = shape?.wholeNumber === true ? digitsOf(value) : null;
  if (digits !== null) return String(BigInt(digits));
  if (typeof value !== "string") return String(value);
  const text = type.linkOf?.(value, scope) ?? (shape?.range === true ? value.replace(/^(\d+)-\1$/, "$1") : value);
  return `"${shape?.caseless === true ? text.replaceAll(/\s/g, "").toLowerCase() : text}`;
}

/** A number too large for JSON's precision is compared only as text. */
function digitsOf(value: Scalar): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "string" && /^-?\d{1,20}$/.test(value) ? value : null;
}

function isEmpty(value: Json, shape: Shape | undefined): boolean {
  if (shape?.keepsEmpty === true) return false;
  if (Array.isArray(value)) return value.length === 0;
  return value === false || value === 0 || value === "" || (shape?.wholeNumber === true && value === "0");
}
