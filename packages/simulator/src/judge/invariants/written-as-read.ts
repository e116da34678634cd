import type { Evidence } from "../evidence.ts";
import { caselessId, placeKey } from "../names.ts";
import type { Rule, Wrote } from "../steps.ts";
import { isBlind, isBoundAsSent, isOfTags } from "../writes.ts";

/**
 * A write or a deletion bound by an etag meets the resource that it was decided on: nothing has changed since its claim. An adoption is bound to
 * the read right before it, and so is what was decided on a read without an etag.
 */
export function writtenAsRead(evidence: Evidence): Rule {
  /** The last change of each resource by anybody. */
  const changed = new Map<string, number>();
  const reads = new Map<string, number>();
  return {
    invariant: "written-as-read",
    judges: {
      wrote: (write) => {
        const { component, change, process, sent } = write;
        const claim = evidence.sends.claimOn(caselessId(component));
        const last = changed.get(placeKey(component.provider, change.resourceId)) ?? 0;
        if (claim?.process !== process || claim.order > sent.order || !isByEtag(write)) return null;
        if (sent.etag === null) return null;
        const isRepeated = component.work?.kind === "adopt" || isBlind(write);
        return last > (isRepeated ? (reads.get(process) ?? claim.order) : claim.order)
          ? `${change.operation} of ${change.resourceId}, which changed after the decision`
          : null;
      },
    },
    observes: {
      read: ({ process, order }) => void reads.set(process, order),
      changed: ({ provider, change, order }) => void changed.set(placeKey(provider, change.resourceId), order),
      landed: ({ provider, change, order }) => void changed.set(placeKey(provider, change.resourceId), order),
    },
  };
}

function isByEtag(write: Wrote): boolean {
  const { properties, tags } = write.cloud.bindingsOf(write.component.type);
  if (write.change.before === null || !isBoundAsSent(write)) return false;
  return (isOfTags(write) ? tags : properties) === "etag";
}
