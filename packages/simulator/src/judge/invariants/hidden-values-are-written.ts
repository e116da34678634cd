import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { componentName } from "../names.ts";
import type { Rule } from "../steps.ts";

/** How long passes may take. */
const sparedMs = 60_000;

/** What a cloud never shows is what was declared last, as far as only the agent writes it: at rest no former secret is left. */
export function hiddenValuesAreWritten(evidence: Evidence): Rule {
  const former = new Set<string>();
  let changedAt = 0;

  function wrongIn(component: StoredComponent): string | null {
    const [declared, there] = [evidence.declared(component), evidence.truthOf(component)];
    const { inSync } = component.conditions;
    if (declared === null || there === null || component.status !== "Active" || inSync.value !== true) return null;
    const hidden = evidence.cloudOf(component).unseenOf?.(component.type) ?? [];
    const wrong = hidden.find((name) => {
      const value = there.parameters[name];
      return !declared.ignoreChanges?.includes(`/${name}`) && typeof value === "string" && former.has(value);
    });
    return wrong === undefined
      ? null
      : `${componentName(component)} is said to be in sync, and its ${wrong} is a former one`;
  }

  return {
    invariant: "hidden-values-are-written",
    judges: {
      // Passes that began before may still go by the former value.
      "component-stored": ({ after, at }) =>
        after?.updatedBy !== "agent" || changedAt + sparedMs > at ? null : wrongIn(after),
      rested: () => {
        for (const component of evidence.components()) {
          const wrong = wrongIn(component);
          if (wrong !== null) return wrong;
        }
        return null;
      },
    },
    observes: {
      secret: ({ name, value, at }) => {
        changedAt = at;
        const before = evidence.asStored({ liveSystemId: "" })({ kind: "secret", name });
        if (typeof before === "string") former.add(before);
        if (value !== null) former.delete(value);
      },
    },
  };
}
