import type { Evidence } from "../evidence.ts";
import { componentName } from "../names.ts";
import type { Rule } from "../steps.ts";
import { wrongPlace } from "../words.ts";

/** A value that a cloud ignored or changed beyond its known forms is never in sync, unless a person accepted it. */
export function ignoredIsNotInSync(evidence: Evidence): Rule {
  return {
    invariant: "ignored-is-not-in-sync",
    judges: {
      look: ({ after, resource, declared }) => {
        if (resource === null || after.conditions.inSync.value !== true) return null;
        const wrong = wrongPlace(after, declared, resource, evidence);
        return wrong === null ? null : `it is said to be in sync, and ${wrong}`;
      },
      rested: () => {
        for (const component of evidence.components()) {
          const [declared, there] = [evidence.declared(component), evidence.truthOf(component)];
          if (declared === null || there === null || component.conditions.inSync.value !== true) continue;
          const wrong = wrongPlace(component, declared, there, evidence);
          if (wrong !== null) return `${componentName(component)} is said to be in sync, and ${wrong}`;
        }
        return null;
      },
    },
  };
}
