import type { StoredComponent, ToldEvent } from "../facts.ts";
import { componentName, isAbout } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** A mutation that a newer one has replaced begins, ends, creates and forgets nothing, and doesn't succeed. */
export function supersededDoesNothing(): Rule {
  /** The newest mutation of each live system. */
  const newest = new Map<string, string>();
  const isOld = ({ liveSystemId }: Pick<StoredComponent, "liveSystemId">, mutationId: string) =>
    newest.has(liveSystemId) && newest.get(liveSystemId) !== mutationId;

  function wrongStep({ before, after, events }: ComponentStored): string | null {
    if (before === null) return null;
    if (after === null) {
      const by = partingOf(before, events)?.data.mutationId;
      return typeof by === "string" && isOld(before, by) ? "was forgotten by a mutation that is over" : null;
    }
    const { step } = after;
    if (step === null || !isOld(after, step.mutationId)) return null;
    const isSame = before.step?.mutationId === step.mutationId && before.step.state === step.state;
    if (!isSame) return `became ${step.state} by a mutation that is over`;
    const isMaking = after.work?.kind === "create" && after.work.id !== before.work?.id;
    return isMaking && before.status !== "Active" ? "is made again by a mutation that is over" : null;
  }

  return {
    invariant: "superseded-does-nothing",
    judges: {
      "component-stored": (step) => {
        const wrong = wrongStep(step);
        const one = step.after ?? step.before;
        return wrong === null || one === null ? null : `${componentName(one)} ${wrong}`;
      },
      "mutation-stored": ({ before, after }) =>
        before?.status === "Running" && after.status === "Succeeded" && isOld(after, after.id)
          ? `mutation ${after.id} succeeded, and a newer one had replaced it`
          : null,
    },
    observes: { accepted: ({ mutation }) => void newest.set(mutation.liveSystemId, mutation.id) },
  };
}

function partingOf(component: StoredComponent, events: readonly ToldEvent[]): ToldEvent | undefined {
  const types = ["component.released", "component.deleted"];
  return events.find(({ type, subject }) => types.includes(type) && isAbout(subject, component));
}
