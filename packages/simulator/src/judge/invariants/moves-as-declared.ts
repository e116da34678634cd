import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, componentName } from "../names.ts";
import type { Rule } from "../steps.ts";

/** Declared moves are made, with resource, override and ledger, and nothing else moves. */
export function movesAsDeclared(evidence: Evidence): Rule {
  /** The new paths of moved tag owners, by the IDs of the components that must name them in the same commit. */
  const owed = new Map<string, string>();
  return {
    invariant: "moves-as-declared",
    judges: {
      committed: () => {
        const [first] = owed;
        return first === undefined
          ? null
          : `${first[0]} goes by the tags of what is ${first[1]} now, and doesn't say so`;
      },
      accepted: ({ mutation: { liveSystemId }, movesAsked, movesTold }) => {
        const idOf = (path: string) => `${liveSystemId}/${path}`.toLowerCase();
        const wanted = [...movesAsked].map(([from, to]) => `${idOf(from)} to ${idOf(to)}`).sort();
        const made = [...movesTold].map(([from, to]) => `${from} to ${to}`).sort();
        if (wanted.join() === made.join()) return null;
        return `declared to move is ${wanted.join(", ")}, it was ${made.join(", ")}`;
      },
      "component-stored": ({ id, before, after }) => {
        const wanted = owed.get(id);
        if (wanted !== undefined && after?.governedBy?.toLowerCase() !== wanted)
          return `${id} goes by the tags of ${after?.governedBy}, which is ${wanted} now`;
        if (before === null || after === null || before.path.toLowerCase() === after.path.toLowerCase()) return null;
        const [was, is] = [kept(before), kept(after)];
        return was === is ? null : `${componentName(after)} was ${was} as ${before.path}, and is ${is}`;
      },
    },
    observes: {
      moved: ({ ids }) => {
        for (const component of evidence.components()) {
          const { liveSystemId, governedBy } = component;
          const to = governedBy == null ? undefined : ids.get(caselessId({ liveSystemId, path: governedBy }));
          const id = caselessId(component);
          if (to !== undefined) owed.set(ids.get(id) ?? id, to.slice(liveSystemId.length + 1));
        }
      },
      "component-stored": ({ id }) => void owed.delete(id),
    },
  };
}

function kept({ status, lost, provisioned, resource, request, override, observed, intent }: StoredComponent): string {
  const { drift, outputs } = observed;
  return JSON.stringify([status, lost, provisioned, resource.id, request, override, intent, drift, outputs]);
}
