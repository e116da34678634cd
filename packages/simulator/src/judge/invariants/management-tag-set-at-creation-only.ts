import { carriesManagementTag } from "../comparison.ts";
import type { Rule } from "../steps.ts";

/** The management tag is set when a resource is created, and never again. */
export function managementTagSetAtCreationOnly(): Rule {
  return {
    invariant: "management-tag-set-at-creation-only",
    judges: {
      wrote: ({ component, cloud, change: { operation, resourceId, before, after } }) => {
        if (after === null) return null;
        const isOn = carriesManagementTag(after.tags, cloud);
        if (before === null)
          return cloud.isTaggable(component.type) && !isOn ? `${resourceId} was made without it` : null;
        return isOn && operation !== "remove" && !carriesManagementTag(before.tags, cloud)
          ? `${operation} of ${resourceId}`
          : null;
      },
    },
  };
}
