import type { JudgedCloud, ResourceChanged, StoredComponent, Wanted } from "../facts.ts";
import type { Rule } from "../steps.ts";

/** An unbound change is made only if its component accepts that. */
export function writesWhatIsBound(): Rule {
  return {
    invariant: "writes-what-is-bound",
    judges: {
      wrote: ({ change, component, cloud, declared }) => wrongIn(change, component, cloud, declared),
      finished: ({ change, component, cloud, declared }) => wrongIn(change, component, cloud, declared),
    },
  };
}

function wrongIn(
  { operation, resourceId, before, after }: ResourceChanged,
  { type }: StoredComponent,
  cloud: JudgedCloud,
  declared: readonly Wanted[],
): string | null {
  if (operation !== "update" || before === null || after === null) return null;
  const bound = cloud.bindingsOf(type);
  const differs = (some: object, others: object) => JSON.stringify(some) !== JSON.stringify(others);
  const isUnbound =
    (bound.properties === "none" && differs(before.parameters, after.parameters)) ||
    (bound.tags === "none" && differs(before.tags, after.tags));
  return isUnbound && !declared.some(({ unconditionalWrites }) => unconditionalWrites)
    ? `${resourceId} was changed, and nothing binds writes of its type`
    : null;
}
