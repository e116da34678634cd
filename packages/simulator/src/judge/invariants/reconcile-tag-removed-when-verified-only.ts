import { carriesReconcileTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { ResourceTruth } from "../facts.ts";
import type { Rule } from "../steps.ts";
import { isRefusedLate } from "../writes.ts";

/** The reconcile tag is removed after a verified reconciliation, or as a stray from a resource that matches. */
export function reconcileTagRemovedWhenVerifiedOnly(evidence: Evidence): Rule {
  return {
    invariant: "reconcile-tag-removed-when-verified-only",
    judges: {
      wrote: (write) => {
        const { component, cloud, change, process, sent, declared } = write;
        const { operation, resourceId, before, after } = change;
        if (before === null || after === null || operation === "remove") return null;
        if (!carriesReconcileTag(before.tags, cloud) || carriesReconcileTag(after.tags, cloud)) return null;
        const isAsDeclared = (state: Pick<ResourceTruth, "tags" | "parameters">) =>
          declared.some((one) => evidence.certain(one, state, component).length === 0);
        const isVerified = isRefusedLate(write)
          ? isAsDeclared(before)
          : evidence.sightings
              .of(process, [component.resource.id])
              .some(({ reading }) => reading.state === "present" && isAsDeclared(reading));
        // A late removal is judged by what was stored when it was sent: since then, a deploy may have changed what is declared.
        const { status, request } = sent.component ?? component;
        const isDone = status === "Active" || request?.reconciled === true;
        if (isVerified && isDone) return null;
        return `${resourceId} was ${status}, ${isVerified ? "" : "not "}verified`;
      },
    },
  };
}
