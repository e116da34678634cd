import type { Json } from "@liveplane/core/store";
import { carriesManagementTag, carriesReconcileTag } from "./comparison.ts";
import { componentName, type Evidence, type Kept, placeKey, type Sent, type Sighting, told } from "./evidence.ts";
import type { JudgedCloud, Landed, ResourceChanged, ResourceTruth, StoredComponent } from "./facts.ts";
import { writtenAtLeft } from "./left-to-the-cloud.ts";
import { decidedAfter, forms, judgeBound, wrongChange } from "./permitted.ts";

/** A change that a process made to a component's resource. */
interface Write {
  readonly process: string;
  readonly kept: Kept;
  readonly component: StoredComponent;
  readonly cloud: JudgedCloud;
  readonly change: ResourceChanged;
  readonly sent: Sent;
  readonly evidence: Evidence;
}

/** A process changed a resource: may it have, and was it what is declared? */
export function judgeWrite(process: string, provider: string, change: ResourceChanged, evidence: Evidence) {
  const { resourceId } = change;
  const key = placeKey(provider, resourceId);
  if (change.before !== null && evidence.leftBehind.has(key))
    evidence.fail("deletes-what-was-asked", `${change.operation} of ${resourceId}, which was left behind`);
  const kept = change.before === null ? maker(provider, change, evidence) : evidence.holderOf(provider, resourceId);
  const component = kept?.record;
  const cloud = evidence.clouds.get(provider);
  if (kept === null || component === undefined || cloud === undefined) return;
  // Where the cloud chooses ids nobody knows which call made it: none that is older than the claim for it.
  const claimed = change.before === null ? evidence.claimedAt.get(componentName(component).toLowerCase()) : undefined;
  const sent = evidence.lastSent.get(`${process} ${key}`) ?? {
    process,
    operation: change.operation,
    order: claimed?.order ?? evidence.order,
    at: claimed?.at ?? evidence.world.now(),
    looks: new Map(),
  };
  const write: Write = { process, kept, component, cloud, change, sent, evidence };
  evidence.lastWritten.set(key, { component, process, sent });
  if (change.before === null) return judgeCreation(write);
  judgeHandover(write, change.before);
  if (change.operation === "remove") return judgeRemoval(write);
  if (change.after === null) return;
  judgeTags(write, change.before, change.after);
  if (change.operation === "update") judgeCorrection(write, change.before, change.after);
}

/** What was accepted, and is done now: what it made of the resource is what was declared when it was sent, or since. */
export function judgeLanding(provider: string, change: Landed, evidence: Evidence) {
  const { resourceId, before, after, operation, failed } = change;
  const written = evidence.lastWritten.get(placeKey(provider, resourceId));
  const holder = evidence.holderOf(provider, resourceId)?.record;
  // It may have been left behind, and be another's by now.
  const component = holder?.liveSystemId === written?.component.liveSystemId ? holder : undefined;
  const cloud = evidence.clouds.get(provider);
  if (component === undefined || cloud === undefined || written === undefined || failed) return;
  const id = componentName(component).toLowerCase();
  evidence.landed.set(id, [...(evidence.landed.get(id) ?? []), change]);
  if (operation !== "update" || before === null || after === null) return;
  const declared = forms(component, written.sent, evidence);
  judgeBound({ component, cloud, change, evidence }, declared);
  const wrong = declared.map((one) => wrongChange(one, before, after, cloud));
  if (!wrong.includes(null) && wrong.length > 0)
    evidence.fail("writes-what-is-declared", `${written.process} changed ${id} in the end: ${wrong.at(-1)}`);
}

/** The component for which a resource was made: the one that has the id, or the intent. */
function maker(provider: string, { resourceId, after }: ResourceChanged, evidence: Evidence): Kept | null {
  const holder = evidence.holderOf(provider, resourceId);
  if (holder !== null) return holder;
  for (const kept of evidence.components.values()) {
    if (kept.record.provider === provider && kept.record.intent !== null && kept.record.intent === after?.intent)
      return kept;
  }
  return null;
}

function judgeCreation({ component, cloud, change: { after, resourceId }, sent, evidence }: Write) {
  const id = componentName(component);
  if (after === null) return;
  if (evidence.unseen.has(placeKey(component.provider, component.resource.id ?? "")))
    evidence.fail("each-resource-made-once", `${id} was made anew, and is only not seen yet`);
  if (component.status !== "Active")
    evidence.fail("no-write-while-handed-over", `${resourceId} was made, and is ${component.status}`);
  if (cloud.isTaggable(component.type) && !carriesManagementTag(after.tags, cloud))
    evidence.fail("management-tag-set-at-creation-only", `${resourceId} was made without it`);
  const declared = forms(component, sent, evidence);
  if (declared.length === 0) return evidence.fail("writes-what-is-declared", `${id} was made, and isn't declared`);
  // What is left to the cloud is the cloud's from then on: it is made as it is declared.
  const fits = declared.some((one) => evidence.certain({ ...one, ignoreChanges: [] }, after, component).length === 0);
  if (!fits)
    evidence.fail(
      "writes-what-is-declared",
      `${id} was made as ${told(after.parameters)}, declared is ${told(declared.at(-1)?.parameters as Json)}`,
    );
  const missing = declared.map(({ needs }) => needs.find((path) => !isReady(component, path, evidence)));
  if (!missing.includes(undefined))
    evidence.fail("made-in-order", `${id} was made while ${missing.at(-1)} isn't there`);
}

