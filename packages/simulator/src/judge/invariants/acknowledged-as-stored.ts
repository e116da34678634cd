import type { SeenResource } from "@liveplane/core/clouds";
import { carriesManagementTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { wronglyShown } from "../shown-faces.ts";
import type { Rule, StepOf } from "../steps.ts";

/** How many versions of components are remembered. */
const mostKept = 2_000;

type Tags = SeenResource["tags"];

/** A version of a component, the tags in the last reads of its resource by then, and whether it went by another component's. */
interface Version {
  readonly record: StoredComponent;
  readonly seen: readonly Tags[];
  readonly isGoverned: boolean;
}

/** The answer to a check tells the writes in flight, the last write and the tag as they are, and what can't be read as not known. */
export function acknowledgedAsStored(evidence: Evidence): Rule {
  const stored = new Map<string, Version>();
  /** The tags in the last reads of a resource by anybody. */
  const seen = new Map<string, readonly Tags[]>();
  const seenOf = ({ resource }: StoredComponent) => seen.get(resource.id?.toLowerCase() ?? "") ?? [];

  function wrongAnswer({ id, answer: { component, acknowledgement } }: StepOf<"acknowledged">): string | null {
    const version = stored.get(`${id.toLowerCase()} ${component.version}`);
    if (version === undefined) return null;
    const { record } = version;
    const { managementTag, writesInFlight, lastWriteAt } = acknowledgement;
    const inFlight = (record.work === null ? 0 : 1) + (record.operation == null ? 0 : 1);
    if (writesInFlight !== inFlight) return `${writesInFlight} writes are told to be in flight, ${inFlight} are`;
    if (lastWriteAt !== record.lastWriteAt) return `the last write is told to be of ${lastWriteAt}`;
    const wrong = wronglyShown(component, record);
    if (wrong !== null) return wrong;
    const { readable } = component.conditions;
    if (readable.value !== true && component.lookedAt !== (readable.observedAt ?? null))
      return `it can't be read, and was looked at ${component.lookedAt}`;
    if (readable.value === false && managementTag !== null) return "it can't be read, and its tag is told";
    const cloud = evidence.cloudOf(record);
    // A process that pauses answers late: what it saw and went by counts, too.
    const reads = [...version.seen, ...seenOf(record)];
    const isSeen = [version.isGoverned, evidence.isGoverned(record)].some((isGoverned) => {
      const isOn = (tags: Tags) => isGoverned || !cloud.isTaggable(record.type) || carriesManagementTag(tags, cloud);
      return reads.some((tags) => isOn(tags) === managementTag);
    });
    return isSeen || managementTag === null ? null : `its tag is told as ${managementTag}`;
  }

  return {
    invariant: "acknowledged-as-stored",
    judges: {
      acknowledged: (step) => {
        const wrong = wrongAnswer(step);
        return wrong === null ? null : `${step.id}: ${wrong}`;
      },
    },
    observes: {
      read: ({ name, reading }) => {
        const resource = resourceIn(reading);
        if (resource === null) return;
        const known = seen.get(name.toLowerCase()) ?? [];
        seen.set(name.toLowerCase(), [...known, resource.tags].slice(-6));
      },
      committed: ({ sets, version }) => {
        if (version === undefined) return;
        if (stored.size > mostKept) stored.clear();
        for (const { key, value } of sets) {
          if (key[0] !== "record" || key[1] !== "component") continue;
          const record = value as unknown as StoredComponent;
          const known = { record, seen: seenOf(record), isGoverned: evidence.isGoverned(record) };
          stored.set(`${key.slice(2).join("/").toLowerCase()} ${version}`, known);
        }
      },
    },
  };
}
