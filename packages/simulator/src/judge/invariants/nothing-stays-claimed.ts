import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, componentName, placeKey, rename } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/**
 * A claim ends with the result of its write, however that went. A worker that knows that it sent nothing leaves nothing of the write behind, and at
 * rest nothing is claimed.
 */
export function nothingStaysClaimed(evidence: Evidence): Rule {
  /** The claims whose writes were answered, by component. */
  const answered = new Map<string, string>();
  /** When each process's store failed last. */
  const hindered = new Map<string, number>();

  function isKept({ id, before, after, process }: ComponentStored): boolean {
    const isOver = after?.step?.state === "failed" && before?.step?.state !== "failed";
    // Another process may end the step while the one that was answered hasn't stored that yet.
    const isOwn = evidence.sends.claimOn(id)?.process === process;
    return isOver && isOwn && after?.work?.kind === "remove" && answered.get(id) === after.work.id;
  }

  /** What a worker stored along with its claim goes when it gives that up without a write. */
  function isLeftBehind({ id, before, after, process }: ComponentStored): boolean {
    if (before?.work == null || after === null || after.work !== null || after.unread === undefined) return false;
    // A deletion, or the next deploy, may take the claim of its own process before that gives it up.
    const saidBy = ({ leaving, step, conditions }: StoredComponent) => JSON.stringify([leaving, step, conditions]);
    // A pass that begins may find the claim of one that was broken off, and reads first.
    const isSame = saidBy(after) === saidBy(before);
    if (!isSame || after.updatedBy !== "agent") return false;
    const claim = evidence.sends.claimOn(id);
    if (claim?.process !== process || (hindered.get(process) ?? 0) > claim.order) return false;
    const names = [before.resource.id, after.resource.id, before.intent];
    return names.every((name) => {
      const sent = name === null ? undefined : evidence.sends.lastSent(process, before.provider, name);
      return sent === undefined || sent.order < claim.order;
    });
  }

  return {
    invariant: "nothing-stays-claimed",
    judges: {
      "component-stored": (step) => {
        const one = step.after ?? step.before;
        if (one === null) return null;
        if (isKept(step)) return `${componentName(one)}: its deletion was answered, and its claim is still there`;
        return isLeftBehind(step) ? `${componentName(one)}: a write counts as unknown that was never sent` : null;
      },
      rested: () => {
        const claimed = evidence.components().find(({ work }) => work !== null);
        return claimed === undefined ? null : `${componentName(claimed)} is claimed, and nobody writes to it`;
      },
    },
    observes: {
      answered: ({ provider, resourceId }) => {
        const isIts = (one: StoredComponent) =>
          one.work !== null &&
          one.resource.id !== null &&
          placeKey(one.provider, one.resource.id) === placeKey(provider, resourceId);
        const component = evidence.components().find(isIts);
        if (component?.work) answered.set(caselessId(component), component.work.id);
      },
      hindered: ({ process, order }) => void hindered.set(process, order),
      moved: ({ ids }) => rename(answered, ids),
    },
  };
}
