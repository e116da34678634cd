import { isAdoptedNow, isAdoption } from "../adoptions.ts";
import { carriesManagementTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { caselessId, componentName, told } from "../names.ts";
import type { Rule, StepOf, Wrote } from "../steps.ts";
import { isRefusedLate } from "../writes.ts";

/**
 * The management tag is set when a resource is created, and by an exact adoption that somebody deployed: once, where no tag has its key,
 * after the intent was stored, on a resource that is as declared, and never after the tag was seen there.
 */
export function managementTagSetAtCreationOnly(evidence: Evidence): Rule {
  /** Components that were adopted, those whose resource was seen with the tag since, and the processes that saw it. */
  const adopted = new Set<string>();
  const tagged = new Set<string>();
  const seen = new Set<string>();

  function wrongAdoption(write: Wrote): string | null {
    const { component, change, declared } = write;
    const { before, resourceId, operation } = change;
    if (before === null || !isAdoption(write, evidence)) return `${operation} of ${resourceId}`;
    if (component.intent === null) return `${resourceId} was adopted without an intent`;
    const id = caselessId(component);
    if (tagged.has(id) || seen.has(`${write.process} ${id}`)) return `${resourceId} was adopted again`;
    // Where nothing binds a write of tags, a change may cross it.
    const wanted = declared.filter(({ adoptsExactly }) => adoptsExactly);
    const isAsDeclared = wanted.some((one) => evidence.certain(one, before, component).length === 0);
    const isBound = isRefusedLate(write) && showedEtag(write);
    return isAsDeclared || !isBound ? null : `${resourceId} was adopted, and isn't as declared`;
  }

  /** A process may die before it stores what it read. */
  function noted({ process, name, reading }: StepOf<"read">): void {
    const tags = resourceIn(reading)?.tags;
    const isIt = ({ resource: { id } }: StoredComponent) => id?.toLowerCase() === name.toLowerCase();
    const component = tags && evidence.components().find(isIt);
    if (component && adopted.has(caselessId(component)) && carriesManagementTag(tags, evidence.cloudOf(component)))
      seen.add(`${process} ${caselessId(component)}`);
  }

  function forget(id: string): void {
    for (const known of [adopted, tagged]) known.delete(id);
    for (const one of seen) if (one.endsWith(` ${id}`)) seen.delete(one);
  }

  /** Whether the read right before the write showed an etag, which binds an adoption. */
  function showedEtag({ process, sent, change }: Wrote): boolean {
    const seen = evidence.sightings.of(process, [change.resourceId]).findLast(({ order }) => order < sent.order);
    return seen !== undefined && resourceIn(seen.reading)?.etag !== undefined;
  }

  return {
    invariant: "management-tag-set-at-creation-only",
    judges: {
      wrote: (write) => {
        const { component, cloud, change } = write;
        const { operation, resourceId, before, after } = change;
        if (after === null) return null;
        const isOn = carriesManagementTag(after.tags, cloud);
        if (before === null)
          return cloud.isTaggable(component.type) && !isOn ? `${resourceId} was made without it` : null;
        if (!isOn || operation === "remove" || carriesManagementTag(before.tags, cloud)) return null;
        return wrongAdoption(write);
      },
    },
    observes: {
      read: noted,
      wrote: (write) => {
        if (isAdoption(write, evidence)) adopted.add(caselessId(write.component));
      },
      "component-stored": ({ id, after, process, events }) => {
        // What is gone before its adoption was done, or was given up by its cloud, may be adopted by a later deploy.
        const hasFailed = events.some(
          ({ type, subject, data }) =>
            type === "component.correction_failed" && data.effect === "adopt" && subject.toLowerCase() === id,
        );
        const isOver = after === null || (!after.provisioned && (hasFailed || after.conditions.exists.value === false));
        if (isOver) forget(id);
        else if (seen.has(`${process} ${id}`)) tagged.add(id);
      },
    },
  };
}

/** What somebody else's tag marks isn't adopted: nor does it count as taken over from the agent, which never had it. */
export function adoptsWhatIsFree(evidence: Evidence): Rule {
  return {
    invariant: "adopts-what-is-free",
    judges: {
      "component-stored": ({ before, after, explainedBy }) => {
        if (before === null || after === null || before.provisioned || explainedBy === undefined) return null;
        if (evidence.declared(after)?.adoptsExactly !== true) return null;
        if ((!after.provisioned && after.override === null) || isAdoptedNow({ before, after })) return null;
        const { caselessTagKeys } = evidence.cloudOf(after);
        const isKey = (key: string) => (caselessTagKeys ? key.toLowerCase() : key) === "managed-by";
        const [, value = "platform"] =
          Object.entries(resourceIn(explainedBy)?.tags ?? {}).find(([key]) => isKey(key)) ?? [];
        return value === "platform"
          ? null
          : `${componentName(after)} had the tag ${told(value)} before, and is ${after.status}`;
      },
    },
  };
}
