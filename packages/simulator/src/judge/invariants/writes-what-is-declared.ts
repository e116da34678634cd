import type { Json } from "@liveplane/core/store";
import { isAdoption } from "../adoptions.ts";
import { heededItems, ownItems, referencesOf, textOf } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { JudgedCloud, ResourceTruth, StoredComponent, Wanted } from "../facts.ts";
import { caselessId, componentName, told } from "../names.ts";
import type { Rule, Wrote } from "../steps.ts";
import { isRefusedLate } from "../writes.ts";

/** A write makes a resource match its declaration, and changes nothing else. */
export function writesWhatIsDeclared(evidence: Evidence): Rule {
  return {
    invariant: "writes-what-is-declared",
    judges: {
      wrote: (write) => {
        const { operation, before, after } = write.change;
        if (after === null) return null;
        if (before === null) return wrongCreation(write, after, evidence);
        if (operation === "remove") return null;
        const tag = wrongTag(write, before, after, evidence);
        if (tag !== null || operation !== "update") return tag;
        const isBound = isRefusedLate(write);
        const what = isBound ? wrongChangeBy(write, before, after) : wrongItemsAside(write, before, after);
        if (what === null) return null;
        const newest = told(write.declared.at(-1)?.parameters as Json);
        return `${write.process} changed ${componentName(write.component)}: ${what}; declared is ${newest}`;
      },
      finished: ({ process, component, cloud, change: { operation, before, after }, declared }) => {
        if (operation !== "update" || before === null || after === null || declared.length === 0) return null;
        const wrong = wrongItemsAside({ declared, cloud }, before, after);
        return wrong === null ? null : `${process} changed ${caselessId(component)} in the end: ${wrong}`;
      },
    },
  };
}

function wrongCreation({ component, declared }: Wrote, after: ResourceTruth, evidence: Evidence): string | null {
  const name = componentName(component);
  if (declared.length === 0) return `${name} was made, and isn't declared`;
  // Ignored places are created as declared, and then belong to the cloud.
  const isFitting = declared.some(
    (one) => evidence.certain({ ...one, ignoreChanges: [] }, after, component).length === 0,
  );
  if (isFitting) return null;
  return `${name} was made as ${told(after.parameters)}, declared is ${told(declared.at(-1)?.parameters as Json)}`;
}

type Writing = Pick<Wrote, "declared" | "cloud"> & Partial<Pick<Wrote, "component">>;

/** What was changed to something that no declaration in force says; `null` if one says all of it. */
function wrongChangeBy(
  { declared, cloud, component }: Writing,
  before: ResourceTruth,
  after: ResourceTruth,
): string | null {
  const wrong = declared.map((one) => wrongChange(one, before, after, { ...cloud, ...component }));
  return wrong.includes(null) ? null : (wrong.at(-1) ?? "it, though it isn't declared");
}

/** The same of a write that nothing refuses: an item may be written into a list that a person has changed since, or written again. */
function wrongItemsAside({ declared, cloud }: Writing, before: ResourceTruth, after: ResourceTruth): string | null {
  const isOthers = (name: string) => declared.some((one) => one.allowExtraItems?.includes(`/${name}`));
  const names = Object.keys(after.parameters).filter(
    (name) => isOthers(name) || isByItems(name, before, after, declared),
  );
  const others = declared.map((one) => ({ ...one, parameters: without(names, one.parameters ?? {}) }));
  const aside = (one: ResourceTruth) => ({ ...one, parameters: without(names, one.parameters) });
  return wrongChangeBy({ declared: others, cloud }, aside(before), aside(after));
}

/** Whether all that a write has changed in a list are items that are declared. */
function isByItems(name: string, before: ResourceTruth, after: ResourceTruth, declared: readonly Wanted[]): boolean {
  const itemsIn = (value: Json | undefined) =>
    Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : null;
  const [was, is] = [itemsIn(before.parameters[name]), itemsIn(after.parameters[name])];
  const wanted = declared.flatMap(({ parameters }) => itemsIn(parameters?.[name]) ?? []);
  return is?.every((item) => was?.includes(item) || wanted.includes(item)) === true && was !== null;
}

