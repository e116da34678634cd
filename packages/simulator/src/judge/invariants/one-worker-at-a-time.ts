import type { Evidence } from "../evidence.ts";
import { placeKey } from "../names.ts";
import type { Rule, StepOf, StepTime } from "../steps.ts";

interface UnderWay extends StepTime {
  readonly process: string;
  readonly operation: StepOf<"sent">["operation"];
}

/** One process at a time works on a component. A claim is released by its process, unless that is dead or too late. */
export function oneWorkerAtATime({ sends, world: { claimMs } }: Evidence): Rule {
  const underWay = new Map<string, readonly UnderWay[]>();
  const dead = new Set<string>();
  const isOver = (one: { readonly process: string; readonly at: number }, at: number) =>
    dead.has(one.process) || (claimMs !== null && one.at + claimMs <= at);
  return {
    invariant: "one-worker-at-a-time",
    judges: {
      sent: ({ process, provider, operation, resourceId, at }) => {
        const others = underWay.get(placeKey(provider, resourceId)) ?? [];
        const areRemovals = (one: UnderWay) => operation === "remove" && one.operation === "remove";
        const other = others.find((one) => !isOver(one, at) && !areRemovals(one));
        if (other === undefined) return null;
        return `${process} sends ${operation} to ${resourceId}, ${other.process} is at ${other.operation}`;
      },
      "component-stored": ({ id, before, after, process, at }) => {
        const claim = sends.claimOn(id);
        if (!before?.work || claim === undefined || claimMs === null || after?.work?.id === before.work.id) return null;
        if (claim.process === process || isOver(claim, at)) return null;
        return `${process} took ${id} from ${claim.process}, which is writing to it`;
      },
    },
    observes: {
      died: ({ process }) => void dead.add(process),
      sent: ({ process, provider, operation, resourceId, order, at }) => {
        const key = placeKey(provider, resourceId);
        underWay.set(key, [...(underWay.get(key) ?? []), { process, operation, order, at }]);
      },
      answered: ({ process, provider, resourceId }) => {
        const key = placeKey(provider, resourceId);
        const sent = underWay.get(key) ?? [];
        const place = sent.findIndex((one) => one.process === process);
        underWay.set(key, sent.toSpliced(place === -1 ? sent.length : place, 1));
      },
    },
  };
}
