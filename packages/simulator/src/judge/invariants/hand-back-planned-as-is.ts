import type { Evidence } from "../evidence.ts";
import type { Rule } from "../steps.ts";

/** The plan of a hand-back announces no hidden value that is left to the cloud. */
export function handBackPlannedAsIs(evidence: Evidence): Rule {
  return {
    invariant: "plans-come-true",
    judges: {
      planned: ({ id, plan: { unobservable } }) => {
        const record = evidence.stored.components.get(id.toLowerCase())?.record;
        const declared = record && evidence.declared(record);
        const ignored = declared?.ignoreChanges ?? [];
        const left = unobservable.find((pointer) =>
          ignored.some((one) => pointer === one || pointer.startsWith(`${one}/`)),
        );
        return left === undefined
          ? null
          : `the plan of the hand-back of ${id} names ${left}, which is left to the cloud`;
      },
    },
  };
}
