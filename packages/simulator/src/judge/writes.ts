import type { Evidence } from "./evidence.ts";
import type { ResourceTruth, StoredComponent } from "./facts.ts";
import { caselessId } from "./names.ts";
import type { Finished, Sent, Sighting, StepOf, Wrote } from "./steps.ts";

/** A change by a process, as a write to a component; `null`: no component has the resource. */
export function writeOf({ process, provider, change, order, at }: StepOf<"changed">, evidence: Evidence): Wrote | null {
  const component = change.before === null ? makerOf(provider, change, evidence) : holderOf(provider, change, evidence);
  const cloud = evidence.clouds.get(provider);
  if (process === null || component === null || cloud === undefined) return null;
  // Where the cloud chooses ids nobody knows which call made it: none that is older than the claim for it.
  const claimed = change.before === null ? evidence.sends.claimOn(caselessId(component)) : undefined;
  const sent = evidence.sends.lastSent(process, provider, change.resourceId) ?? {
    ...{ process, operation: change.operation, looks: new Map() },
    order: claimed?.order ?? order,
    at: claimed?.at ?? at,
  };
  return { kind: "wrote", process, component, cloud, change, sent, declared: permitted(component, sent, evidence) };
}

/** What came of a write that was accepted before; `null`: it came to nothing, or no component has the resource any more. */
export function finishOf({ provider, change }: StepOf<"landed">, evidence: Evidence): Finished | null {
  const written = evidence.sends.lastWrite(provider, change.resourceId);
  const component = holderOf(provider, change, evidence);
  const cloud = evidence.clouds.get(provider);
  if (written === undefined || component === null || cloud === undefined || change.failed) return null;
  // The resource may have been left behind, and be another live system's by now.
  if (component.liveSystemId !== written.component.liveSystemId) return null;
  const declared = permitted(component, written.sent, evidence);
  return { kind: "finished", process: written.process, component, cloud, change, declared };
}

/** The order at which a write was decided: the declaration is read last of all, and no time passes before the write is sent. */
export function decidedAt({ liveSystemId }: StoredComponent, { looks, order }: Sent): number {
  return looks.get(liveSystemId.toLowerCase()) ?? order;
}

/** The tags that a read showed, also of a resource on which the cloud gave up. `null`: none, or a write is under way. */
export function tagsIn(seen: Sighting | undefined): ResourceTruth["tags"] | null {
  if (seen?.reading.state === "present") return seen.reading.tags;
  return seen?.reading.state === "failed" ? (seen.reading.resource?.tags ?? null) : null;
}

/** Whether the cloud refuses the write once the resource is no longer what was read. A change of tags alone is bound as tags are. */
export function isRefusedLate({ component, cloud, change: { operation, before, after } }: Wrote): boolean {
  const { properties, tags } = cloud.bindingsOf(component.type);
  const isSame = (some: object | undefined, others: object | undefined) =>
    JSON.stringify(some) === JSON.stringify(others);
  const isOfTags = isSame(before?.parameters, after?.parameters) && !isSame(before?.tags, after?.tags);
  return operation === "removeTag" || (operation === "update" && isOfTags)
    ? tags === "etag" || tags === "fingerprint"
    : properties === "etag";
}

/** What a write may make of a component: what was in force when the process last looked, or since. */
function permitted(component: StoredComponent, sent: Sent, evidence: Evidence): Wrote["declared"] {
  return evidence.declaredSince(component, decidedAt(component, sent));
}

type Changed = Pick<Wrote["change"], "resourceId" | "after">;

function holderOf(provider: string, { resourceId }: Changed, { stored }: Evidence): StoredComponent | null {
  return stored.holderOf(provider, resourceId);
}

/** The component for which a resource was made: the one that has the id, or the intent. */
function makerOf(provider: string, change: Changed, evidence: Evidence): StoredComponent | null {
  const isMaker = (one: StoredComponent) =>
    one.provider === provider && one.intent !== null && one.intent === change.after?.intent;
  return holderOf(provider, change, evidence) ?? evidence.components().find(isMaker) ?? null;
}
