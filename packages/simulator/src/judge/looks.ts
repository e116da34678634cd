import type { Reading, SeenResource } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import { carriesManagementTag, carriesReconcileTag, referencesOf } from "./comparison.ts";
import type { Wanted } from "./declarations.ts";
import { componentName, type Evidence, placeKey, type Sighting, told } from "./evidence.ts";
import type { Invariant, StoredComponent } from "./facts.ts";
import { wrongAtLeft } from "./left-to-the-cloud.ts";
import { type Glance, placesAfter } from "./moves.ts";
import { wrongSaid } from "./said.ts";

/** A component before and after a commit of the agent. */
export interface LookStep {
  readonly before: StoredComponent;
  readonly after: StoredComponent;
  readonly process: string;
  /** When `before` was stored: what the commit is about was seen later. */
  readonly from: number;
}

/** Whatever a commit of the agent says anew of a component, one of its own looks shows exactly that. */
export function judgeLook(step: LookStep, evidence: Evidence) {
  const { before, after, process, from } = step;
  if (!saysAnything(before, after)) return;
  const isUnseen = evidence.unseen.has(placeKey(after.provider, after.resource.id ?? ""));
  if (isUnseen && after.conditions.exists.value === false && before.conditions.exists.value !== false)
    return evidence.fail("shown-as-last-read", `${componentName(after)} is said to be gone, and is only not seen yet`);
  const sightings = [...neverMade(before, from), ...evidence.sightings(process, namesOf(before, after), from)];
  if (evidence.declarations.newest(after.liveSystemId, after.path) === null) {
    const last = sightings.findLast(({ reading }) => shownIn(reading) !== null);
    if (last !== undefined) remember(after, last, evidence);
    return;
  }
  const declared = evidence.declaredSince(after, from);
  if (declared.length === 0) return;
  let closest: Mismatch | null =
    isUnreadable(before, after) || isWaiting(before, after)
      ? null
      : { invariant: "override-moves-as-seen", detail: "nothing was read" };
  if (closest === null) return;
  for (const sighting of sightings) {
    for (const one of declared) {
      const wrong = mismatch(step, sighting, one, evidence);
      if (wrong === null) return remember(after, sighting, evidence);
      closest = wrong;
    }
  }
  const last = sightings.slice(-2).map(({ reading }) => reading);
  evidence.fail(
    closest.invariant,
    `${componentName(after)}: ${closest.detail}, after ${told(last)}, declared ${told(declared.at(-1)?.parameters as Json)}`,
  );
}

interface Mismatch {
  readonly invariant: Invariant;
  readonly detail: string;
}

/** What has no id, and was never sought under an intent, is missing without a look. */
function neverMade({ resource, intent }: StoredComponent, order: number): Sighting[] {
  return resource.id === null && intent === null ? [{ order, at: 0, reading: { state: "missing" } }] : [];
}

function namesOf(before: StoredComponent, after: StoredComponent): readonly (string | null)[] {
  return [before.resource.id, after.resource.id, before.intent, after.intent];
}

function saysAnything(before: StoredComponent, after: StoredComponent): boolean {
  if (before.status !== after.status || before.lost !== after.lost) return true;
  const isSame =
    before.observed === after.observed || JSON.stringify(before.observed) === JSON.stringify(after.observed);
  return !isSame || JSON.stringify(valuesOf(before)) !== JSON.stringify(valuesOf(after));
}

function valuesOf({ conditions: { readable, exists, inSync } }: StoredComponent) {
  return [readable.value, exists.value, inSync.value];
}

/** What couldn't be read changes nothing but that it says so. */
function isUnreadable(before: StoredComponent, after: StoredComponent): boolean {
  const same =
    before.status === after.status &&
    before.lost === after.lost &&
    JSON.stringify(before.observed) === JSON.stringify(after.observed);
  return (
    same &&
    after.conditions.readable.value === false &&
    after.conditions.inSync.value === null &&
    before.conditions.exists.value === after.conditions.exists.value
  );
}

/** What the cloud is still at, or has just made and doesn't show yet, changes nothing but that it says so. */
function isWaiting(before: StoredComponent, after: StoredComponent): boolean {
  const same = before.status === after.status && before.lost === after.lost;
  return same && ["InTransition", "ProvisioningFailed"].includes(after.conditions.inSync.reason);
}