/** What something depends on is there before it, unless a person holds that; in a mutation it was as declared once since that was accepted. */
function isReady({ liveSystemId, step }: StoredComponent, path: string, evidence: Evidence): boolean {
  const other = evidence.sibling(liveSystemId, path);
  if (other === null) return false;
  const since = step?.state === "begun" ? evidence.declarations.orderOf(liveSystemId, step.mutationId) : 0;
  const converged = evidence.convergedUntil.get(componentName(other).toLowerCase()) ?? -1;
  if (since > 0 && converged >= since) return true;
  if (other.status !== "Active" || evidence.truthOf(other) !== null || other.conditions.exists.value === true)
    return true;
  const existedAt = evidence.existedAt.get(componentName(other).toLowerCase());
  return existedAt !== undefined && existedAt >= evidence.world.now() - sparedMs;
}

/** A dependency may go between the look at it and the write. */
const sparedMs = 60_000;

/** The agent corrects what is its own; a person's resource it lets alone. */
function judgeHandover(write: Write, before: ResourceTruth) {
  const { component, cloud, change, process, evidence } = write;
  const detail = `${change.operation} of ${change.resourceId} by ${process}`;
  const declared = evidence.declarations.last(component.liveSystemId, component.path);
  const governedBy = declared?.overrideWith ?? component.overrideWith;
  if (!cloud.isTaggable(component.type) && governedBy != null) {
    const tagOwner = evidence.sibling(component.liveSystemId, governedBy);
    const names = tagOwner === null ? [] : [tagOwner.resource.id, tagOwner.intent];
    const seen = evidence.sightings(process, names, 0).filter(({ order }) => order <= write.sent.order);
    const tags = tagsIn(seen.at(-1));
    if (tags !== null && !carriesManagementTag(tags, cloud))
      evidence.fail("no-write-while-handed-over", `${detail}, overridden with another`);
    return;
  }
  if (carriesManagementTag(before.tags, cloud) || mayHaveCrossed(write)) return;
  evidence.fail("no-write-while-handed-over", `${detail}, which is ${told(before.tags)}`);
}

/** Where writes can't be bound to what was read, the read right before the write is all there is. */
function mayHaveCrossed({ cloud, component, change, process, sent, evidence }: Write): boolean {
  if (isRefusedLate(component, change, cloud)) return false;
  const claimed = evidence.claimedAt.get(componentName(component).toLowerCase());
  const seen = evidence.sightings(process, [component.resource.id, component.intent], 0);
  const last = seen.filter(({ order }) => order <= sent.order).at(-1);
  const tags = tagsIn(last);
  if (last === undefined || last.order < (claimed?.order ?? 0) || tags === null) return false;
  return carriesManagementTag(tags, cloud);
}

/** The tags that a look showed of what no write is under way at, also of what the cloud has given up. */
function tagsIn(seen: Sighting | undefined): ResourceTruth["tags"] | null {
  if (seen?.reading.state === "present") return seen.reading.tags;
  return seen?.reading.state === "failed" ? (seen.reading.resource?.tags ?? null) : null;
}

/** Whether the cloud refuses a write once the resource isn't any more what was read. What changes tags alone is bound as tags are. */
function isRefusedLate(
  { type }: StoredComponent,
  { operation, before, after }: ResourceChanged,
  cloud: JudgedCloud,
): boolean {
  const { properties, tags } = cloud.bindingsOf(type);
  const isSame = (some: object | undefined, others: object | undefined) =>
    JSON.stringify(some) === JSON.stringify(others);
  const isOfTags = isSame(before?.parameters, after?.parameters) && !isSame(before?.tags, after?.tags);
  return operation === "removeTag" || (operation === "update" && isOfTags)
    ? tags === "etag" || tags === "fingerprint"
    : properties === "etag";
}

