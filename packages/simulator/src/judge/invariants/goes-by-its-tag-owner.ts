import { carriesReconcileTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import { caselessId, componentName, rename } from "../names.ts";
import type { ComponentStored, Rule, StepTime, Wrote } from "../steps.ts";

/** How many reads are remembered for each resource. */
const mostAsked = 20;
/** How long a process may go by what was stored before. */
const sparedMs = 60_000;

/** What goes by the tags of another component is written only while that is known to be Active, and its own tags are left alone. */
export function goesByItsTagOwner(evidence: Evidence): Rule {
  /** The last reads of a resource that each process has begun, and whether its component was overridden then. */
  const asked = new Map<string, readonly { readonly order: number; readonly status: string | undefined }[]>();
  const heldSince = new Map<string, number>();

  function wrongTag({ component, cloud, change: { operation, before, after }, declared }: Wrote): string | null {
    if (component.status !== "Active" || before === null || after === null || operation === "remove") return null;
    if (declared.length === 0 || declared.some(({ overrideWith }) => overrideWith == null)) return null;
    return carriesReconcileTag(before.tags, cloud) && !carriesReconcileTag(after.tags, cloud)
      ? `the reconcile tag of ${componentName(component)} was removed, and it goes by another's tags`
      : null;
  }

  function wrongOwner({ component, change, declared, process, sent }: Wrote): string | null {
    const claim = evidence.sends.claimOn(caselessId(component));
    const [path] = declared.map(({ overrideWith }) => overrideWith);
    if (claim?.process !== process || claim.order > sent.order || path == null || component.status !== "Active")
      return null;
    if (declared.some(({ overrideWith }) => overrideWith !== path)) return null;
    const owner = evidence.sibling(component.liveSystemId, path);
    const asks = asked.get(`${process} ${owner?.resource.id?.toLowerCase()}`) ?? [];
    const since = asks.filter(({ order }) => order > claim.order && order < sent.order);
    if (since.length === 0 || since.some(({ status }) => status === undefined)) return null;
    return `${change.operation} of ${change.resourceId}, and its tag owner ${path} was ${since[0]?.status}`;
  }

  /** Whoever it went by when something else was declared holds it until that is handed back. */
  function wrongFormer({ before, after, at }: ComponentStored & StepTime): string | null {
    const former = before?.governedBy ?? null;
    if (former === null || after === null || after.updatedBy !== "agent" || after.status !== "Active") return null;
    if (after.governedBy?.toLowerCase() === former.toLowerCase() || evidence.world.leasedClaimMs !== undefined)
      return null;
    const since = heldSince.get(`${after.liveSystemId}/${former}`.toLowerCase());
    return since !== undefined && since < at - sparedMs
      ? `${componentName(after)} goes by ${after.governedBy} now, and a person has ${former} still`
      : null;
  }

  return {
    invariant: "goes-by-its-tag-owner",
    judges: { wrote: (write) => wrongTag(write) ?? wrongOwner(write), "component-stored": wrongFormer },
    observes: {
      asks: ({ process, name, order, at }) => {
        const key = name.toLowerCase();
        const owner = evidence.components().find(({ resource }) => resource.id?.toLowerCase() === key);
        const since = owner && heldSince.get(caselessId(owner));
        const isHeld = since !== undefined && since < at && evidence.world.leasedClaimMs === undefined;
        const ask = { order, status: isHeld ? owner?.status : undefined };
        asked.set(`${process} ${key}`, [...(asked.get(`${process} ${key}`) ?? []), ask].slice(-mostAsked));
      },
      // A process may have decided before it knew of the new names.
      moved: ({ ids, at }) => {
        rename(heldSince, ids);
        for (const id of ids.values()) if (heldSince.has(id)) heldSince.set(id, at);
      },
      "component-stored": ({ id, after, at }) => {
        if (after === null || after.status === "Active") heldSince.delete(id);
        else if (!heldSince.has(id)) heldSince.set(id, at);
      },
    },
  };
}
