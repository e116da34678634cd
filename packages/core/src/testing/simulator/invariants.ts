import { type ComponentRecord, idOf } from "../../override/records/component-record.ts";
import type { Reading } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import { differing, hasReference, isAsked, oracleSaysManaged } from "./oracle.ts";
import type { ResourceEvent, SimulatedPlace } from "./places.ts";

/** What must hold always; the names under which a simulation says that it didn't. */
export type Invariant =
  | "no-write-while-handed-over"
  | "management-tag-set-at-creation-only"
  | "reconcile-tag-removed-when-verified-only"
  | "drift-as-last-read"
  | "override-moves-as-seen"
  | "events-tell-each-status"
  | "each-resource-made-once"
  | "clean-hand-back-writes-nothing"
  | "at-rest-as-declared"
  | "at-rest-nothing-is-written"
  | "failures-have-codes";

/** The first thing that didn't hold. */
export interface Broken {
  readonly invariant: Invariant;
  readonly detail: string;
}

/** A direct read of a process, with its place in the order of everything that was observed. */
export interface Sighting {
  readonly order: number;
  readonly reading: Reading;
}

/** A component before and after a commit of the agent, and what the process had read of its resource shortly before. */
export interface Judged {
  readonly before: ComponentRecord;
  readonly after: ComponentRecord;
  readonly sightings: readonly Sighting[];
  readonly place: SimulatedPlace;
}

/** Drift moves to what a read shows against the declaration; unreadable leaves it as it was. */
export function judgeDrift({ before, after, sightings, place }: Judged): Broken | null {
  const shown = JSON.stringify(withoutReferences(Object.keys(after.observed.drift), after));
  const wasShown = JSON.stringify(withoutReferences(Object.keys(before.observed.drift), before));
  if (shown === wasShown) return null;
  const isSo = sightings.some(({ reading }) => {
    return reading.state !== "unreadable" && JSON.stringify(driftOf(after, reading, place)) === shown;
  });
  if (isSo) return null;
  return { invariant: "drift-as-last-read", detail: `${idOf(after)} shows ${shown} after ${told(sightings)}` };
}

function driftOf(record: ComponentRecord, reading: Reading, { capabilities }: SimulatedPlace): string[] {
  if (reading.state === "missing" && !record.provisioned) return [];
  const actual = reading.state === "present" ? reading : { tags: {}, parameters: {} };
  return differing(declaredOf(record), actual, capabilities.tagParameter);
}

function withoutReferences(names: readonly string[], { parameters }: ComponentRecord): string[] {
  const kept = names.filter((name) => !hasReference(parameters[name]));
  return Object.keys(parameters).filter((name) => kept.includes(name));
}

/** A status moves only by what was seen on the component's own resource. */
export function judgeMove({ before, after, sightings, place }: Judged): Broken | null {
  const saw = (test: (reading: Reading) => boolean) => sightings.some(({ reading }) => test(reading));
  const tagged = (is: boolean, asked?: boolean) =>
    saw(
      (reading) =>
        reading.state === "present" &&
        oracleSaysManaged(reading.tags, place) === is &&
        (asked === undefined || isAsked(reading.tags, place) === asked),
    );
  const isMissing = saw(({ state }) => state === "missing");
  const isSeen = {
    Active: () => tagged(true) || (isMissing && before.step?.state === "begun"),
    ReconcileRequested: () => tagged(true),
    ManualOverride: () => tagged(false) || (before.status !== "Active" && (tagged(true) || isMissing)),
  };
  if (isSeen[after.status]()) return null;
  const detail = `${idOf(after)} went from ${before.status} to ${after.status} after ${told(sightings)}`;
  return { invariant: "override-moves-as-seen", detail };
}

/** A write of a process to a resource, what it had seen before, and who holds the component. */
export interface JudgedWrite {
  readonly process: string;
  readonly component: ComponentRecord;
  readonly place: SimulatedPlace;
  readonly change: ResourceEvent;
  readonly sightings: readonly Sighting[];
  /** When the process wrote down that it was going to, in the order of everything that was observed. */
  readonly claimedAt: number;
  /** The one that stands for it, where it carries no tags. */
  readonly governor: { readonly component: ComponentRecord; readonly sightings: readonly Sighting[] } | null;
}

/** The agent makes what is missing and corrects what is its own; a person's resource it lets alone. */
export function judgeWrite(write: JudgedWrite): Broken | null {
  const { component, change, place, governor } = write;
  const detail = `${change.operation} of ${change.resourceId} by ${write.process}`;
  const { before, after } = change;
  if (before === null) {
    if (component.status === "Active") return null;
    return { invariant: "no-write-while-handed-over", detail: `${detail}, which is ${component.status}` };
  }
  if (after !== null && oracleSaysManaged(after.tags, place) && !oracleSaysManaged(before.tags, place))
    return { invariant: "management-tag-set-at-creation-only", detail };
  if (component.overrideWith !== null) {
    const last = governor?.sightings.at(-1)?.reading;
    if (last?.state !== "present" || oracleSaysManaged(last.tags, place)) return null;
    return { invariant: "no-write-while-handed-over", detail: `${detail}, overridden with another` };
  }
  if (!oracleSaysManaged(before.tags, place) && !mayHaveCrossed(write))
    return { invariant: "no-write-while-handed-over", detail: `${detail}, which is ${JSON.stringify(before.tags)}` };
  return after === null ? null : judgeReconcileTag(write, before, after);
}

/** Where writes can't be bound to what was read, the read right before the write is all there is. */
function mayHaveCrossed({ place, sightings, claimedAt }: JudgedWrite): boolean {
  if (place.capabilities.conditionalWrites) return false;
  const last = sightings.at(-1);
  if (last === undefined || last.order < claimedAt || last.reading.state !== "present") return false;
  return oracleSaysManaged(last.reading.tags, place);
}

/** The reconcile tag goes when what it asked for was done and looked at, or as a stray on what is in order. */
function judgeReconcileTag(
  { component, place, sightings, change }: JudgedWrite,
  before: NonNullable<ResourceEvent["before"]>,
  after: NonNullable<ResourceEvent["after"]>,
): Broken | null {
  if (!isAsked(before.tags, place) || isAsked(after.tags, place)) return null;
  const { conditionalWrites, tagParameter } = place.capabilities;
  const isEqual = (state: Parameters<typeof differing>[1]) =>
    differing(declaredOf(component), state, tagParameter).length === 0;
  const isVerified = conditionalWrites
    ? isEqual(before)
    : sightings.some(({ reading }) => reading.state === "present" && isEqual(reading));
  const isDone = component.status === "Active" || component.request?.reconciled === true;
  if (isVerified && isDone) return null;
  const detail = `${change.resourceId} is ${component.status}, ${isVerified ? "" : "not "}verified`;
  return { invariant: "reconcile-tag-removed-when-verified-only", detail };
}

/** What a component declares, references and all. */
export function declaredOf({ parameters }: ComponentRecord): Readonly<Record<string, Json>> {
  return parameters as Readonly<Record<string, Json>>;
}

function told(sightings: readonly Sighting[]): string {
  return JSON.stringify(sightings.slice(-2).map(({ reading }) => reading));
}
