import type { SeenResource } from "@liveplane/core/clouds";
import { carriesManagementTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { wronglyShown } from "../shown-faces.ts";
import type { Rule, StepOf } from "../steps.ts";

/** How many versions of components are remembered. */
const mostKept = 2_000;

/** The answer to a check tells the writes in flight, the last write and the tag as they are, and what can't be read as not known. */
export function acknowledgedAsStored(evidence: Evidence): Rule {
  const stored = new Map<string, StoredComponent>();
  /** The tags in the last reads of a resource by anybody. */
  const seen = new Map<string, SeenResource["tags"][]>();

  function wrongAnswer({ id, answer: { component, acknowledgement } }: StepOf<"acknowledged">): string | null {
    const record = stored.get(`${id.toLowerCase()} ${component.version}`);
    if (record === undefined) return null;
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
    const isFree = !cloud.isTaggable(record.type) || evidence.isGoverned(record);
    const isOn = (tags: SeenResource["tags"]) => isFree || carriesManagementTag(tags, cloud);
    const reads = seen.get(record.resource.id?.toLowerCase() ?? "") ?? [];
    const isSeen = managementTag === null || reads.some((tags) => isOn(tags) === managementTag);
    return isSeen ? null : `its tag is told as ${managementTag}`;
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
        for (const { key, value } of sets)
          if (key[0] === "record" && key[1] === "component")
            stored.set(`${key.slice(2).join("/").toLowerCase()} ${version}`, value as unknown as StoredComponent);
      },
    },
  };
}
