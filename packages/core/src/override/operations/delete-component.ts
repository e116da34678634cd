import { nowText } from "../../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import { boundByOf } from "../../ports/bindings.ts";
import type { Cloud, ProviderFailure, Reading, Written } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Key } from "../../ports/store.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Agent } from "../agent/agent.ts";
import { type AgentDeps, isOver } from "../agent/agent-deps.ts";
import { begunOperation } from "../agent/agent-follow.ts";
import { type DirectReading, readDirectly } from "../agent/agent-read.ts";
import { asProviderError } from "../agent/agent-write.ts";
import type { Expectation } from "../agent/expectations.ts";
import { governorAllows, isManaged } from "../agent/tag-owner.ts";
import type { Declared } from "../protocol/declaration.ts";
import { pathKey } from "../protocol/definition.ts";
import { observe } from "../protocol/observation.ts";
import { failureIn, wordsOf } from "../protocol/redaction.ts";
import { aboutLiveSystem, type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { closeEpisode, lastSides } from "../records/episode-record.ts";
import { declaredIn } from "../records/in-force.ts";
import { causeOf, isRunning, type MutationRecord, mutations } from "../records/live-system-record.ts";
import type { StepEnd } from "./converge.ts";
import { patienceOf, type Wait } from "./patience.ts";
import { countPlaces } from "./plan-places.ts";

/** What taking a component away works with. */
export interface WithdrawContext {
  readonly agent: Agent;
  readonly deps: AgentDeps;
  readonly mutation: MutationRecord;
  readonly lease?: Lease;
}

/** What a fresh reading says must become of a component that left its declaration. */
export type Fate = "delete" | "release" | "forget" | "unreadable" | "working";

/** How one attempt to take a component away came out. */
type Attempt =
  | { readonly state: "gone" }
  | { readonly state: "moved"; readonly failure: Failure }
  | { readonly state: "wait"; readonly wait: Wait; readonly failure: Failure }
  | { readonly state: "failed"; readonly failure: Failure };

type Failure = Omit<Extract<StepEnd, { readonly state: "failed" }>, "state">;

const triesAfterMove = 20;

/** Takes a component away: its resource is deleted while it is managed, and left behind in a person's hands. */
export async function withdraw(key: Key, context: WithdrawContext): Promise<StepEnd> {
  const { agent, deps, lease } = context;
  const patience = patienceOf(key, context);
  for (let moved = 0; ; ) {
    if (isOver(lease, deps)) return { state: "interrupted" };
    await agent.whenFree(key);
    const attempt = await agent.exclusively(key, () => attemptOnce(key, context).catch(unclaimed));
    if (attempt.state === "gone") return { state: "converged" };
    if (attempt.state === "wait" && (await patience.wait(attempt.wait))) continue;
    if (attempt.state === "moved" && ++moved < triesAfterMove) {
      await deps.runtime.clock.sleep(200, lease && { signal: lease.signal });
      continue;
    }
    return { state: "failed", ...attempt.failure };
  }
}

async function attemptOnce(key: Key, context: WithdrawContext): Promise<Attempt> {
  const { deps } = context;
  const leaving = await claim(key, context);
  if (leaving === null) return { state: "gone" };
  const options = { lane: "people", ...(context.lease && { lease: context.lease }) } as const;
  const read = await readDirectly(leaving, { deps, options });
  const { reading, expectation, credentials, followed } = read;
  const { managementTag } = observe(read.record, expectation, reading);
  const { pending } = followed;
  const known = read.record.operation ?? null;
  const found = known === pending ? read.record : await put(read.record, { operation: pending }, context);
  if (found === null) return { state: "moved", failure: elsewhere };
  const ended = followed.ended?.operation.kind === "remove" ? followed.ended.failure : null;
  if (ended !== null) return { state: "failed", failure: failedBy(ended, expectation) };
  const governorHeld = await isGovernorHeld(found, expectation, deps);
  const isDeleting = pending?.kind === "remove";
  const { declared } = expectation;
  const fate = isDeleting ? "working" : fateOf(found, { declared, reading, managed: managementTag && !governorHeld });
  if (fate === "unreadable") return failing({ code: "ProviderError", detail: "It could not be read." });
  if (fate === "working") return working(reading.state === "working" ? reading.pollAfterMs : undefined);
  if (fate !== "delete" || credentials === null) {
    await forget(found, fate === "release" ? "component.released" : "component.deleted", context);
    return { state: "gone" };
  }
  const work = { ...deps.claims.make(), kind: "remove" } as const;
  const claimed = await put(found, { work }, context);
  if (claimed === null) return { state: "moved", failure: elsewhere };
  const attempt = await deleted(claimed, { ...read, credentials }, context).catch((error) =>
    afterError(error, expectation),
  );
  if (attempt.state !== "gone") await put(claimed, { work: null }, context);
  return attempt;
}

/** Deletes, and looks whether it is gone. */
async function deleted(
  found: Stored<ComponentRecord>,
  { reading, expectation, credentials }: Pick<DirectReading, "reading" | "expectation"> & Pick<Removal, "credentials">,
  context: WithdrawContext,
): Promise<Attempt> {
  const { deps } = context;
  const cloud = deps.calls.over(expectation.cloud);
  const ref = { type: found.type, resourceId: found.resource.id ?? "" };
  const etag = resourceOf(reading)?.etag;
  const { operation } = await remove(cloud, { ref, found, etag, credentials, expectation }, context);
  if (operation !== undefined) {
    const pending = await begunOperation(operation, found, { kind: "remove", changes: [] }, deps);
    await put(found, { operation: pending, work: null }, context);
    return working(operation.pollAfterMs);
  }
  const after = await cloud.read(ref, { credentials });
  if (after.state === "working") return working(after.pollAfterMs);
  if (after.state !== "missing")
    return failing({ code: "ProviderError", detail: "It was deleted, and is still there." });
  await forget(found, "component.deleted", context);
  return { state: "gone" };
}

const elsewhere: Failure = { code: "Conflict", detail: "Somebody else kept changing it." };

function failing(failure: Failure, afterMs?: number): Attempt {
  const wait = { why: "failing", detail: failure.detail, ...(afterMs !== undefined && { afterMs }) } as const;
  return { state: "wait", wait, failure };
}

function working(afterMs: number | undefined): Attempt {
  const wait = { why: "working", detail: "The cloud is at it.", ...(afterMs !== undefined && { afterMs }) } as const;
  return { state: "wait", wait, failure: { code: "ProviderTimeout", detail: "The cloud was at it for too long." } };
}

function failedBy(failure: ProviderFailure, { secretValues }: Expectation): Failure {
  const detail = "The cloud could not delete it.";
  return { code: "ProvisioningFailed", detail, ...wordsOf(failure, secretValues) };
}

/** What a cloud's refusal to delete comes to. */
function afterError(thrown: unknown, { secretValues }: Expectation): Attempt {
  rethrowStoreFailure(thrown);
  const error = asProviderError(thrown);
  const said = failureIn(error.details);
  const failure = { code: error.code, detail: error.message, ...(said && wordsOf(said, secretValues)) };
  if (error.code === "PreconditionFailed") return { state: "moved", failure };
  if (error.code === "InvalidState") return working(undefined);
  const { retryAfterSeconds, outcome } = error.details;
  if (!error.retryable && outcome !== "unknown") return { state: "failed", failure };
  return failing(failure, retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000);
}

/** What failed before anything was asked of the cloud. */
function unclaimed(thrown: unknown): Attempt {
  rethrowStoreFailure(thrown);
  const error = asProviderError(thrown);
  const failure = { code: error.code, detail: error.message };
  return error.retryable ? failing(failure) : { state: "failed", failure };
}

/** What the store failed at says nothing of the resource: the mutation comes back to it. */
function rethrowStoreFailure(error: unknown): void {
  if (isLiveplaneError(error, "StoreFailed") || isLiveplaneError(error, "CommitOutcomeUnknown")) throw error;
  if (isLiveplaneError(error, "Aborted")) throw error;
}

/** Writes down how far it came. `null`: somebody else was faster. */
async function put(
  record: Stored<ComponentRecord>,
  now: Partial<Pick<ComponentRecord, "operation" | "work">>,
  { deps }: WithdrawContext,
): Promise<Stored<ComponentRecord> | null> {
  const requestId = deps.runtime.newId();
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const current = await change.get(components, components.key(record));
    if (current === null || current.version !== record.version) return null;
    return change.put(components, { ...current, ...now, resource: record.resource });
  });
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
): Promise<Written> {
  const { deps, lease, mutation } = context;
  const call = { credentials };
  await deps.calls.turn(cloud, ref.resourceId, "people", lease?.signal);
  const current = await deps.records.get(components, components.key(found));
  if (current?.version !== found.version || isOver(lease, deps)) throw new LiveplaneError("PreconditionFailed");
  const conditional = boundByOf(cloud, found.type).properties === "etag" && etag !== undefined;
  if (!conditional && expectation.declared.overrideWith === null) {
    const again = resourceOf(await cloud.read(ref, call));
    const stillManaged = again !== null && isManaged(again.tags, cloud);
    if (!stillManaged) throw new LiveplaneError("PreconditionFailed");
  }
  const allowed = await isRunning(deps.records, mutation);
  if (!allowed || (await isGovernorHeld(found, expectation, deps))) throw new LiveplaneError("PreconditionFailed");
  return cloud.remove(ref, conditional ? { etag } : {}, call);
}

