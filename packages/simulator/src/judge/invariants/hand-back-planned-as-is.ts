import type { Evidence } from "../evidence.ts";
import type { Rule } from "../steps.ts";

/** The plan of a hand-back announces no hidden value that every declaration since the question leaves to the cloud. */
export function handBackPlannedAsIs(evidence: Evidence): Rule {
  return {
    invariant: "plans-come-true",
    judges: {
      planned: ({ id, plan: { unobservable }, since }) => {
        const record = evidence.stored.components.get(id.toLowerCase())?.record;
        const declared = record === undefined ? [] : evidence.declaredSince(record, since);
        const isLeft = (pointer: string, ignored: readonly string[]) =>
          ignored.some((one) => pointer === one || pointer.startsWith(`${one}/`));
        const left = unobservable.find((pointer) =>
          declared.every(({ ignoreChanges }) => isLeft(pointer, ignoreChanges ?? [])),
        );
        if (declared.length === 0) return null;
        return left === undefined
          ? null
          : `the plan of the hand-back of ${id} names ${left}, which is left to the cloud`;
      },
    },
  };
}
