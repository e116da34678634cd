import type { Evidence } from "../evidence.ts";
import { caselessId, componentName, rename } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** Each write that a process made or may have made counts as the last one, also when its answer is lost or it goes on. */
export function lastWriteIsTold(evidence: Evidence): Rule {
  /** Writes whose result isn't stored yet, by component: the process, and its claim. */
  const made = new Map<string, { readonly process: string; readonly claim: string }>();

  function wrongTime({ id, before, after, process }: ComponentStored): string | null {
    if (before === null || after === null || after.updatedBy !== "agent") return null;
    // Two writes may have the same time.
    if (before.lastWriteAt !== after.lastWriteAt || before.lastWriteAt === after.updatedAt) return null;
    const isAccepted = before.operation == null && after.operation != null && after.operation.kind !== "remove";
    if (isAccepted) return "a write was accepted, and isn't the last one";
    const own = made.get(id);
    const isStored = own?.process === process && own.claim === before.work?.id && after.work?.id !== own.claim;
    return isStored ? "a write was made, and isn't the last one" : null;
  }

  return {
    invariant: "last-write-is-told",
    judges: {
      "component-stored": (step) => {
        const wrong = wrongTime(step);
        return wrong === null || step.after === null ? null : `${componentName(step.after)}: ${wrong}`;
      },
    },
    observes: {
      wrote: ({ component, change, process }) => {
        const { work } = evidence.stored.components.get(caselessId(component))?.record ?? component;
        if (change.operation !== "remove" && work !== null)
          made.set(caselessId(component), { process, claim: work.id });
      },
      moved: ({ ids }) => rename(made, ids),
      "component-stored": ({ id, before, after }) => {
        if (before?.work?.id !== after?.work?.id) made.delete(id);
      },
    },
  };
}