/** What becomes of a component that is taken away: the plan of a deploy and the deploy go by it. */
export function fateOf(
  record: ComponentRecord,
  {
    declared,
    reading,
    managed,
  }: {
    readonly declared: Pick<Declared, "deletionPolicy">;
    readonly reading: Reading;
    readonly managed: boolean;
  },
): Fate {
  const neverMade = !record.provisioned && record.intent === null && record.resource.id !== null;
  if (reading.state === "missing" || neverMade) return "forget";
  if (reading.state === "unreadable") return "unreadable";
  // Whoever took it over has it, whatever the cloud is still at.
  if (reading.state === "working" && (managed || resourceOf(reading) === null)) return "working";
  return managed && declared.deletionPolicy === "Delete" ? "delete" : "release";
}

/**
 * A component that carries no tag of its own goes the way of the one that stands for it, which goes after it; where that one isn't
 * there any more, nobody can tell whose it is.
 */
export async function isGovernorHeld(
  record: ComponentRecord,
  { declared, governor }: Pick<Expectation, "declared" | "governor">,
  deps: AgentDeps,
): Promise<boolean> {
  if (declared.overrideWith === null || record.status !== "Active") return false;
  return !(await governorAllows(governor, deps, { whenMissing: true }));
}

/** Marks the component as leaving until a deploy takes it back. `null`: it is gone, or the mutation is over. */
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
    // It may have been found only now, by its intent: whoever keeps it learns here where it is.
    const found = { ...current, resource: record.resource };
    const held = type === "component.released" ? await heldWith(change, current) : [];
    const inForce = (await deps.declarations.of([record.liveSystemId])).get(record.liveSystemId);
    if (inForce === undefined) return;
    for (const one of [found, ...held])
      await forgetIn(change, one, type, { deps, mutation, declared: declaredIn(inForce, one) });
  });
}

