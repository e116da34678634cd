import type { StoredComponent } from "../facts.ts";
import { componentName, isAbout } from "../names.ts";
import type { Rule } from "../steps.ts";

/** Each change of status, and each loss of a resource, has exactly one event. */
export function eventsTellEachStatus(): Rule {
  return {
    invariant: "events-tell-each-status",
    judges: {
      "component-stored": ({ before, after, events }) => {
        const one = after ?? before;
        if (one === null) return null;
        const own = events.filter(({ type, subject }) => type.startsWith("component.") && isAbout(subject, one));
        const name = componentName(one);
        for (const [type, happened] of happenings(before, after)) {
          const count = own.filter((event) => event.type === type).length;
          if (count !== (happened ? 1 : 0))
            return `${name}: ${type} was told ${count} times, it ${happened ? "happened" : "didn't happen"}`;
        }
        for (const { type, data } of own) {
          if (data.from !== undefined && before !== null && data.from !== before.status)
            return `${name}: ${type} goes on from ${data.from}, it was ${before.status}`;
          if (data.status !== undefined && data.status !== one.status)
            return `${name}: ${type} says ${data.status}, it is ${one.status}`;
        }
        return null;
      },
    },
  };
}

function happenings(
  before: StoredComponent | null,
  after: StoredComponent | null,
): readonly (readonly [string, boolean])[] {
  const was = before?.status ?? "Active";
  const is = after?.status ?? was;
  const isOverridden = after !== null && after.override !== null;
  const wasOverridden = before !== null && before.override !== null;
  return [
    ["component.override.started", isOverridden && !wasOverridden],
    ["component.override.ended", wasOverridden && !isOverridden],
    ["component.missing", before?.conditions.exists.value === true && after?.conditions.exists.value === false],
    ["component.reconcile.requested", was !== "ReconcileRequested" && is === "ReconcileRequested"],
  ];
}
