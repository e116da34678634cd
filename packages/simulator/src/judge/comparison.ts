import type { Json } from "@liveplane/core/store";
import type { JudgedCloud, SentComponent, StoredComponent } from "./facts.ts";

type Values = Readonly<Record<string, Json>>;
type Tags = Readonly<Record<string, string>>;

/** The value of a reference now; `undefined` if it has none. */
export type Meaning = (reference: Referred) => Json | undefined;

/** An output of another component, or a secret. */
export type Referred =
  | { readonly kind: "output"; readonly path: string; readonly output: string }
  | { readonly kind: "secret"; readonly name: string };

/** The comparable part of a declaration. */
export type Comparable = Pick<SentComponent, "type" | "parameters" | "ignoreChanges" | "allowExtraItems">;

/** A comparison: the differing top-level parameters, and whether all references have values. */
export interface Compared {
  readonly names: readonly string[];
  readonly resolved: boolean;
}

/** What a comparison goes by, besides the facts of the cloud. */
interface ComparedBy {
  readonly lookup: Meaning;
  readonly settled?: StoredComponent["settled"];
  readonly appliedItems?: StoredComponent["appliedItems"];
}

/**
 * Compares in the simplest possible way: leaf by leaf, lists by length and position, ignoring what isn't declared. A list may have an order
 * that was learned as a spelling.
 */
export function comparedWith(
  declared: Comparable,
  actual: { readonly tags: Tags; readonly parameters: Values },
  cloud: JudgedCloud,
  { lookup, settled = {}, appliedItems = {} }: ComparedBy,
): Compared {
  const parameters = declared.parameters ?? {};
  const { parameter, members = [] } = cloud.words ?? {};
  // Places with the cloud's own forms have separate rules.
  const worded = members.map((member) => `/${parameter}/${member}`);
  const [ignored, sets] = [[...(declared.ignoreChanges ?? []), ...worded], cloud.setsOf(declared.type)];
  const extras = new Map((declared.allowExtraItems ?? []).map((pointer) => [pointer, appliedItems[pointer] ?? []]));
  const walk: Walk = { ignored, sets, extras, tagsAt: `/${cloud.tagParameter}`, lookup, settled, resolved: true };
  const unseen = cloud.unseenOf?.(declared.type) ?? [];
  const names = Object.keys(parameters).filter((name) => {
    if (unseen.includes(name)) return false;
    const isTags = name === cloud.tagParameter;
    const own = isTags ? tagsAs(parameters[name], actual.tags, cloud) : actual.parameters[name];
    return differs(parameters[name], own, `/${name}`, walk);
  });
  return { names, resolved: walk.resolved };
}

/** The references in a value, apart from those at ignored places. */
export function referencesOf(value: Json | undefined, ignored: readonly string[] = [], at = ""): Referred[] {
  if (typeof value !== "object" || value === null || ignored.includes(at)) return [];
  const reference = asReference(value);
  if (reference !== null) return [reference];
  return Object.entries(value).flatMap(([name, member]) => referencesOf(member, ignored, `${at}/${name}`));
}

interface Walk {
  /** Where tags are declared: empty ones require nothing. */
  readonly tagsAt: string;
  readonly ignored: readonly string[];
  readonly sets: readonly string[];
  /** The lists that may hold more items than are declared, with the names of those once applied. */
  readonly extras: ReadonlyMap<string, readonly string[]>;
  readonly lookup: Meaning;
  readonly settled: NonNullable<ComparedBy["settled"]>;
  resolved: boolean;
}

