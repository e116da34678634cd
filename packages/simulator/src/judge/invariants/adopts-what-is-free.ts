import type { Evidence } from "../evidence.ts";
import { resourceIn } from "../looks.ts";
import { componentName, told } from "../names.ts";
import type { Rule } from "../steps.ts";

/** What somebody else's tag marks isn't adopted: nor does it count as taken over from the agent, which never had it. */
export function adoptsWhatIsFree(evidence: Evidence): Rule {
  return {
    invariant: "adopts-what-is-free",
    judges: {
      "component-stored": ({ before, after, explainedBy }) => {
        if (before === null || after === null || before.provisioned || explainedBy === undefined) return null;
        if (evidence.declared(after)?.adoptsExactly !== true) return null;
        if (!after.provisioned && after.override === null) return null;
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
