import { nowText } from "../../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Cloud } from "../../ports/cloud.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Key } from "../../ports/store.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Agent } from "../agent/agent.ts";
import { type AgentDeps, isOver } from "../agent/agent-deps.ts";
import { readDirectly } from "../agent/agent-read.ts";
import { asProviderError } from "../agent/agent-write.ts";
import type { Expectation } from "../agent/expectations.ts";
import { governorAllows, isManaged } from "../agent/tag-owner.ts";
import { pathKey } from "../protocol/definition.ts";
import { observe } from "../protocol/observation.ts";
import { aboutLiveSystem, type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { closeEpisode } from "../records/episode-record.ts";
import { causeOf, isRunning, type MutationRecord, mayBeWritten, mutations } from "../records/live-system-record.ts";
import type { StepEnd } from "./converge.ts";
import { countPlaces } from "./plan-places.ts";

/** What taking a component away works with. */
export interface WithdrawContext {
  readonly agent: Agent;
  readonly deps: AgentDeps;
  readonly mutation: MutationRecord;
  readonly lease?: Lease;
}

/** What a fresh reading says must become of a component that left its declaration. */
type Fate = "delete" | "release" | "forget" | "unreadable";

const tries = 5;

/** Takes a component away: its resource is deleted while it is managed, and left behind in a person's hands. */
export async function withdraw(key: Key, context: WithdrawContext): Promise<StepEnd> {
  const { agent, deps, lease } = context;
  let last: LiveplaneError | null = null;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (isOver(lease, deps)) return { state: "interrupted" };
    await agent.whenFree(key);
    try {
      if (await agent.exclusively(key, () => attemptOnce(key, context))) return { state: "converged" };
      last = new LiveplaneError("ProviderError", "It could not be read.");
    } catch (error) {
      // What the store failed at says nothing of the resource: the mutation comes back to it.
      if (isLiveplaneError(error, "StoreFailed") || isLiveplaneError(error, "CommitOutcomeUnknown")) throw error;
      last = asProviderError(error);
      const isFinal = !last.retryable && last.code !== "PreconditionFailed" && last.details.outcome !== "unknown";
      if (isFinal) break;
    }
    const waitMs = (last.details.retryAfterSeconds ?? 0) * 1000 || 100 * 2 ** attempt;
    await deps.runtime.clock.sleep(Math.min(waitMs, 30_000), lease && { signal: lease.signal });
  }
  return { state: "failed", code: last?.code ?? "ProviderError", detail: last?.message ?? "It could not be deleted." };
}

/** True once the component is gone. */
async function attemptOnce(key: Key, context: WithdrawContext): Promise<boolean> {
  const { deps } = context;
  const record = await claim(key, context);
  if (record === null) return true;
  const options = { lane: "people", ...(context.lease && { lease: context.lease }) } as const;
  const { record: found, reading, expectation, credentials } = await readDirectly(record, { deps, options });
  const { managementTag } = observe(found, expectation, reading);
  const governorHeld = await isGovernorHeld(found, expectation, context);
  const state = reading.state === "present" || reading.state === "missing" ? reading.state : "unreadable";
  const fate = fateOf(found, { state, managed: managementTag && !governorHeld });
  if (fate === "unreadable") return false;
  if (fate !== "delete" || credentials === null) {
    await forget(found, fate === "release" ? "component.released" : "component.deleted", context);
    return true;
  }
  const cloud = deps.calls.over(expectation.cloud);
  const ref = { type: found.type, resourceId: found.resource.id ?? "" };
  const etag = reading.state === "present" ? reading.etag : undefined;
  await remove(cloud, { ref, found, etag, credentials, expectation }, context);
  const after = await cloud.read(ref, { credentials });
  if (after.state === "missing") await forget(found, "component.deleted", context);
  return after.state === "missing";
}

type Removal = {
  readonly ref: { readonly type: string; readonly resourceId: string };
  readonly found: Stored<ComponentRecord>;
  readonly etag: string | undefined;
  readonly expectation: Expectation;
  readonly credentials: NonNullable<Awaited<ReturnType<AgentDeps["environments"]["agentCredentials"]>>>;
};

