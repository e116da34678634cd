import type { Evidence } from "./evidence.ts";
import type { ResourceTruth, StoredComponent } from "./facts.ts";
import { resourceIn } from "./looks.ts";
import { caselessId } from "./names.ts";
import type { Finished, Sent, Sighting, StepOf, Wrote } from "./steps.ts";

/** A process's change as a write to a component; `null` if no component has the resource. */
export function writeOf({ process, provider, change, order, at }: StepOf<"changed">, evidence: Evidence): Wrote | null {
  const component = change.before === null ? makerOf(provider, change, evidence) : holderOf(provider, change, evidence);
  const cloud = evidence.clouds.get(provider);
  if (process === null || component === null || cloud === undefined) return null;
  // If the cloud chooses IDs, nobody knows which call created it, except that it isn't older than its claim.
  const claimed = change.before === null ? evidence.sends.claimOn(caselessId(component)) : undefined;
  const sent = evidence.sends.sendOf(process, provider, change) ?? {
    ...{
      process,
      operation: change.operation,
      etag: undefined,
      isOfTags: false,
      looks: new Map(),
      idleMs: 0,
      component,
    },
    order: claimed?.order ?? order,
    at: claimed?.at ?? at,
  };
  const declared = permitted(component, sent, evidence);
  const decided = decidedOn(sent, component, change.resourceId, evidence);
  const write: Wrote = { kind: "wrote", process, component, cloud, change, sent, decided, declared };
  // Nothing stops a creation or an unbound change once it is sent. As a straggler it may meet anything.
  const isAnybodys = change.straggler !== undefined && (change.before === null || !isRefusedLate(write));
  return isAnybodys ? null : write;
}

function decidedOn(
  { process, etag }: Sent,
  component: StoredComponent,
  resourceId: string,
  evidence: Evidence,
): Sighting | undefined {
  const { order: claimed = 0, since = 0 } = evidence.sends.claimOn(caselessId(component)) ?? {};
  const seen = evidence.sightings
    .of(process, [resourceId])
    .filter(({ order, reading }) => order < claimed && resourceIn(reading) !== null);
  if (typeof etag !== "string") return seen.at(-1);
  // Other passes of the process read it too. Its own read is the one whose etag it carries, or showed none: then that etag is a later read's.
  const isOwn = ({ order, reading }: Sighting, shown: unknown) => order > since && resourceIn(reading)?.etag === shown;
  return seen.findLast((one) => isOwn(one, etag)) ?? seen.findLast((one) => isOwn(one, undefined)) ?? seen.at(-1);
}

/** Whether the read that a write was decided on showed no etag. */
export function isBlind({ decided }: Wrote): boolean {
  return decided !== undefined && resourceIn(decided.reading)?.etag === undefined;
}

/** The result of an accepted write; `null` if it failed, or no component has the resource any more. */
export function finishOf({ provider, change }: StepOf<"landed">, evidence: Evidence): Finished | null {
  const written = evidence.sends.lastWrite(provider, change.resourceId);
  const component = holderOf(provider, change, evidence);
  const cloud = evidence.clouds.get(provider);
  if (written === undefined || component === null || cloud === undefined || change.failed) return null;
  // The resource may have been left behind, and belong to another live system now.
  if (component.liveSystemId !== written.component.liveSystemId) return null;
  const declared = permitted(component, written.sent, evidence);
  return { kind: "finished", process: written.process, component, cloud, change, declared };
}

/** A process that was idle for longer has paused: for at least five seconds, before which its store may have been slow. */
const longestIdleMs = 2_900;

/**
 * The position at which a write was decided: the declaration is read last, and no time passes before the write is sent. A process that has
 * paused in between goes by what it read before, which its claim checked.
 */
export function decidedAt(component: StoredComponent, sent: Sent, { sends }: Evidence): number {
  const { looks, order, process, idleMs } = sent;
  const looked = looks.get(component.liveSystemId.toLowerCase()) ?? order;
  const claim = sends.claimOn(caselessId(component));
  const hasPaused = idleMs >= longestIdleMs && claim?.process === process;
  return hasPaused ? Math.min(claim.order, looked) : looked;
}

/** The tags in a read, even of a resource that the cloud gave up. `null`: none, or a write is running. */
export function tagsIn(seen: Sighting | undefined): ResourceTruth["tags"] | null {
  if (seen?.reading.state === "present") return seen.reading.tags;
  return seen?.reading.state === "failed" ? (seen.reading.resource?.tags ?? null) : null;
}

/** Whether the cloud refuses the write after the resource has changed since the decision. A change of only tags is bound like tags. */
export function isRefusedLate(write: Wrote): boolean {
  return !isBlind(write) && isBoundAsSent(write) && isBoundAs(write, { isOfTags: isOfTags(write) });
}

/** Whether an etag binds what was sent as a whole. A cloud may bind a part of it, which it carries out apart, in another way. */
export function isBoundAsSent(write: Wrote): boolean {
  const { isOfTags, operation } = write.sent;
  return isBoundAs(write, { isOfTags: isOfTags || operation === "removeTag" });
}

function isBoundAs({ cloud, component }: Wrote, { isOfTags }: { readonly isOfTags: boolean }): boolean {
  const { properties, tags } = cloud.bindingsOf(component.type);
  return isOfTags ? tags === "etag" || tags === "fingerprint" : properties === "etag";
}

/** Whether a write, or the part of it that a cloud carries out apart, changes only tags. */
export function isOfTags({ sent, change: { operation, before, after, isBegun } }: Wrote): boolean {
  if (operation === "removeTag" || sent.isOfTags) return true;
  if (operation !== "update" || isBegun) return false;
  const isSame = (some: object | undefined, others: object | undefined) =>
    JSON.stringify(some) === JSON.stringify(others);
  return isSame(before?.parameters, after?.parameters) && !isSame(before?.tags, after?.tags);
}

/** What a write may turn a component into: the declarations in force since it was decided. */
function permitted(component: StoredComponent, sent: Sent, evidence: Evidence): Wrote["declared"] {
  return evidence.declaredSince(component, decidedAt(component, sent, evidence));
}

type Changed = Pick<Wrote["change"], "resourceId" | "after">;

function holderOf(provider: string, { resourceId }: Changed, { stored }: Evidence): StoredComponent | null {
  return stored.holderOf(provider, resourceId);
}

/** The component that a resource was created for: the one with its ID or intent. */
function makerOf(provider: string, change: Changed, evidence: Evidence): StoredComponent | null {
  const isMaker = (one: StoredComponent) =>
    one.provider === provider && one.intent !== null && one.intent === change.after?.intent;
  return holderOf(provider, change, evidence) ?? evidence.components().find(isMaker) ?? null;
}
