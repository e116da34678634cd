import type { Json } from "@liveplane/core/store";
import { referencesOf, resolvedOf } from "./comparison.ts";
import type { Wanted } from "./declarations.ts";
import { type Evidence, type Sent, told } from "./evidence.ts";
import type { JudgedCloud, ResourceChanged, ResourceTruth, StoredComponent } from "./facts.ts";

/** What a write may make of a component: what was in force when the process last looked, or since. */
export function forms(component: StoredComponent, sent: Sent, evidence: Evidence): readonly Wanted[] {
  return evidence.declaredSince(component, decidedAfter(component, sent));
}

/** A place in the order that a write was decided behind: what is declared is looked at last of all, and no time passes until it goes out. */
export function decidedAfter({ liveSystemId }: StoredComponent, { looks, order }: Sent): number {
  return looks.get(liveSystemId.toLowerCase()) ?? order;
}

/** A change of a component's resource. */
interface Changed {
  readonly component: StoredComponent;
  readonly cloud: JudgedCloud;
  readonly change: ResourceChanged;
  readonly evidence: Evidence;
}

/** What nothing binds to what was read is corrected only where the component accepts that. */
export function judgeBound({ component, cloud, change, evidence }: Changed, declared: readonly Wanted[]) {
  const { before, after } = change;
  const bound = cloud.bindingsOf(component.type);
  const differs = (some: object | undefined, others: object | undefined) =>
    JSON.stringify(some) !== JSON.stringify(others);
  const isUnbound =
    (bound.properties === "none" && differs(before?.parameters, after?.parameters)) ||
    (bound.tags === "none" && differs(before?.tags, after?.tags));
  if (isUnbound && !declared.some(({ unconditionalWrites }) => unconditionalWrites))
    evidence.fail("writes-what-is-bound", `${change.resourceId} was changed, and nothing binds writes of its type`);
}

/** A top-level parameter that was changed into something that isn't declared; `null`: there is none. */
export function wrongChange(
  { parameters, ignoreChanges }: Wanted,
  before: ResourceTruth,
  after: ResourceTruth,
  { tagParameter }: JudgedCloud,
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
    if (!contains(after.parameters[name], declared, `/${name}`, ignoreChanges ?? []))
      return `${name} into ${told(after.parameters[name])}`;
  }
  return null;
}

/** Whether all that is declared is there. */
function contains(actual: Json | undefined, declared: Json, at: string, ignored: readonly string[]): boolean {
  if (ignored.includes(at)) return true;
  if (declared === null) return actual === undefined || actual === null;
  if (typeof declared !== "object") return actual === declared;
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(declared)) return JSON.stringify(resolvedOf(declared, () => undefined)) === JSON.stringify(actual);
  return Object.entries(declared).every(([name, value]) =>
    contains((actual as Record<string, Json>)[name], value, `${at}/${name}`, ignored),
  );
}
