import type { Evidence } from "../evidence.ts";
import type { ShownLiveSystem } from "../facts.ts";
import { told } from "../names.ts";
import type { Rule } from "../steps.ts";

/** A live system shows its last mutation and how that ended. */
export function lastMutationShown({ declarations, stored }: Evidence): Rule {
  const face = (one: ShownLiveSystem["lastMutation"]) =>
    JSON.stringify(one && [one.id, one.kind, one.status, one.error && [one.error.code, one.error.componentId]]);
  return {
    invariant: "last-mutation-shown",
    judges: {
      shown: ({ system: { id, lastMutation } }) => {
        const wanted = stored.mutations.get(declarations.lastMutation(id) ?? "");
        if (wanted === undefined || face(lastMutation) === face(wanted)) return null;
        return `${id} shows ${told(lastMutation ?? undefined)}, its last is ${told(wanted)}`;
      },
    },
  };
}