/** What of a commit a sighting doesn't explain; `null`: it explains all of it. */
function mismatch(step: LookStep, { reading }: Sighting, declared: Wanted, evidence: Evidence): Mismatch | null {
  const { before, after } = step;
  if (reading.state === "unreadable") {
    return isUnreadable(before, after) ? null : { invariant: "override-moves-as-seen", detail: "it couldn't be read" };
  }
  const resource = shownIn(reading);
  if (reading.state === "working" || (reading.state === "failed" && resource === null))
    return mismatchAtWork(step, resource?.tags, evidence);
  const isThere = resource !== null;
  const actual = resource ?? { tags: {}, parameters: {} };
  // Of what is gone all that is declared differs, whatever is left to the cloud while it is there.
  const held = isThere ? declared : { ...declared, ignoreChanges: [] };
  const { names } = evidence.compared(held, actual, after, evidence.asStored(after.liveSystemId));
  const cloud = evidence.cloudOf(after);
  // What refers to something is judged at rest: what it stood for at the moment of the look is the look's to know.
  const open = new Set(referring(declared));
  const certain = names.filter((name) => !open.has(name));
  const governed = declared.overrideWith != null && before.status === "Active";
  const look = { managed: false, asked: false, another: false };
  if (resource !== null) {
    look.managed = governed || carriesManagementTag(resource.tags, cloud);
    look.asked = !governed && carriesReconcileTag(resource.tags, cloud);
    look.another = isAnother(before, resource.identity ?? null, evidence);
  }
  // What the cloud gave up isn't as it is declared, whatever it looks like.
  const isOff = certain.length > 0 || reading.state === "failed";
  const verdicts = isOff ? [true] : [false, ...(open.size > 0 || isToldToHaveFailed(after, evidence) ? [true] : [])];
  const places = verdicts.flatMap((differs) => {
    const seen: Glance = isThere ? { state: "present", ...look, differs } : { state: "missing" };
    return placesAfter(before, seen, circumstancesOf(step, evidence));
  });
  if (!places.some(({ status, lost }) => status === after.status && lost === after.lost))
    return { invariant: "override-moves-as-seen", detail: `it went from ${placeOf(before)} to ${placeOf(after)}` };
  const neverThere = !isThere && !before.provisioned;
  const differing = neverThere ? [] : certain;
  const shown = Object.keys(after.observed.drift);
  if (
    !sameNames(
      differing,
      shown.filter((name) => !open.has(name)),
    )
  )
    return {
      invariant: "drift-as-last-read",
      detail: `it shows the drift ${told(shown)}, what differs is ${told(differing)}`,
    };
  const wrongValue = resource && wrongDrift(after, declared, resource.parameters, cloud.tagParameter);
  if (wrongValue !== null)
    return { invariant: "drift-as-last-read", detail: `its drift of ${wrongValue} isn't what is declared and there` };
  const left = resource && wrongAtLeft(after, declared, resource.parameters, cloud);
  if (left !== null) return { invariant: "left-to-the-cloud", detail: left };
  const said = resource && wrongSaid(before, after, resource.tags, cloud);
  if (said !== null) return { invariant: "override-says-what-was-said", detail: said };
  return mismatchShown(
    step,
    { isThere, outputs: resource?.outputs ?? null, differs: shown.length > 0, refers: open.size > 0, neverThere },
    evidence,
  );
}

/** Its operation said that it came to nothing, where its resource says nothing of the kind. */
function isToldToHaveFailed({ provider, resource, conditions }: StoredComponent, { givenUp }: Evidence): boolean {
  return conditions.inSync.reason === "ProvisioningFailed" && givenUp.has(placeKey(provider, resource.id ?? ""));
}

/** The resource that a reading shows, whatever else it says of it. */
function shownIn(reading: Reading): SeenResource | null {
  if (reading.state === "present") return reading;
  return reading.state === "working" || reading.state === "failed" ? (reading.resource ?? null) : null;
}

/** What a cloud is at, or gave up without showing it: a tag that is seen off rules it like any other, and nothing else moves. */
function mismatchAtWork(
  { before, after }: LookStep,
  tags: Readonly<Record<string, string>> | undefined,
  evidence: Evidence,
): Mismatch | null {
  const governed = evidence.declared(after)?.overrideWith != null && before.status === "Active";
  const isOff = tags !== undefined && !governed && !carriesManagementTag(tags, evidence.cloudOf(after));
  const wanted = isOff ? "ManualOverride" : before.status;
  const said = wrongSaid(before, after, tags ?? {}, evidence.cloudOf(after));
  if (said !== null) return { invariant: "override-says-what-was-said", detail: said };
  if (after.status === wanted && after.conditions.inSync.value !== true) return null;
  return { invariant: "override-moves-as-seen", detail: `it went from ${placeOf(before)} to ${placeOf(after)}` };
}

