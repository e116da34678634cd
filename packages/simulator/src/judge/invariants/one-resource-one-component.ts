import type { Evidence } from "../evidence.ts";
import { caselessId, componentName, placeKey } from "../names.ts";
import type { Rule } from "../steps.ts";

export function oneResourceOneComponent(evidence: Evidence): Rule {
  return {
    invariant: "one-resource-one-component",
    judges: {
      "component-stored": ({ id, before, after }) => {
        if (after === null || after.resource.id === null || after.resource.id === before?.resource.id) return null;
        const wanted = placeKey(after.provider, after.resource.id);
        const other = evidence
          .components()
          .find(
            (one) =>
              caselessId(one) !== id && one.resource.id !== null && placeKey(one.provider, one.resource.id) === wanted,
          );
        if (other === undefined) return null;
        return `${after.resource.id} belongs to ${componentName(after)} and to ${componentName(other)}`;
      },
    },
  };
}