/** Those that it still holds, whatever they are governed by since: they go its way. */
async function heldWith(change: Change, governor: ComponentRecord): Promise<ComponentRecord[]> {
  if (governor.status === "Active") return [];
  const listed = await change.list(components, { prefix: [governor.liveSystemId] });
  const held = listed.filter(({ record }) => pathKey(record.governedBy ?? "") === pathKey(governor.path));
  const keys = held.map(({ record }) => components.key(record));
  return (await change.getMany(components, keys)).filter((record) => record !== null);
}

async function forgetIn(
  change: Change,
  record: ComponentRecord,
  type: "component.released" | "component.deleted",
  { deps, mutation, declared }: Pick<WithdrawContext, "deps" | "mutation"> & { readonly declared: Declared },
): Promise<void> {
  const released = type === "component.released";
  const outcome = released ? "Released" : "Deleted";
  const { status, override } = record;
  await closeEpisode(change, record, {
    at: nowText(deps),
    outcome,
    end: released ? lastSides(record, declared) : null,
  });
  change.delete(components, components.key(record));
  await countPlaces(change, deps.seats, record, { components: -1 });
  if (released) await nameReleased(change, mutation, idOf(record));
  const [subject, about] = [idOf(record), aboutLiveSystem(record)];
  const data = { from: status, status, mutationId: mutation.id };
  if (override !== null) {
    const ended = { ...data, episodeId: override.episodeId, outcome };
    change.emit({ type: "component.override.ended", subject, about, data: ended });
  }
  const left = released ? { resourceId: record.resource.id } : {};
  change.emit({ type, subject, about, data: { ...data, ...left } });
}

async function nameReleased(change: Change, mutation: MutationRecord, id: string): Promise<void> {
  const current = await change.get(mutations, mutations.key(mutation));
  if (current !== null) change.put(mutations, { ...current, released: [...current.released, id] });
}
