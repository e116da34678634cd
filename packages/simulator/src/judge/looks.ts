import type { Reading, SeenResource } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import { referencesOf } from "./comparison.ts";
import type { Evidence } from "./evidence.ts";
import type { Broken, StoredComponent, Wanted } from "./facts.ts";
import { componentName, told } from "./names.ts";
import type { Sighting, Step, StepOf } from "./steps.ts";

/** The result of searching for a read that explains a commit. */
type Explained = { readonly broken: Broken } | { readonly by: Reading } | null;

/** Whatever new the agent's commit says about a component, one of its own reads shows exactly that. `null` if it says nothing new. */
export function explain(
  step: StepOf<"component-stored">,
  evidence: Evidence,
  judged: (step: Step) => Broken | null,
): Explained {
  const { before, after, process, since } = step;
  if (before === null || after === null || after.updatedBy !== "agent" || !saysAnything(before, after)) return null;
  if (isUnreadable(before, after)) return null;
  const names = [before.resource.id, after.resource.id, before.intent, after.intent];
  const sightings = [...neverMade(before, since), ...evidence.sightings.of(process, names, since)];
  if (evidence.declared(after) === null) {
    const last = sightings.findLast(({ reading }) => resourceIn(reading) !== null);
    return last === undefined ? null : { by: last.reading };
  }
  const declared = evidence.declaredSince(after, since);
  if (declared.length === 0 || isWaiting(before, after)) return null;
  const unexplained = (detail: string): Broken => ({ invariant: "override-moves-as-seen", detail });
  let closest = unexplained("nothing was read");
  for (const { reading } of sightings) {
    for (const one of declared) {
      const look = reading.state === "unreadable" ? null : lookOf({ ...step, before, after }, reading, one, evidence);
      const broken = look === null ? unexplained("it couldn't be read") : judged(look);
      if (broken === null) return { by: reading };
      closest = broken;
    }
  }
  const last = sightings.slice(-2).map(({ reading }) => reading);
  const [name, wanted] = [componentName(after), told(declared.at(-1)?.parameters as Json)];
  const detail = `${name}: ${closest.detail}, after ${told(last)}, declared ${wanted}`;
  return { broken: { invariant: closest.invariant, detail } };
}

/** Every read that the agent's commit may be based on, held against each declaration that was in force since. @internal */
export function everyLook(step: Found, evidence: Evidence): StepOf<"look" | "glimpse">[] {
  const { before, after, process, since } = step;
  const names = [before.resource.id, after.resource.id, before.intent, after.intent];
  const sightings = [...neverMade(before, since), ...evidence.sightings.of(process, names, since)];
  const declared = evidence.declaredSince(after, since);
  return sightings.flatMap(({ reading }) => declared.map((one) => lookOf(step, reading, one, evidence)));
}

/** The resource in a reading, whatever else it says. */
export function resourceIn(reading: Reading): SeenResource | null {
  if (reading.state === "present") return reading;
  return reading.state === "working" || reading.state === "failed" ? (reading.resource ?? null) : null;
}

/** Whether a commit says anything new that a read must explain. */
export function saysAnything(before: StoredComponent, after: StoredComponent): boolean {
  if (before.status !== after.status || before.lost !== after.lost) return true;
  const isSame =
    before.observed === after.observed || JSON.stringify(before.observed) === JSON.stringify(after.observed);
  return !isSame || JSON.stringify(valuesOf(before)) !== JSON.stringify(valuesOf(after));
}

/** A commit that changes a component. */
export type Found = StepOf<"component-stored"> & { readonly before: StoredComponent; readonly after: StoredComponent };

function lookOf(
  { before, after, order, at }: Found,
  reading: Reading,
  declared: Wanted,
  evidence: Evidence,
): StepOf<"look" | "glimpse"> {
  const resource = resourceIn(reading);
  const common = { before, after, reading, resource, declared, cloud: evidence.cloudOf(after), order, at };
  if (reading.state === "working" || (reading.state === "failed" && resource === null))
    return { kind: "glimpse", ...common };
  const actual = resource ?? { tags: {}, parameters: {} };
  // For a missing resource everything declared differs, including what is ignored while it exists.
  const held = resource === null ? { ...declared, ignoreChanges: [] } : declared;
  const { names } = evidence.compared(held, actual, after, evidence.asStored(after));
  const parameters = Object.entries(declared.parameters ?? {});
  const referring = new Set(parameters.flatMap(([name, value]) => (referencesOf(value).length > 0 ? [name] : [])));
  return { kind: "look", ...common, differing: names.filter((name) => !referring.has(name)), referring };
}

/** A resource without an ID that was never looked for by intent is missing without a read. */
function neverMade({ resource, intent }: StoredComponent, order: number): Sighting[] {
  return resource.id === null && intent === null ? [{ order, at: 0, reading: { state: "missing" } }] : [];
}

function valuesOf({ conditions: { readable, exists, inSync } }: StoredComponent) {
  return [readable.value, exists.value, inSync.value];
}

/** A failed read changes nothing, except that the component says so. */
function isUnreadable(before: StoredComponent, after: StoredComponent): boolean {
  const { readable, exists, inSync } = after.conditions;
  const isSame =
    before.status === after.status &&
    before.lost === after.lost &&
    JSON.stringify(before.observed) === JSON.stringify(after.observed) &&
    before.conditions.exists.value === exists.value;
  return isSame && readable.value === false && inSync.value === null;
}

/** While a cloud is working, or doesn't show a new resource yet, nothing changes except that the component says so. */
function isWaiting(before: StoredComponent, after: StoredComponent): boolean {
  const isSame = before.status === after.status && before.lost === after.lost;
  return isSame && ["InTransition", "ProvisioningFailed"].includes(after.conditions.inSync.reason);
}