/** Of the protocol's tags the agent touches one: the reconcile tag, when what it asked for was done and looked at, or as a stray. */
function judgeTags(write: Write, before: ResourceTruth, after: ResourceTruth) {
  const { component, cloud, change, process, sent, evidence } = write;
  if (carriesManagementTag(after.tags, cloud) && !carriesManagementTag(before.tags, cloud))
    evidence.fail("management-tag-set-at-creation-only", `${change.operation} of ${change.resourceId}`);
  const declared = forms(component, sent, evidence);
  const own = new Set(
    declared
      .flatMap((one) => Object.keys((one.parameters?.[cloud.tagParameter] ?? {}) as object))
      .map((key) => key.toLowerCase()),
  );
  for (const key of new Set([...Object.keys(before.tags), ...Object.keys(after.tags)])) {
    const isReconcile = key.toLowerCase() === "platform" && change.operation === "removeTag";
    if (before.tags[key] === after.tags[key] || own.has(key.toLowerCase()) || isReconcile) continue;
    evidence.fail("writes-what-is-declared", `${change.operation} of ${change.resourceId} changed the tag ${key}`);
  }
  if (!carriesReconcileTag(before.tags, cloud) || carriesReconcileTag(after.tags, cloud)) return;
  const isAsDeclared = (state: ResourceTruth | { tags: object; parameters: object }) =>
    declared.some((one) => evidence.certain(one, state, component).length === 0);
  const isVerified = isRefusedLate(component, change, cloud)
    ? isAsDeclared(before)
    : evidence
        .sightings(process, [component.resource.id], 0)
        .some(({ reading }) => reading.state === "present" && isAsDeclared(reading));
  const isDone = component.status === "Active" || component.request?.reconciled === true;
  if (!isVerified || !isDone)
    evidence.fail(
      "reconcile-tag-removed-when-verified-only",
      `${change.resourceId} is ${component.status}, ${isVerified ? "" : "not "}verified`,
    );
}

/** What is corrected becomes what is declared now, and nothing else of it changes. */
function judgeCorrection(write: Write, before: ResourceTruth, after: ResourceTruth) {
  const { component, cloud, change, process, sent, evidence } = write;
  const id = componentName(component);
  if (evidence.clean.has(id.toLowerCase()))
    evidence.fail("clean-hand-back-writes-nothing", `${change.resourceId} was changed although nothing differed`);
  if (component.status === "ManualOverride")
    evidence.fail("no-write-while-handed-over", `${id} was corrected in ${component.status}`);
  if (component.status === "ReconcileRequested" && evidence.world.restoredTag !== "resume" && !wasAsked(write, before))
    evidence.fail("no-write-while-handed-over", `${id} was corrected although the request was withdrawn`);
  const declared = forms(component, sent, evidence);
  const left = declared.map((one) => writtenAtLeft(one, before, after, cloud));
  if (declared.length > 0 && !left.includes(null))
    return evidence.fail("left-to-the-cloud", `${process} changed ${id}: ${left.at(-1)}, which is left to the cloud`);
  judgeBound(write, declared);
  const wrong = declared.map((one) => wrongChange(one, before, after, cloud));
  if (wrong.includes(null)) return;
  const what = wrong.at(-1) ?? "it, though it isn't declared";
  evidence.fail(
    "writes-what-is-declared",
    `${process} changed ${id}: ${what}; declared is ${told(declared.at(-1)?.parameters as Json)}`,
  );
}

function wasAsked({ cloud, component, change, process, sent, evidence }: Write, before: ResourceTruth): boolean {
  if (carriesReconcileTag(before.tags, cloud)) return true;
  if (isRefusedLate(component, change, cloud)) return false;
  const seen = evidence.sightings(process, [component.resource.id], 0).filter(({ order }) => order <= sent.order);
  // The read right before the write looks for the management tag; what was decided on is the one before.
  return seen.slice(-2).some((one) => carriesReconcileTag(tagsIn(one) ?? {}, cloud));
}

/** What was taken away had left the declaration, wasn't to be kept, and nothing needed it any more. */
function judgeRemoval({ component, change: { resourceId }, sent, evidence }: Write) {
  const id = componentName(component);
  const { liveSystemId, path } = component;
  const { declarations } = evidence;
  const decided = decidedAfter(component, sent);
  if (!declarations.wasUndeclaredSince(liveSystemId, path, decided))
    return evidence.fail("deletes-what-was-asked", `${resourceId} was deleted, and ${id} is declared`);
  // What was declared of it last when it was decided, or at any moment since.
  const last = [declarations.last(liveSystemId, path, decided), ...evidence.declaredSince(component, decided)];
  if (last.every((one) => one?.deletionPolicy === "Retain"))
    evidence.fail("deletes-what-was-asked", `${resourceId} was deleted, and is to be retained`);
  for (const { record } of evidence.components.values()) {
    if (record.liveSystemId !== liveSystemId || record === component) continue;
    const other = evidence.declared(record) ?? declarations.last(liveSystemId, record.path);
    const needs = other?.needs.some((need) => need.toLowerCase() === path.toLowerCase()) ?? false;
    const isLeaving = declarations.newest(liveSystemId, record.path) === null;
    if (needs && isLeaving && evidence.truthOf(record) !== null && record.status === "Active")
      evidence.fail("made-in-order", `${id} was deleted before ${record.path}, which needs it`);
  }
}