function differs(declared: Json | undefined, actual: Json | undefined, at: string, walk: Walk): boolean {
  if (declared === undefined || walk.ignored.includes(at)) return false;
  const reference = asReference(declared);
  if (reference !== null) {
    const wanted = walk.lookup(reference);
    if (wanted === undefined) walk.resolved = false;
    return wanted !== undefined && !isSameJson(wanted, actual);
  }
  if (declared === null) return actual !== undefined && actual !== null;
  if (typeof declared !== "object") return declared !== actual;
  const isTags = at === walk.tagsAt;
  if (typeof actual !== "object" || actual === null) return isTags ? Object.keys(declared).length > 0 : true;
  if (Array.isArray(declared)) {
    if (!Array.isArray(actual)) return true;
    const applied = walk.extras.get(at);
    const own = heededItems(applied === undefined ? actual : ownItems(declared, actual, applied), at, walk.ignored);
    const wanted = heededItems(declared, at, walk.ignored);
    if (own.length !== wanted.length) return true;
    if (walk.sets.includes(at) || isSameJson(walk.settled[at]?.form, actual)) return !sameSet(wanted, own);
    return wanted.some((item, place) => differs(item, own[place], `${at}/${place}`, walk));
  }
  if (Array.isArray(actual)) return true;
  const names = Object.keys(declared);
  if (names.length === 0) return !isTags && Object.keys(actual).length > 0;
  const [mine, theirs] = [declared as Values, actual as Values];
  return names.some((name) => differs(mine[name], theirs[name], `${at}/${name}`, walk));
}

/** The items of a list that are declared, or were applied once. The others are somebody else's. */
export function ownItems(
  declared: readonly Json[],
  actual: readonly Json[],
  applied: readonly string[],
): readonly Json[] {
  const hasName = (item: Json) => typeof (item as Values | null)?.name === "string";
  const isNamed = hasNames(declared.length === 0 ? actual : declared) && actual.every(hasName);
  const nameOf = (item: Json) => (isNamed ? `name=${(item as Values).name}` : JSON.stringify(item));
  const left = declared.map(nameOf);
  return actual.filter((item) => {
    const at = left.indexOf(nameOf(item));
    // Without names, each declared item is found once.
    if (at !== -1 && !isNamed) left.splice(at, 1);
    return at !== -1 || applied.includes(nameOf(item));
  });
}

/** The items of a list whose changes aren't ignored. */
export function heededItems(list: readonly Json[], at: string, ignored: readonly string[]): readonly Json[] {
  return list.filter((item) => !ignored.includes(`${at}/name=${(item as Values | null)?.name}`));
}

/** Whether each item has a name that no other one has. */
function hasNames(items: readonly Json[]): boolean {
  const names = items.map((item) => (item as Values | null)?.name);
  return names.every((name) => typeof name === "string") && new Set(names).size === items.length;
}

/** A text of a value that is the same whatever order the members of its objects come in. */
export function textOf(value: Json | object): string {
  return JSON.stringify(value, (_, one: Json) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether lists have the same items, in whatever order. */
export function sameSet(a: readonly Json[], b: readonly Json[]): boolean {
  const sorted = (items: readonly Json[]) => items.map((item) => JSON.stringify(item)).sort();
  return sorted(a).join() === sorted(b).join();
}

function asReference(value: Json): Referred | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { $output, $secret } = value as Values;
  if (typeof $secret === "string") return { kind: "secret", name: $secret };
  if (typeof $output !== "string") return null;
  const [path = "", output = ""] = $output.split("#");
  return { kind: "output", path, output };
}

/** A resource's tags in the declaration's spelling. */
function tagsAs(declared: Json | undefined, tags: Tags, { caselessTagKeys }: JudgedCloud): Json {
  const names = Object.keys((declared ?? {}) as Values);
  const spelled = new Map(names.map((name) => [caselessTagKeys ? name.toLowerCase() : name, name]));
  return Object.fromEntries(
    Object.entries(tags).map(([key, value]) => [spelled.get(caselessTagKeys ? key.toLowerCase() : key) ?? key, value]),
  );
}

/** Whether the management tag is set. */
export function carriesManagementTag(tags: Tags, cloud: JudgedCloud): boolean {
  return carries(tags, "managed-by", "platform", cloud);
}

/** Whether the reconcile tag is set. */
export function carriesReconcileTag(tags: Tags, cloud: JudgedCloud): boolean {
  return carries(tags, "platform", "reconcile", cloud);
}

function carries(tags: Tags, key: string, value: string, { caselessTagKeys }: JudgedCloud): boolean {
  return Object.entries(tags).some(
    ([own, has]) => (caselessTagKeys ? own.toLowerCase() === key : own === key) && has === value,
  );
}
