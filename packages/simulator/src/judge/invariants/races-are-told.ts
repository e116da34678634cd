import type { Reading } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import { carriesManagementTag, referencesOf } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, componentName, isAbout, rename, told } from "../names.ts";
import type { ComponentStored, Rule, StepOf, Wrote } from "../steps.ts";

/** A write that landed after the tag was removed, and what it changed. */
interface Crossed {
  readonly order: number;
  /** An accepted write, which somebody follows. */
  readonly isFollowed?: true;
  readonly names: readonly string[];
  readonly before: Readonly<Record<string, Json>>;
  readonly after: Readonly<Record<string, Json>>;
}

/** The agent reports a write that crossed a take-over, even if its answer was lost or its worker died. */
export function racesAreTold(evidence: Evidence): Rule {
  const owed = new Map<string, Crossed>();
  const dead = new Set<string>();

  function untold({ id, after, process, events, explainedBy }: ComponentStored): string | null {
    const crossed = owed.get(id);
    if (crossed === undefined || after === null || !isOpen(after, explainedBy)) return null;
    if (isToldIn(events, after) || !isSeen(crossed, explainedBy, process, after)) return null;
    if (carriesManagementTag(explainedBy.tags, evidence.cloudOf(after))) return null;
    const isKept = namesToTell(crossed, after).some((name) =>
      isSame(explainedBy.parameters[name], crossed.after[name]),
    );
    return isKept ? `${componentName(after)}: nobody was told that a write of ${told(crossed.names)} crossed` : null;
  }

  /** The written names that may be compared: what a secret stands for isn't stored. */
  function namesToTell({ names }: Crossed, { liveSystemId, path }: StoredComponent): readonly string[] {
    const { parameters = {} } = evidence.declarations.last(liveSystemId, path) ?? {};
    return names.filter((name) => referencesOf(parameters?.[name]).length === 0);
  }

  /** The result of an accepted write is stored before its component goes. */
  function leftUntold({ id, before, after, process, parted }: ComponentStored): string | null {
    const crossed = owed.get(id);
    if (before === null || after !== null || !parted?.isReleased || !crossed?.isFollowed) return null;
    const names = [before.resource.id];
    const { reading } = evidence.sightings.of(process, names, crossed.order).at(-1) ?? {};
    const seen = reading?.state === "present" ? reading : null;
    if (seen === null || carriesManagementTag(seen.tags, evidence.cloudOf(before))) return null;
    const isKept = namesToTell(crossed, before).some((name) => isSame(seen.parameters[name], crossed.after[name]));
    return isKept ? `${componentName(before)} left, and nobody was told that a write crossed` : null;
  }

  /** What is told names the values that the write has replaced, and its own. */
  function mistold({ id, after, events }: ComponentStored): string | null {
    const crossed = owed.get(id);
    const event = after && raceIn(events, after);
    if (crossed === undefined || !event) return null;
    const fields = (event.data.fields ?? []) as unknown as readonly { readonly pointer: string; readonly to: Json }[];
    const wrong = fields.find(({ pointer, to }) => {
      const name = crossed.names.find((one) => pointer === `/${one}`);
      return name !== undefined && isSame(to, crossed.before[name]) && typeof to !== "object";
    });
    return wrong === undefined ? null : `${id}: a race is told the wrong way round: ${told(wrong)}`;
  }

  function isSeen({ order }: Crossed, by: Reading, process: string, after: NonNullable<ComponentStored["after"]>) {
    const seen = evidence.sightings.of(process, [after.resource.id], order);
    return seen.some(({ reading }) => reading === by);
  }

  return {
    invariant: "races-are-told",
    judges: { "component-stored": (step) => untold(step) ?? mistold(step) ?? leftUntold(step) },
    observes: {
      died: ({ process }) => void dead.add(process),
      wrote: (write) => {
        // What arrives after its sender's death may come after every read.
        const isNobodys = dead.has(write.process) || evidence.isGoverned(write.component);
        const crossed = isNobodys ? null : crossedBy(write);
        if (crossed !== null) owed.set(caselessId(write.component), { ...crossed, order: write.order });
      },
      // An accepted write is bound by nothing while it goes on. If its answer was lost, nobody follows it.
      finished: (write) => {
        const isNobodys = write.component.operation == null || evidence.isGoverned(write.component);
        const crossed = isNobodys ? null : crossedBy(write);
        if (crossed !== null)
          owed.set(caselessId(write.component), { ...crossed, order: write.order, isFollowed: true });
      },
      moved: ({ ids }) => rename(owed, ids),
      // Nobody can see any more what crossed.
      changed: ({ provider, change: { resourceId, after } }) => {
        const holder = after === null ? evidence.stored.holderOf(provider, resourceId) : null;
        if (holder !== null) owed.delete(caselessId(holder));
      },
      "component-stored": (step) => {
        const { id, after, process, events, explainedBy } = step;
        const crossed = owed.get(id);
        if (crossed === undefined) return;
        // Its end may be heard of late, when the tag is back: then it is a correction.
        const isCorrection = events.some(
          ({ type, subject }) => type === "component.corrected" && after !== null && isAbout(subject, after),
        );
        const isOver = after === null || (crossed.isFollowed && isCorrection) || isToldIn(events, after);
        if (isOver || (isOpen(after, explainedBy) && isSeen(crossed, explainedBy, process, after))) owed.delete(id);
      },
    },
  };
}

/** Whether a read shows the resource, and nothing is said to be going on: while it is, nobody knows that a write was made. */
function isOpen(
  { operation, conditions }: Pick<StoredComponent, "operation" | "conditions">,
  by: Reading | undefined,
): by is Reading & { state: "present" } {
  return operation == null && conditions.inSync.reason !== "InTransition" && by?.state === "present";
}

function isToldIn(events: ComponentStored["events"], after: NonNullable<ComponentStored["after"]>): boolean {
  return raceIn(events, after) !== undefined;
}

function raceIn(events: ComponentStored["events"], after: NonNullable<ComponentStored["after"]>) {
  return events.find(({ type, subject }) => type === "component.race_detected" && isAbout(subject, after));
}

/** What a write changed on a resource that a person had by then; `null` if nothing. */
function crossedBy({ change: { operation, before, after }, component, cloud, declared }: Wrote | StepOf<"finished">) {
  if (operation !== "update" || before === null || after === null) return null;
  if (!cloud.isTaggable(component.type) || carriesManagementTag(before.tags, cloud)) return null;
  // A cloud may store a written place in its own words, or a list in another order: then only its next read shows what it made of it.
  const isInOwnWords = (name: string) =>
    name === cloud.words?.parameter ||
    (Array.isArray(after.parameters[name]) &&
      !declared.some(({ parameters }) => isSame(parameters?.[name], after.parameters[name])));
  const names = Object.keys(after.parameters).filter(
    (name) => !isInOwnWords(name) && !isSame(before.parameters[name], after.parameters[name]),
  );
  return names.length === 0 ? null : { names, before: before.parameters, after: after.parameters };
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
