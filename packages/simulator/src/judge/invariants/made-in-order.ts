import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, componentName, rename } from "../names.ts";
import type { ComponentStored, Rule, StepTime, Wrote } from "../steps.ts";
import { decidedAt } from "../writes.ts";

/** A dependency may disappear between the last read and the write. */
const sparedMs = 60_000;

interface Creation {
  readonly at: number;
  /** The order of what it was decided on. */
  readonly decided: number;
}

/** A component is created after its dependencies, and deleted before them. */
export function madeInOrder(evidence: Evidence): Rule {
  /** When a component was last known to exist. */
  const existedAt = new Map<string, number>();
  /** All tag owners that a component has gone by: what leaves is deleted before each of them. */
  const ownersOf = new Map<string, Set<string>>();

  /**
   * A dependency exists before its dependents, unless a person controls it; within a mutation it has matched its declaration since that was
   * accepted.
   */
  function isReady(component: StoredComponent, path: string, { at, decided }: Creation): boolean {
    const { liveSystemId, step } = component;
    const other = evidence.sibling(liveSystemId, path);
    if (isOwnerOf(component, path, decided)) return true;
    const existed = existedAt.get(`${liveSystemId}/${path}`.toLowerCase());
    const wasThere = existed !== undefined && existed >= at - sparedMs;
    if (other === null) return wasThere;
    const since = step?.state === "begun" ? evidence.declarations.orderOf(liveSystemId, step.mutationId) : 0;
    // What a deploy leaves alone counts as finished.
    if (since > 0 && other.step?.mutationId === step?.mutationId && other.step?.state === "held") return true;
    if (since > 0 && evidence.convergence.until(other) >= since) return true;
    return (
      wasThere ||
      isHeldWithOwner(other) ||
      other.status !== "Active" ||
      evidence.truthOf(other) !== null ||
      other.conditions.exists.value === true
    );
  }

  /** A tag owner that needs what goes by its tag: neither can be made before the other for ever. */
  function isOwnerOf({ liveSystemId, path: own }: StoredComponent, path: string, decided: number): boolean {
    const { declarations } = evidence;
    const known = [...declarations.inForceSince(liveSystemId, path, decided), declarations.last(liveSystemId, path)];
    return known.some((one) => one?.overrideWith?.toLowerCase() === own.toLowerCase());
  }

  /** Nobody waits for what is held with its tag owner. */
  function isHeldWithOwner(component: StoredComponent): boolean {
    const { liveSystemId, path, governedBy = null } = component;
    const named = evidence.declarations.last(liveSystemId, path)?.overrideWith ?? governedBy;
    const known = [named, governedBy].flatMap((one) => (one === null ? [] : [evidence.sibling(liveSystemId, one)]));
    return known.some((owner) => owner !== null && owner.status !== "Active");
  }

  function wrongRemoval({ component, sent }: Pick<Wrote, "component" | "sent">): string | null {
    const { liveSystemId, path } = component;
    // A declaration during the deletion may need it again.
    if (evidence.declarations.acceptedAt(liveSystemId) > decidedAt(component, sent, evidence)) return null;
    for (const record of evidence.stored.componentsOf(liveSystemId)) {
      if (record === component) continue;
      const declared = evidence.declared(record) ?? evidence.declarations.last(liveSystemId, record.path);
      const needs = declared?.needs.some((need) => need.toLowerCase() === path.toLowerCase()) ?? false;
      const isLeaving = evidence.declared(record) === null;
      // What goes by another's tag is deleted before it, whatever that needs.
      const named = evidence.declarations.last(liveSystemId, path)?.overrideWith?.toLowerCase();
      const other = record.path.toLowerCase();
      if (named === other || ownersOf.get(caselessId(component))?.has(other)) continue;
      if (needs && isLeaving && evidence.truthOf(record) !== null && record.status === "Active")
        return `${componentName(component)} was deleted before ${record.path}, which needs it`;
    }
    return null;
  }

  return {
    invariant: "made-in-order",
    judges: {
      wrote: ({ component, change: { operation, before, after }, declared, sent, at }) => {
        if (before !== null) return operation === "remove" ? wrongRemoval({ component, sent }) : null;
        if (after === null) return null;
        const creation = { at, decided: decidedAt(component, sent, evidence) };
        const missing = declared.map(({ needs }) => needs.find((path) => !isReady(component, path, creation)));
        if (declared.length === 0 || missing.includes(undefined)) return null;
        return `${componentName(component)} was made while ${missing.at(-1)} isn't there`;
      },
    },
    observes: {
      moved: ({ ids }) => {
        rename(existedAt, ids);
        rename(ownersOf, ids);
      },
      "component-stored": ({ id, before, after, at }) => {
        if (before?.conditions.exists.value === true) existedAt.set(id, at);
        if (after === null) ownersOf.delete(id);
        else if (after.governedBy != null)
          ownersOf.set(id, new Set([...(ownersOf.get(id) ?? []), after.governedBy.toLowerCase()]));
      },
    },
  };
}

/** How long a process may go by what was stored before. */
const heldMs = 60_000;

/**
 * A component says that it waits for another one only while nobody has that, nor what it goes by: for people nobody waits. But a
 * missing resource isn't created before its dependencies exist, whoever has those.
 */
export function blockedByWhatHinders(evidence: Evidence): Rule {
  const heldSince = new Map<string, number>();
  const thereSince = new Map<string, number>();

  function isThere({ liveSystemId }: StoredComponent, path: string, at: number): boolean {
    const since = thereSince.get(`${liveSystemId}/${path}`.toLowerCase());
    return since !== undefined && since < at - heldMs;
  }

  function isHeld({ liveSystemId }: StoredComponent, path: string, at: number): boolean {
    const since = heldSince.get(`${liveSystemId}/${path}`.toLowerCase());
    return since !== undefined && since < at - heldMs;
  }

  function wrongBlock({ before, after, at }: ComponentStored & StepTime): string | null {
    const { reason = "", blockedBy } = after?.conditions.inSync ?? {};
    if (after === null || after.updatedBy !== "agent" || reason !== "Blocked" || blockedBy === undefined) return null;
    if (before?.conditions.inSync === after.conditions.inSync || evidence.world.leasedClaimMs !== undefined)
      return null;
    const { liveSystemId } = after;
    // What was released with what it went by isn't there: whoever needs it waits for the next deploy.
    if (evidence.sibling(liveSystemId, blockedBy) === null) return null;
    if (evidence.declarations.newest(liveSystemId, after.path)?.needs.includes(blockedBy) !== true) return null;
    if (after.conditions.exists.value === false && !isThere(after, blockedBy, at)) return null;
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
      // A process may have decided before it knew of the new names.
      moved: ({ ids, at }) => {
        for (const since of [heldSince, thereSince]) {
          rename(since, ids);
          for (const id of ids.values()) if (since.has(id)) since.set(id, at);
        }
      },
      "component-stored": ({ id, after, at }) => {
        if (after === null || after.status === "Active") heldSince.delete(id);
        else if (!heldSince.has(id)) heldSince.set(id, at);
        if (after?.conditions.exists.value !== true) thereSince.delete(id);
        else if (!thereSince.has(id)) thereSince.set(id, at);
      },
    },
  };
}
