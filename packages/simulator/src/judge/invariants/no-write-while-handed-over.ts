import { isAdoption } from "../adoptions.ts";
import { carriesManagementTag, carriesReconcileTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { ResourceTruth } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { caselessId, componentName, told } from "../names.ts";
import type { Rule, Wrote } from "../steps.ts";
import { decidedAt, isRefusedLate, tagsIn } from "../writes.ts";

/** No write reaches a resource without the management tag, or a component that a person controls. */
export function noWriteWhileHandedOver(evidence: Evidence): Rule {
  return {
    invariant: "no-write-while-handed-over",
    judges: {
      wrote: (write) => {
        const { component, change } = write;
        if (change.before !== null)
          return wrongHandOver(write, change.before, evidence) ?? wrongCorrection(write, change.before, evidence);
        if (change.after === null || component.status === "Active") return null;
        return `${change.resourceId} was made, and is ${component.status}`;
      },
    },
  };
}

function wrongHandOver(write: Wrote, before: ResourceTruth, evidence: Evidence): string | null {
  const { component, cloud, change, process, sent } = write;
  const detail = `${change.operation} of ${change.resourceId} by ${process}`;
  const { status } = sent.component ?? component;
  // A late write goes by the tag owner that was declared when it was decided, whatever its path is now.
  const decided = decidedAt(component, sent, evidence);
  const governedBy = evidence.declarations.last(component.liveSystemId, component.path, decided)?.overrideWith;
  if ((!cloud.isTaggable(component.type) || status === "Active") && governedBy != null) {
    const tagOwner = evidence.sibling(component.liveSystemId, governedBy);
    const names = tagOwner === null ? [] : evidence.namesOf(tagOwner);
    const seen = evidence.sightings.of(process, names).filter(({ order }) => order <= sent.order);
    const claimed = evidence.sends.claimOn(caselessId(component))?.order ?? 0;
    // An unreadable answer permits nothing: the tag must be seen between the decision and the write. Another pass may see more meanwhile.
    const since = seen.filter(({ order }) => order >= claimed);
    const isPermitted = since.some(
      (one) => one.reading.state === "missing" || carriesManagementTag(resourceIn(one.reading)?.tags ?? {}, cloud),
    );
    if (isPermitted) return null;
    const tags = tagsIn(seen.at(-1));
    if (tags !== null && !carriesManagementTag(tags, cloud)) return `${detail}, overridden with another`;
    return since.length > 0 ? `${detail}, and its tag owner couldn't be read` : null;
  }
  if (carriesManagementTag(before.tags, cloud) || isAdoption(write, evidence) || mayHaveCrossed(write, evidence))
    return null;
  return `${detail}, which is ${told(before.tags)}`;
}

/** If writes can't be bound, the read right before the write is the only protection. */
function mayHaveCrossed(write: Wrote, evidence: Evidence): boolean {
  const { component, cloud, process, sent } = write;
  if (isRefusedLate(write)) return false;
  const claimed = evidence.sends.claimOn(caselessId(component));
  const seen = evidence.sightings.of(process, evidence.namesOf(component));
  // Other passes of the process may read it in between: what they see isn't looked at again before the write.
  const since = seen.filter(({ order }) => order >= (claimed?.order ?? 0) && order <= sent.order);
  return since.some((one) => carriesManagementTag(tagsIn(one) ?? {}, cloud));
}

function wrongCorrection(write: Wrote, before: ResourceTruth, evidence: Evidence): string | null {
  const { component, change, sent } = write;
  if (change.operation !== "update" || change.after === null) return null;
  const detail = `${componentName(component)} was corrected`;
  // What happens to the record until the write arrives, such as a deletion that ends the request, its sender can't know.
  const { status } = sent.component ?? component;
  if (status === "ManualOverride") return `${detail} in ${status}`;
  if (status !== "ReconcileRequested" || evidence.world.restoredTag === "resume") return null;
  return wasRequested(write, before, evidence) ? null : `${detail} although the request was withdrawn`;
}

function wasRequested(write: Wrote, before: ResourceTruth, evidence: Evidence): boolean {
  const { component, cloud, process, sent } = write;
  if (carriesReconcileTag(before.tags, cloud)) return true;
  if (isRefusedLate(write)) return false;
  const seen = evidence.sightings.of(process, [component.resource.id]).filter(({ order }) => order <= sent.order);
  // The read right before the write checks the management tag; the decision was based on the one before.
  return seen.slice(-2).some((one) => carriesReconcileTag(tagsIn(one) ?? {}, cloud));
}
