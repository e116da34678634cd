import { carriesManagementTag, carriesReconcileTag, isSameJson } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { caselessId } from "../names.ts";
import type { Rule, Sighting, StepOf, Wrote } from "../steps.ts";
import { isBlind, isBoundAsSent, tagsIn } from "../writes.ts";

/** Reads of a process that go on at the same time may be answered in another order. */
const concurrentMs = 250;

/** A write carries the etag of the read that it was decided on; without one, the resource is read again right before it. */
export function writesAreBoundToTheirRead(evidence: Evidence): Rule {
  function wrongBinding(write: StepOf<"wrote">): string | null {
    const { component, process, change, sent, decided } = write;
    const claim = evidence.sends.claimOn(caselessId(component));
    if (change.before === null || change.operation === "create" || sent.etag === undefined) return null;
    if (claim?.process !== process || claim.order > sent.order) return null;
    const seen = evidence.sightings.of(process, [change.resourceId]).filter(({ order }) => order < sent.order);
    // A process may read for several passes at once. The write must fit one of the reads that it may have been decided on.
    const isRecent = ({ order, at }: Sighting) => order > claim.since || at >= claim.at - concurrentMs;
    const mayBe = seen.filter((one) => one.order < claim.order && isRecent(one) && resourceIn(one.reading) !== null);
    const wrongs = [decided, ...mayBe].map((one) => wrongFor({ ...write, decided: one }, seen, claim.order));
    return wrongs.includes(null) ? null : (wrongs[0] ?? null);
  }

  /** What is wrong with a write if it was decided on that read. */
  function wrongFor(write: StepOf<"wrote">, seen: readonly Sighting[], claimedAt: number): string | null {
    const { component, change, sent, decided } = write;
    const isAdoption = component.work?.kind === "adopt";
    const name = `${change.operation} of ${change.resourceId}`;
    const known = sent.etag ?? null;
    const again = seen.filter(({ order, reading }) => order > claimedAt && reading.state !== "unreadable");
    const last = again.at(-1);
    const etag = (decided && resourceIn(decided.reading)?.etag) ?? null;
    if (known !== null && isAdoption)
      return carriesLastRead(known, decided, last) ? null : `${name} carries ${known}, which wasn't read as decided`;
    const isBound = !isBlind(write) && isBoundAsSent(write);
    if (known !== null && (decided === undefined || isBound))
      return known === etag ? null : `${name} carries ${known}, decided was on ${etag}`;
    if (known === null && etag !== null && isBound && !isAdoption)
      return `${name} carries no etag, decided was on ${etag}`;
    // What no etag of that read binds is read again, and the write carries what that shows.
    const rightBefore = again.filter(({ at }) => at >= (last?.at ?? at) - concurrentMs);
    if (known !== null && !rightBefore.some(({ reading }) => resourceIn(reading)?.etag === known))
      return `${name} carries ${known}, which the read right before it didn't show`;
    const isFree = isAdoption || !needsTag(component, evidence);
    const permitting = rightBefore.filter((read) => isFree || isPermitted(read, write.cloud));
    if (!isFree && permitting.length === 0) return `${name} wasn't read again right before`;
    return permitting.length === 0 || permitting.some((read) => isAsDecided(write, decided, read, evidence))
      ? null
      : `${name}, which was read again as another, or as withdrawn`;
  }

  return {
    invariant: "writes-are-bound-to-their-read",
    judges: { wrote: wrongBinding },
  };
}

/** An adoption carries the etag of a read right before it, which showed what it was decided on. */
function carriesLastRead(etag: string, decided: Sighting | undefined, again: Sighting | undefined): boolean {
  const [before, now] = [decided, again].map((sighting) => sighting && resourceIn(sighting.reading));
  if (!before || !now) return false;
  return now.etag === etag && isSameJson(now.tags, before.tags) && isSameJson(now.parameters, before.parameters);
}

/** The last read before a write without an etag showed the same resource, and a request that is still there. A deletion needs none. */
function isAsDecided(
  { cloud, change, component }: Wrote,
  decided: Sighting | undefined,
  again: Sighting,
  evidence: Evidence,
): boolean {
  const before = decided && resourceIn(decided.reading);
  const now = resourceIn(again.reading);
  if (!before || !now) return true;
  // What goes by another's tags has no request of its own.
  const isOthers = evidence.isGoverned(component);
  return (
    now.identity === before.identity &&
    (isOthers ||
      change.operation === "remove" ||
      carriesReconcileTag(now.tags, cloud) ||
      !carriesReconcileTag(before.tags, cloud))
  );
}

/** The read showed the tag, and no write that is going on. */
function isPermitted(again: Sighting, cloud: Wrote["cloud"]): boolean {
  const tags = tagsIn(again);
  return tags !== null && carriesManagementTag(tags, cloud);
}

/** What carries no tags goes by its tag owner. */
function needsTag(component: StoredComponent, evidence: Evidence): boolean {
  return evidence.cloudOf(component).isTaggable(component.type) && !evidence.isGoverned(component);
}
