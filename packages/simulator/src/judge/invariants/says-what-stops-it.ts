import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { componentName, rename } from "../names.ts";
import type { ComponentStored, Rule, StepTime } from "../steps.ts";

/** Passes that began before may still go by what they read then. */
const sparedMs = 60_000;

/** A component says what stops it: an override first, then what it depends on. What shows nothing of a resource says nothing of whether it exists. */
export function saysWhatStopsIt(evidence: Evidence): Rule {
  /** Since when each component has been overridden. */
  const heldSince = new Map<string, number>();

  function heldFor({ liveSystemId }: StoredComponent, path: string, at: number): boolean {
    const since = heldSince.get(`${liveSystemId}/${path}`.toLowerCase());
    return since !== undefined && since + sparedMs <= at;
  }

  /** The tag owner that has been overridden for long, whichever it is now. */
  function ownerHolding(component: StoredComponent, at: number): string | null {
    const named = evidence.declared(component)?.overrideWith ?? null;
    const known = component.governedBy ?? null;
    if (named === null || known?.toLowerCase() !== named.toLowerCase()) return null;
    return heldFor(component, named, at) ? named : null;
  }

  function wrongExists({ before, after, process, since }: ComponentStored): string | null {
    if (before === null || after === null || after.conditions.inSync.reason !== "InTransition") return null;
    const [was, is] = [before.conditions.exists.value, after.conditions.exists.value];
    if (was === is || before.resource.id !== after.resource.id) return null;
    const seen = evidence.sightings.of(process, [after.resource.id, before.intent, after.intent], since);
    return seen.some(({ reading }) => resourceIn(reading) !== null)
      ? null
      : `exists went from ${was} to ${is}, and no read showed its resource`;
  }

  function wrongReason({ before, after, at }: ComponentStored & StepTime): string | null {
    if (before === null || after === null || after.status !== "Active" || after.leaving) return null;
    const { reason, blockedBy } = after.conditions.inSync;
    const declared = evidence.declared(after);
    if (declared === null || before.conditions.inSync === after.conditions.inSync) return null;
    // Of what is gone, the specification doesn't say which comes first.
    const isGone = after.provisioned && after.conditions.exists.value === false;
    const owner = isGone ? null : ownerHolding(after, at);
    if (owner !== null && (reason === "Blocked" || reason === "Held"))
      return `its tag owner ${owner} is overridden, and it says ${reason}`;
    if (owner !== null && reason === "HeldBy" && blockedBy?.toLowerCase() !== owner.toLowerCase())
      return `its tag owner ${owner} is overridden, and it names ${blockedBy}`;
    if (reason !== "Blocked") return null;
    const possible = [...declared.needs, declared.overrideWith ?? "", after.governedBy ?? ""];
    return possible.some((path) => path.toLowerCase() === blockedBy?.toLowerCase())
      ? null
      : `it says that ${blockedBy} blocks it, which it doesn't need`;
  }

  return {
    invariant: "says-what-stops-it",
    judges: {
      "component-stored": (step) => {
        if (step.after?.updatedBy !== "agent") return null;
        const wrong = wrongExists(step) ?? wrongReason(step);
        return wrong === null ? null : `${componentName(step.after)}: ${wrong}`;
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