/** Deletes under a condition: the etag, or a reread right before. What stands for the resource is looked at last. */
async function remove(
  cloud: Cloud,
  { ref, found, etag, credentials, expectation }: Removal,
  context: WithdrawContext,
): Promise<void> {
  const { deps, lease } = context;
  const call = { credentials };
  await deps.calls.turn(cloud, ref.resourceId, "people", lease?.signal);
  const current = await deps.records.get(components, components.key(found));
  if (current?.version !== found.version || isOver(lease, deps)) throw new LiveplaneError("PreconditionFailed");
  const conditional = cloud.capabilities.conditionalWrites && etag !== undefined;
  if (!conditional && found.overrideWith === null) {
    const again = await cloud.read(ref, call);
    const stillManaged = again.state === "present" && isManaged(again.tags, cloud);
    if (!stillManaged) throw new LiveplaneError("PreconditionFailed");
  }
  const allowed = await mayBeWritten(deps.records, found.liveSystemId);
  if (!allowed || (await isGovernorHeld(found, expectation, context))) throw new LiveplaneError("PreconditionFailed");
  await cloud.remove(ref, conditional ? { etag } : {}, call);
}

function fateOf(
  record: ComponentRecord,
  { state, managed }: { readonly state: "present" | "missing" | "unreadable"; readonly managed: boolean },
): Fate {
  const neverMade = !record.provisioned && record.intent === null && record.resource.id !== null;
  if (state === "missing" || neverMade) return "forget";
  if (state === "unreadable") return "unreadable";
  return managed && record.deletionPolicy === "Delete" ? "delete" : "release";
}

/** A component that carries no tag of its own goes the way of the one that stands for it. */
async function isGovernorHeld(
  record: ComponentRecord,
  { governor }: Expectation,
  { deps, mutation }: WithdrawContext,
): Promise<boolean> {
  if (record.overrideWith === null || record.status !== "Active") return false;
  if (governor !== null) return !(await governorAllows(governor, deps, { whenMissing: true }));
  const current = await deps.records.get(mutations, mutations.key(mutation));
  const id = `${record.liveSystemId}/${pathKey(record.overrideWith)}`;
  return current?.released.some((released) => released.toLowerCase() === id) ?? false;
}

/** Marks the component as leaving: from here on the table of transitions doesn't hold for it. `null`: it is gone, or the mutation is over. */
async function claim(key: Key, { deps, mutation }: WithdrawContext): Promise<Stored<ComponentRecord> | null> {
  const requestId = deps.runtime.newId();
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const record = await change.get(components, key);
    if (record === null || !(await isRunning(change, mutation))) return null;
    if (deps.claims.hold(record.work)) throw new LiveplaneError("Conflict", "Another worker is writing to it.");
    const step = { mutationId: mutation.id, state: "begun", error: null } as const;
    return change.put(components, {
      ...record,
      leaving: true,
      work: null,
      step,
      updatedAt: nowText(deps),
      updatedBy: "agent",
    });
  });
}

async function forget(
  record: Stored<ComponentRecord>,
  type: "component.released" | "component.deleted",
  { deps, mutation }: WithdrawContext,
): Promise<void> {
  await deps.records.change(causeOf(mutation), async (change) => {
    const current = await change.get(components, components.key(record));
    if (current === null || !(await isRunning(change, mutation))) return;
    const released = type === "component.released";
    await closeEpisode(change, current, { at: nowText(deps), outcome: released ? "Released" : "Deleted", end: null });
    change.delete(components, components.key(record));
    await countPlaces(change, deps.seats, record, { components: -1 });
    if (released) await nameReleased(change, mutation, idOf(record));
    const about = aboutLiveSystem(record);
    const { status } = current;
    const data = { from: status, status, mutationId: mutation.id };
    if (current.override !== null) {
      const ended = { ...data, episodeId: current.override.episodeId, outcome: released ? "Released" : "Deleted" };
      change.emit({ type: "component.override.ended", subject: idOf(record), about, data: ended });
    }
    // It may have been found only now, by its intent: whoever keeps it learns here where it is.
    const left = released ? { resourceId: record.resource.id } : {};
    change.emit({ type, subject: idOf(record), about, data: { ...data, ...left } });
  });
}

async function nameReleased(change: Change, mutation: MutationRecord, id: string): Promise<void> {
  const current = await change.get(mutations, mutations.key(mutation));
  if (current !== null) change.put(mutations, { ...current, released: [...current.released, id] });
}
