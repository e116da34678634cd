import { carriesManagementTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { componentName } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** What is left behind isn't the agent's to delete: its tag is off, it is retained, or its tag owner is overridden or gone. */
export function releasedAsSeen(evidence: Evidence): Rule {
  function ownersOf(component: StoredComponent): readonly (StoredComponent | null)[] {
    const { liveSystemId, path, governedBy = null } = component;
    const named = evidence.declarations.last(liveSystemId, path)?.overrideWith ?? null;
    const former = evidence.standIns.of(component);
    const siblings = [named, governedBy].flatMap((one) => (one === null ? [] : [evidence.sibling(liveSystemId, one)]));
    return former === undefined ? siblings : [...siblings, evidence.stored.components.get(former)?.record ?? null];
  }

  function isLeftBy(component: StoredComponent, owner: StoredComponent | null, process: string): boolean {
    // It may have been handed back after the process asked about it.
    if (owner === null || evidence.stored.isHeldFor(process, owner)) return true;
    return evidence.answersOf(owner, component, process).some(({ reading }) => {
      const tags = resourceIn(reading)?.tags ?? null;
      return tags !== null && !carriesManagementTag(tags, evidence.cloudOf(component));
    });
  }

  function wrongRelease({ before, parted, process, events }: ComponentStored): string | null {
    if (before === null || !parted?.isReleased || !before.provisioned) return null;
    const { liveSystemId, path } = before;
    const last = evidence.declarations.last(liveSystemId, path);
    if (last?.deletionPolicy === "Retain") return null;
    const owners = ownersOf(before);
    if (owners.some((owner) => isLeftBy(before, owner, process))) return null;
    const released = new Set(
      events.flatMap(({ type, subject }) => (type === "component.released" ? [subject.toLowerCase()] : [])),
    );
    if (owners.some((owner) => owner !== null && released.has(componentName(owner).toLowerCase()))) return null;
    const seen = evidence.sightings.of(process, evidence.namesOf(before)).at(-1)?.reading;
    const shown = seen && resourceIn(seen);
    if (seen === undefined) return null;
    if (!shown) return `${componentName(before)} is left behind, and its resource wasn't shown`;
    if (before.status === "Active" && owners.length > 0)
      return `${componentName(before)} is left behind, and its tag owner has the tag`;
    return carriesManagementTag(shown.tags, evidence.cloudOf(before))
      ? `${componentName(before)} is left behind, and has the management tag`
      : null;
  }

  return { invariant: "released-as-seen", judges: { "component-stored": wrongRelease } };
}
