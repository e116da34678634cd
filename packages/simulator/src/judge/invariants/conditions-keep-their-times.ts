import type { StoredComponent } from "../facts.ts";
import { componentName } from "../names.ts";
import type { Rule } from "../steps.ts";

const names = ["readable", "exists", "inSync"] as const;

/** A condition says since when it is so, and when it was last seen: a failed read sees nothing. */
export function conditionsKeepTheirTimes(): Rule {
  return {
    invariant: "conditions-keep-their-times",
    judges: {
      "component-stored": ({ before, after }) => {
        if (before === null || after === null || after.updatedBy !== "agent") return null;
        const wrong = names.map((name) => wrongTimes(name, before, after)).find((detail) => detail !== null);
        return wrong === undefined ? null : `${componentName(after)}: ${wrong}`;
      },
    },
  };
}

function wrongTimes(name: (typeof names)[number], before: StoredComponent, after: StoredComponent): string | null {
  const [was, is] = [before.conditions[name], after.conditions[name]];
  if (was === is || is.changedAt === undefined) return null;
  const isSame = was.value === is.value && was.reason === is.reason;
  if (isSame && was.changedAt !== is.changedAt) return `${name} is as it was, and says that it changed`;
  // Two changes may have the same time.
  if (!isSame && is.changedAt !== after.updatedAt) return `${name} changed, and doesn't say so`;
  // A cloud that is working has answered, even if it doesn't show the resource.
  const { value, reason } = after.conditions.readable;
  const isSeen = value !== false || reason === "InTransition";
  return !isSeen && was.observedAt !== is.observedAt ? `${name} counts as seen, and nothing could be read` : null;
}
