import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { componentName, rename } from "../names.ts";
import type { ComponentStored, Rule, StepTime } from "../steps.ts";

/** How long a process may go by what was stored before. */
const sparedMs = 60_000;

/** A component says that it waits for another one only while nobody has that, nor what it goes by: for people nobody waits. */
export function blockedByWhatHinders(evidence: Evidence): Rule {
  const heldSince = new Map<string, number>();

  function isHeld({ liveSystemId }: StoredComponent, path: string, at: number): boolean {
    const since = heldSince.get(`${liveSystemId}/${path}`.toLowerCase());
    return since !== undefined && since < at - sparedMs;
  }

  function wrongBlock({ before, after, at }: ComponentStored & StepTime): string | null {
    const { reason = "", blockedBy } = after?.conditions.inSync ?? {};
    if (after === null || after.updatedBy !== "agent" || reason !== "Blocked" || blockedBy === undefined) return null;
    if (before?.conditions.inSync === after.conditions.inSync || evidence.world.leasedClaimMs !== undefined)
      return null;
    const { liveSystemId } = after;
    if (evidence.declarations.newest(liveSystemId, after.path)?.needs.includes(blockedBy) !== true) return null;
    const owner = evidence.declarations.newest(liveSystemId, blockedBy)?.overrideWith ?? null;
    const held = [blockedBy, ...(owner === null ? [] : [owner])].find((path) => isHeld(after, path, at));
    return held === undefined ? null : `it waits for ${blockedBy}, and a person has ${held}`;
  }

  return {
    invariant: "blocked-by-what-hinders",
    judges: {
      "component-stored": (step) => {
        const wrong = wrongBlock(step);
        return wrong === null || step.after === null ? null : `${componentName(step.after)}: ${wrong}`;
      },
    },
    observes: {
      moved: ({ ids }) => rename(heldSince, ids),
      "component-stored": ({ id, after, at }) => {
        if (after === null || after.status === "Active") heldSince.delete(id);
        else if (!heldSince.has(id)) heldSince.set(id, at);
      },
    },
  };
}
