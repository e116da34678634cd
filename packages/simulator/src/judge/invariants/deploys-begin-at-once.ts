import type { Evidence } from "../evidence.ts";
import { componentName, rename } from "../names.ts";
import type { Rule } from "../steps.ts";

/** A pass of another kind may be in the way, and its calls may be late. */
const mostMs = 30_000;

/** What a deploy begins, it reads at once: it doesn't wait out the pauses of the one that it replaced. */
export function deploysBeginAtOnce(evidence: Evidence): Rule {
  /** The steps that have begun and read nothing yet. */
  const begun = new Map<string, { readonly process: string; readonly at: number }>();
  return {
    invariant: "deploys-begin-at-once",
    judges: {
      read: ({ process, name, at }) => {
        for (const [id, step] of begun) {
          const record = evidence.stored.components.get(id)?.record;
          const isIts =
            record !== undefined &&
            [record.resource.id, record.intent].some((own) => own?.toLowerCase() === name.toLowerCase());
          if (isIts && step.process === process && at - step.at > mostMs)
            return `${componentName(record)} was begun, and first read ${at - step.at} ms later`;
        }
        return null;
      },
    },
    observes: {
      read: ({ process, name }) => {
        for (const [id, step] of begun) {
          const record = evidence.stored.components.get(id)?.record;
          const isIts =
            record !== undefined &&
            [record.resource.id, record.intent].some((own) => own?.toLowerCase() === name.toLowerCase());
          if (isIts && step.process === process) begun.delete(id);
        }
      },
      died: ({ process }) => forget(process),
      hindered: ({ process }) => forget(process),
      moved: ({ ids }) => rename(begun, ids),
      "component-stored": ({ id, before, after, process, at }) => {
        const isBegun = after?.step?.state === "begun" && before?.step?.state !== "begun";
        if (isBegun && evidence.world.leasedClaimMs === undefined && after.work === null)
          begun.set(id, { process, at });
        else begun.delete(id);
      },
    },
  };

  function forget(process: string): void {
    for (const [id, step] of begun) if (step.process === process) begun.delete(id);
  }
}
