import { caselessId, componentName, rename } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** What a component says that gives up. */
const givenUp: readonly string[] = ["Ineffective", "Unproven"];
/** The writes that come before a component gives up. */
const mostWrites = 2;
/** The corrections of the same places in succession after which others may be said to change them. */
const timesBeforeRest = 4;

/**
 * Writing stops only after the writes that are allowed since the last deploy, change of status or change of a secret, and corrections of the same
 * places pause only after four.
 */
export function givesUpWhenAllowed(): Rule {
  /** Writes since the last start, by component. */
  const writes = new Map<string, number>();
  /** Writes before a deploy that was accepted: until that has begun with a component, what they led to may still be stored. */
  const late = new Map<string, number>();
  const atWork = new Map<string, true>();
  /** Components with which the newest deploy has begun. A claim from before may end later. */
  const begun = new Map<string, true>();
  /** How often a correction of the same places was begun, by component. */
  const corrected = new Map<string, Map<string, number>>();

  function wrongEnd({ id, before, after }: ComponentStored): string | null {
    if (before === null || after === null || after.updatedBy !== "agent" || before.status !== after.status) return null;
    const { reason } = after.conditions.inSync;
    const { state, error, mutationId } = after.step ?? {};
    const hasFailed = state === "failed" && !(before.step?.state === state && before.step.mutationId === mutationId);
    const count = (writes.get(id) ?? 0) + (late.get(id) ?? 0);
    if (hasFailed && givenUp.includes(error?.code ?? "") && count < mostWrites)
      return `its step fails as ${error?.code} after ${count} writes`;
    // It may say again what it said before a deploy, until that has begun with it.
    if (before.conditions.inSync.reason === reason) return null;
    if (givenUp.includes(reason)) return count < mostWrites ? `it says ${reason} after ${count} writes` : null;
    if (reason !== "Contested") return null;
    const differing = placesOf(after.observed.changes ?? []);
    const times = corrected.get(id)?.get(differing) ?? 0;
    return times >= timesBeforeRest ? null : `it says Contested of ${differing}, which was corrected ${times} times`;
  }

  return {
    invariant: "gives-up-when-allowed",
    judges: {
      "component-stored": (step) => {
        const wrong = wrongEnd(step);
        return wrong === null || step.after === null ? null : `${componentName(step.after)}: ${wrong}`;
      },
    },
    observes: {
      wrote: ({ component, change: { operation } }) => {
        const id = caselessId(component);
        if (operation === "create" || operation === "update") writes.set(id, (writes.get(id) ?? 0) + 1);
      },
      accepted: ({ mutation: { liveSystemId } }) => {
        const isIts = (id: string) => id.startsWith(`${liveSystemId}/`.toLowerCase());
        for (const [id, count] of [...writes].filter(([id]) => isIts(id))) {
          late.set(id, count + (late.get(id) ?? 0));
          writes.delete(id);
        }
        for (const id of [...begun.keys()].filter(isIts)) begun.delete(id);
      },
      moved: ({ ids }) => {
        rename(writes, ids);
        rename(corrected, ids);
        rename(late, ids);
        rename(atWork, ids);
        rename(begun, ids);
      },
      "component-stored": ({ id, before, after }) => {
        if (after === null || before?.status !== after.status) {
          writes.delete(id);
          late.delete(id);
          corrected.delete(id);
          // A correction counts when it ends, which may be under another status.
          const [operation, work] = [before?.operation, before?.work];
          const slow = operation?.kind === "correct" ? operation.changes : null;
          const ended = slow ?? (work?.kind === "correct" ? before?.observed.changes : null);
          if (ended != null) corrected.set(id, new Map([[placesOf(ended), 1]]));
        }
        const isNewStep = before?.step?.mutationId !== after?.step?.mutationId;
        if (isNewStep && after?.step?.state !== "pending") begun.set(id, true);
        if (after?.work != null) atWork.set(id, true);
        else {
          atWork.delete(id);
          if (begun.has(id)) late.delete(id);
        }
        const isClaim = after?.work?.kind === "correct" && after.work.id !== before?.work?.id;
        if (!isClaim) return;
        const [times, places] = [
          corrected.get(id) ?? new Map<string, number>(),
          placesOf(after.observed.changes ?? []),
        ];
        corrected.set(id, times.set(places, (times.get(places) ?? 0) + 1));
      },
    },
  };
}

function placesOf(changes: readonly { readonly pointer: string }[]): string {
  return changes
    .map(({ pointer }) => pointer)
    .sort()
    .join(" ");
}
