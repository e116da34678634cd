import type { StoredComponent } from "../facts.ts";
import { componentName } from "../names.ts";
import type { Rule } from "../steps.ts";

/** Declared moves are made, with resource, override and ledger, and nothing else moves. */
export function movesAsDeclared(): Rule {
  return {
    invariant: "moves-as-declared",
    judges: {
      accepted: ({ mutation: { liveSystemId }, movesAsked, movesTold }) => {
        const idOf = (path: string) => `${liveSystemId}/${path}`.toLowerCase();
        const wanted = [...movesAsked].map(([from, to]) => `${idOf(from)} to ${idOf(to)}`).sort();
        const made = [...movesTold].map(([from, to]) => `${from} to ${to}`).sort();
        if (wanted.join() === made.join()) return null;
        return `declared to move is ${wanted.join(", ")}, it was ${made.join(", ")}`;
      },
      "component-stored": ({ before, after }) => {
        if (before === null || after === null || before.path.toLowerCase() === after.path.toLowerCase()) return null;
        const [was, is] = [kept(before), kept(after)];
        return was === is ? null : `${componentName(after)} was ${was} as ${before.path}, and is ${is}`;
      },
    },
  };
}

function kept({ status, lost, provisioned, resource, request, override, observed, intent }: StoredComponent): string {
  const { drift, outputs } = observed;
  return JSON.stringify([status, lost, provisioned, resource.id, request, override, intent, drift, outputs]);
}
