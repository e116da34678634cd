import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, isAbout } from "../names.ts";
import type { Rule } from "../steps.ts";

/** A hand-back without drift changes only the reconcile tag. */
export function cleanHandBackWritesNothing(evidence: Evidence): Rule {
  /** Hand-backs in progress that have nothing to reconcile. */
  let clean: ReadonlySet<string> = new Set();
  const without = (id: string) => new Set([...clean].filter((one) => one !== id));

  function mayDiffer(component: StoredComponent, order: number): boolean {
    const isNew = evidence.declarations.acceptedAt(component.liveSystemId) === order;
    const saysSo = evidence.truthOf(component)?.failed !== undefined;
    // Others' outputs may change without a person.
    const refersToOthers = (evidence.declared(component)?.needs.length ?? 0) > 0;
    const hides = (evidence.cloudOf(component).unseenOf?.(component.type) ?? []).length > 0;
    return saysSo || isNew || hides || refersToOthers || Object.keys(component.observed.drift).length > 0;
  }

  return {
    invariant: "clean-hand-back-writes-nothing",
    judges: {
      wrote: ({ component, change: { operation, resourceId, before, after } }) =>
        operation === "update" && before !== null && after !== null && clean.has(caselessId(component))
          ? `${resourceId} was changed although nothing differed`
          : null,
    },
    observes: {
      changed: ({ process, provider, change: { resourceId } }) => {
        const component = process === null ? evidence.stored.holderOf(provider, resourceId) : null;
        if (component !== null) clean = without(caselessId(component));
      },
      moved: ({ ids }) => {
        clean = new Set([...clean].map((id) => ids.get(id) ?? id));
      },
      "component-stored": ({ id, after, events, order }) => {
        if (after === null || after.status === "Active" || mayDiffer(after, order)) clean = without(id);
        else if (
          events.some(({ type, subject }) => type === "component.reconcile.requested" && isAbout(subject, after))
        )
          clean = new Set([...clean, id]);
      },
    },
  };
}
