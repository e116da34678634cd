import type { Reading } from "@liveplane/core/clouds";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { caselessId, componentName, placeKey } from "../names.ts";
import type { Rule, Wrote } from "../steps.ts";
import { decidedAt } from "../writes.ts";
import type { Forecast } from "./plans-come-true.ts";

/** Only undeclared resources that weren't to be retained are deleted. What was left behind isn't touched again. */
export function deletesWhatWasAsked(evidence: Evidence): Rule {
  /** Left behind for good: no process touches them, unless a component adopts them. */
  const leftBehind = new Set<string>();
  return {
    invariant: "deletes-what-was-asked",
    judges: {
      changed: ({ process, provider, change: { operation, resourceId, before, straggler } }) =>
        process !== null && straggler === undefined && before !== null && leftBehind.has(placeKey(provider, resourceId))
          ? `${operation} of ${resourceId}, which was left behind`
          : null,
      wrote: (write) =>
        write.change.operation === "remove" ? (wrongRemoval(write, evidence) ?? wrongOne(write, evidence)) : null,
      "component-stored": ({ before, parted, process, events }) => {
        if (before === null || parted === null || !before.provisioned) return null;
        const isLast = (names: readonly (string | null)[], state: Reading["state"]) =>
          evidence.sightings.of(process, names).at(-1)?.reading.state === state;
        const own = evidence.namesOf(before);
        // What a person's component governs goes in the same commit.
        const isAlone = events.filter(({ type }) => type === "component.released").length < 2;
        const tagOwner = isAlone ? activeOwnerOf(before, process, evidence) : null;
        const answers = tagOwner === null ? [] : evidence.answersOf(tagOwner, before, process);
        const isUnknown =
          answers.length > 0 &&
          before.status === "Active" &&
          answers.every(({ reading }) => reading.state === "unreadable");
        if (parted.isReleased && isUnknown && !isLast(own, "missing"))
          return `${componentName(before)} is released, and its tag owner couldn't be read`;
        // What was never made needs no read, and what shares the fate of its tag owner isn't read itself.
        if (before.governedBy != null) return null;
        const last = evidence.sightings.of(process, own).at(-1)?.reading;
        // What the cloud gave up without showing it tells as little.
        const isHidden = last?.state === "failed" && last.resource === undefined;
        return isHidden || isLast(own, "unreadable") ? `${componentName(before)} is gone, and couldn't be read` : null;
      },
    },
    observes: {
      changed: ({ provider, change: { resourceId, before, after } }) => {
        if (before === null || after === null) leftBehind.delete(placeKey(provider, resourceId));
      },
      landed: ({ provider, change: { resourceId, after } }) => {
        if (after === null) leftBehind.delete(placeKey(provider, resourceId));
      },
      "component-stored": ({ before, after, parted }) => {
        const isAnother = after !== null && after.resource.id !== before?.resource.id;
        if (isAnother) leftBehind.delete(placeKey(after.provider, after.resource.id ?? ""));
        if (parted?.isReleased && evidence.resources.isAt(parted.key)) leftBehind.add(parted.key);
      },
    },
  };
}

function wrongRemoval({ component, change: { resourceId }, sent }: Wrote, evidence: Evidence): string | null {
  const { liveSystemId, path } = component;
  const { declarations } = evidence;
  const decided = decidedAt(component, sent, evidence);
  if (!declarations.wasUndeclaredSince(liveSystemId, path, decided))
    return `${resourceId} was deleted, and ${componentName(component)} is declared`;
  // Its last declaration when it was decided, or at any time since.
  const last = [declarations.last(liveSystemId, path, decided), ...evidence.declaredSince(component, decided)];
  return last.every((one) => one?.deletionPolicy === "Retain")
    ? `${resourceId} was deleted, and is to be retained`
    : null;
}

/** The tag owner that is asked about a component; `null` if it has none, a person has one that it goes by, or that is gone. */
function activeOwnerOf(component: StoredComponent, process: string, evidence: Evidence): StoredComponent | null {
  const { liveSystemId, path, governedBy = null } = component;
  const named = evidence.declarations.last(liveSystemId, path)?.overrideWith ?? null;
  const former = evidence.stored.components.get(evidence.standIns.of(component) ?? "")?.record ?? null;
  const known = [named, governedBy].flatMap((one) => (one === null ? [] : [evidence.sibling(liveSystemId, one)]));
  const isHeld = [...known, former].some((one) => one !== null && evidence.stored.isHeldFor(process, one));
  const isGone = governedBy !== null && evidence.sibling(liveSystemId, governedBy) === null;
  return named === null || isHeld || isGone ? null : evidence.sibling(liveSystemId, named);
}

/** A deletion meets the resource that it was decided on, if a read since then could show that it is another one. */
function wrongOne({ component, change, process, sent }: Wrote, evidence: Evidence): string | null {
  const claim = evidence.sends.claimOn(caselessId(component));
  if (claim?.process !== process || claim.order > sent.order || change.straggler !== undefined) return null;
  const seen = evidence.sightings.of(process, [change.resourceId]).filter(({ order }) => order < sent.order);
  const identities = (some: typeof seen) => some.map(({ reading }) => resourceIn(reading)?.identity);
  const decided = identities(seen.filter(({ order }) => order < claim.order)).at(-1);
  const another = identities(seen.filter(({ order }) => order > claim.order)).find(
    (identity) => identity !== undefined && identity !== decided,
  );
  return decided === undefined || another === undefined
    ? null
    : `${change.resourceId} was deleted, and was seen to be another one than before`;
}

/** What is wrong after a delete in a calm world, which removes everything managed and leaves the rest; `null` if nothing. */
export function wrongAfterDelete({ liveSystemId, before, expected }: Forecast, evidence: Evidence): string | null {
  const status = evidence.stored.systems.get(liveSystemId);
  if (status !== "Deleted") return `${liveSystemId} is ${status}, nothing kept it`;
  for (const [path, { component, there }] of before) {
    if (evidence.sibling(liveSystemId, path) !== null) return `${path} is still there`;
    const isLeft = there !== null && evidence.resources.at(component.provider, there.resourceId) !== null;
    const action = expected.get(path);
    if (action === "delete" && isLeft) return `the resource of ${path} is still there`;
    if (action === "release" && !isLeft) return `the resource of ${path} was to be left behind`;
  }
  return null;
}