function without(names: readonly string[], values: ResourceTruth["parameters"]): ResourceTruth["parameters"] {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

/** A changed tag that is neither declared nor the reconcile tag. */
function wrongTag(write: Wrote, before: ResourceTruth, after: ResourceTruth, evidence: Evidence): string | null {
  const { cloud, change, declared } = write;
  if (isAdoption(write, evidence)) return null;
  const own = new Set(
    declared
      .flatMap((one) => Object.keys((one.parameters?.[cloud.tagParameter] ?? {}) as object))
      .map((key) => key.toLowerCase()),
  );
  for (const key of new Set([...Object.keys(before.tags), ...Object.keys(after.tags)])) {
    const isReconcile = key.toLowerCase() === "platform" && change.operation === "removeTag";
    if (before.tags[key] === after.tags[key] || own.has(key.toLowerCase()) || isReconcile) continue;
    return `${change.operation} of ${change.resourceId} changed the tag ${key}`;
  }
  return null;
}

/** A top-level parameter that was changed to something undeclared; `null` if none. */
function wrongChange(
  { parameters, ignoreChanges, allowExtraItems }: Wanted,
  before: ResourceTruth,
  after: ResourceTruth,
  { tagParameter, appliedItems = {} }: Pick<JudgedCloud, "tagParameter"> & Pick<StoredComponent, "appliedItems">,
): string | null {
  const names = new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)]);
  for (const name of names) {
    if (name === tagParameter || JSON.stringify(before.parameters[name]) === JSON.stringify(after.parameters[name]))
      continue;
    const declared = parameters?.[name];
    if (declared === undefined) return `${name}, which isn't declared`;
    const pointers = (ignoreChanges ?? []).filter((pointer) => pointer === `/${name}`);
    if (pointers.length > 0) return `${name}, whose changes are ignored`;
    if (referencesOf(declared).length > 0) continue;
    const [was, is] = [before.parameters[name], after.parameters[name]];
    if (allowExtraItems?.includes(`/${name}`)) {
      const heeded = (list: Json | undefined) =>
        heededItems(Array.isArray(list) ? list : [], `/${name}`, ignoreChanges ?? []);
      const sides = { before: heeded(was), after: heeded(is) };
      const wrong = wrongItems(heeded(declared), { ...sides, applied: appliedItems[`/${name}`] });
      if (wrong !== null) return `${name}, ${wrong}`;
    } else if (!contains(is, declared, `/${name}`, ignoreChanges ?? [])) return `${name} into ${told(is)}`;
  }
  return null;
}

/** What is wrong with a list to which others may add: each declared item is there, all others were before, and theirs stay. */
function wrongItems(
  declared: readonly Json[],
  {
    before,
    after,
    applied = [],
  }: Readonly<Record<"before" | "after", readonly Json[]>> & {
    readonly applied: readonly string[] | undefined;
  },
): string | null {
  const has = (list: readonly Json[], item: Json) => list.some((one) => textOf(one) === textOf(item));
  const missing = declared.find((item) => !has(after, item));
  if (missing !== undefined) return `which has no ${told(missing)}`;
  const added = after.find((item) => !has(declared, item) && !has(before, item));
  if (added !== undefined) return `which got ${told(added)}`;
  const own = ownItems(declared, before, applied);
  const lost = before.find((item) => !own.includes(item) && !has(after, item));
  return lost === undefined ? null : `which lost ${told(lost)}`;
}

function contains(actual: Json | undefined, declared: Json, at: string, ignored: readonly string[]): boolean {
  if (ignored.includes(at)) return true;
  if (declared === null) return actual === undefined || actual === null;
  if (typeof declared !== "object") return actual === declared;
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(declared)) {
    const heeded = (list: readonly Json[]) => textOf(inOrder(heededItems(list, at, ignored)));
    return Array.isArray(actual) && heeded(declared) === heeded(actual);
  }
  return Object.entries(declared).every(([name, value]) =>
    contains((actual as Record<string, Json>)[name], value, `${at}/${name}`, ignored),
  );
}

/** Items with names have no order. */
function inOrder(list: readonly Json[]): readonly Json[] {
  const nameOf = (item: Json) => (Object(item) as { readonly name?: Json }).name;
  if (!list.every((item) => typeof nameOf(item) === "string")) return list;
  return list.toSorted((one, other) => (String(nameOf(one)) < String(nameOf(other)) ? -1 : 1));
}
