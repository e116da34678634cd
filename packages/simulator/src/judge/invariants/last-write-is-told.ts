import type { Evidence } from "../evidence.ts";
import { caselessId, componentName, rename } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** A claim, when it was stored, and when its component counted as written before it. */
interface Claimed {
  readonly claim: string;
  readonly at: string;
  readonly before: string | null;
  /** The write was made. */
  made: boolean;
}

/** Each write that was made or accepted counts as the last one, even if its answer is lost or nobody could store it. */
export function lastWriteIsTold(evidence: Evidence): Rule {
  const claimed = new Map<string, Claimed>();

  function isUntold({ id, before, after }: ComponentStored): boolean {
    const known = claimed.get(id);
    if (before === null || after === null || known === undefined || after.work?.id === known.claim) return false;
    const isAccepted = before.operation == null && after.operation != null && after.operation.kind !== "remove";
    // Two writes may have the same time.
    const isTold =
      after.lastWriteAt !== known.before || [after.updatedAt, known.at].includes(after.lastWriteAt ?? undefined);
    return (known.made || isAccepted) && !isTold;
  }

  return {
    invariant: "last-write-is-told",
    judges: {
      "component-stored": (step) =>
        isUntold(step) && step.after !== null
          ? `${componentName(step.after)}: a write was made or accepted, and isn't the last one`
          : null,
    },
    observes: {
      wrote: ({ component, change }) => {
        const id = caselessId(component);
        const known = claimed.get(id);
        const work = evidence.stored.components.get(id)?.record.work;
        // Whoever gave up a write may not hear that it was made.
        const isClaimed = known !== undefined && known.claim === work?.id && change.straggler === undefined;
        if (isClaimed && change.operation !== "remove") known.made = true;
      },
      moved: ({ ids }) => rename(claimed, ids),
      "component-stored": ({ id, before, after }) => {
        if (after?.work?.id === before?.work?.id) return;
        claimed.delete(id);
        if (after?.work && after.work.kind !== "remove")
          claimed.set(id, {
            claim: after.work.id,
            at: after.updatedAt ?? "",
            before: before?.lastWriteAt ?? null,
            made: false,
          });
      },
    },
  };
}