function sameNames(some: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}

interface Shown {
  readonly isThere: boolean;
  readonly outputs: Readonly<Record<string, Json>> | null;
  readonly differs: boolean;
  readonly refers: boolean;
  readonly neverThere: boolean;
}

/** Reasons for which what shows no difference isn't in sync all the same. */
const otherReasons: readonly string[] = ["Blocked", "InTransition", "ProvisioningFailed", "Unresolved"];

function mismatchShown(
  { before, after }: LookStep,
  { isThere, outputs, differs, refers, neverThere }: Shown,
  evidence: Evidence,
): Mismatch | null {
  const { readable, exists, inSync } = after.conditions;
  const shown = (detail: string): Mismatch => ({ invariant: "shown-as-last-read", detail });
  if (!sameOutputs(outputs ?? before.observed.outputs, after.observed.outputs, [...evidence.secrets.values()]))
    return shown(`its outputs are ${told(after.observed.outputs)}`);
  // It is there, and the cloud is still at what was asked of it: whoever asked for that knows.
  if (inSync.reason === "InTransition") return null;
  if (readable.value !== true) return shown("it says that it can't be read");
  if (exists.value !== isThere) return shown(`it says that it ${exists.value ? "exists" : "doesn't exist"}`);
  if (neverThere) return inSync.value === true ? shown("what was never made is shown as in sync") : null;
  if (!isThere) return inSync.value === true ? shown("what is gone is shown as in sync") : null;
  if (differs) return inSync.value === false ? null : shown("it differs, and inSync doesn't say so");
  if (inSync.value === true || refers || otherReasons.includes(inSync.reason)) return null;
  return shown(`nothing differs, and inSync says ${inSync.reason}`);
}

function isAnother(before: StoredComponent, identity: string | null, evidence: Evidence): boolean {
  if (before.status === "Active") return false;
  const own = evidence.identities.get(componentName(before).toLowerCase()) ?? null;
  if (identity === null || own === null) return before.lost;
  return identity !== own;
}

function circumstancesOf({ before, after }: LookStep, evidence: Evidence) {
  const { restoredTag } = evidence.world;
  const open = evidence.openMutation(after.liveSystemId);
  const redeploy = open?.kind === "Deploy" && before.step?.state === "begun";
  return { restoredTag, redeploy, reconciled: before.request?.reconciled === true };
}

/** The incarnation that is a component's own: the one that was seen while it was, or came back under its name. */
function remember(after: StoredComponent, { reading }: Sighting, evidence: Evidence) {
  const resource = shownIn(reading);
  if (resource !== null && !after.lost)
    evidence.identities.set(componentName(after).toLowerCase(), resource.identity ?? null);
}

function placeOf({ status, lost }: StoredComponent): string {
  return `${status}${lost ? " (missing)" : ""}`;
}

function referring({ parameters }: Wanted): string[] {
  return Object.entries(parameters ?? {}).flatMap(([name, value]) => (referencesOf(value).length > 0 ? [name] : []));
}

/** A name whose drift doesn't show both sides whole. What refers to something is resolved, and judged by its name. */
function wrongDrift(
  { observed: { drift } }: StoredComponent,
  { parameters, ignoreChanges }: Wanted,
  actual: Readonly<Record<string, Json>>,
  tagParameter: string,
): string | null {
  for (const [name, sides] of Object.entries(drift)) {
    const declared = parameters?.[name];
    if (name === tagParameter || referencesOf(declared).length > 0) continue;
    if ((ignoreChanges ?? []).some((pointer) => pointer.startsWith(`/${name}`))) continue;
    if (JSON.stringify(sides.declared) !== JSON.stringify(declared ?? null)) return name;
    if (JSON.stringify(sides.actual) !== JSON.stringify(actual[name] ?? null)) return name;
  }
  return null;
}

function sameOutputs(
  read: Readonly<Record<string, Json>>,
  shown: Readonly<Record<string, Json>>,
  secrets: readonly (string | null)[],
): boolean {
  const names = new Set([...Object.keys(read), ...Object.keys(shown)]);
  return [...names].every((name) => {
    if (JSON.stringify(shown[name]) === JSON.stringify(read[name])) return true;
    return JSON.stringify(shown[name] ?? null).includes("[redacted]") && secrets.length > 0;
  });
}
