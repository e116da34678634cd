import { nowText } from "../../encoding.ts";
import { LiveplaneError } from "../../errors.ts";
import type { Key } from "../../ports/store.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Agent } from "../agent/agent.ts";
import { type AgentDeps, heldLease, type NamedLease } from "../agent/agent-deps.ts";
import { pathKey } from "../declarations/definition.ts";
import type { Sides } from "../protocol/adoption-plan.ts";
import { aboutLiveSystem, type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { closeEpisode, lastSides } from "../records/episode-record.ts";
import { declaredIn } from "../records/in-force.ts";
import { causeOf, isRunning, type MutationRecord, mutations } from "../records/live-system-record.ts";
import { countPlaces } from "../records/plan-places.ts";
import type { Patience } from "./patience.ts";
import { begunStep } from "./step-states.ts";

/** What a deletion works with. */
export interface DeletionContext {
  readonly agent: Agent;
  readonly deps: AgentDeps;
  readonly mutation: MutationRecord;
  readonly patience: Patience;
  readonly lease?: NamedLease;
}

/** Marks the component as leaving until a deploy reclaims it. `null`: it is gone, or the mutation is over. */
export async function claim(
  { deps, mutation, lease }: DeletionContext,
  key: Key,
): Promise<Stored<ComponentRecord> | null> {
  const requestId = deps.runtime.newId();
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const record = await change.get(components, key);
    if (record === null || !(await isRunning(change, mutation))) return null;
    if (deps.claims.hold(record.work, heldLease(lease, deps))) throw claimedByAnother();
    const step = begunStep(record.step, mutation);
    // Each attempt starts here; an unchanged record isn't written again.
    if (record.leaving && record.work === null && step === record.step) return record;
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

function claimedByAnother(): LiveplaneError {
  return new LiveplaneError("Conflict", "Another process is writing to the component.");
}

/** How a component goes: deleted, or released with what the last read showed. */
export type Parting =
  | { readonly type: "component.deleted" }
  | { readonly type: "component.released"; readonly end: Sides };

/**
 * Removes the record of a component whose resource is gone or left in the cloud, with the components it governs; each is announced. False:
 * somebody else was faster.
 */
export async function forget(
  { deps, mutation, lease }: DeletionContext,
  record: Stored<ComponentRecord>,
  parting: Parting,
): Promise<boolean> {
  return deps.records.change(causeOf(mutation), async (change) => {
    const current = await change.get(components, components.key(record));
    if (current === null || !(await isRunning(change, mutation))) return true;
    // Another process may have found it meanwhile or be writing to it; its write could meet a recreated resource.
    if (current.version !== record.version) return false;
    // It may have been found only now, by its intent, so the event tells its ID.
    const found = { ...current, resource: record.resource };
    const held = parting.type === "component.released" ? await heldWith(change, current) : [];
    // What was decided about them before this one was overridden may be about to be sent.
    if (held.some(({ work }) => deps.claims.hold(work, heldLease(lease, deps)))) throw claimedByAnother();
    const inForce = (await deps.declarations.of([record.liveSystemId])).get(record.liveSystemId);
    if (inForce === undefined) return true;
    await forgetIn({ deps, mutation }, change, found, parting);
    for (const one of held) {
      const end = lastSides(one, declaredIn(inForce, one));
      await forgetIn({ deps, mutation }, change, one, { type: "component.released", end });
    }
    return true;
  });
}

/**
 * The components that it still governs share its fate, whatever governs them by declaration now. What is overridden itself goes by its own
 * tags.
 */
async function heldWith(change: Change, tagOwner: ComponentRecord): Promise<ComponentRecord[]> {
  if (tagOwner.status === "Active") return [];
  const listed = await change.list(components, { prefix: [tagOwner.liveSystemId] });
  const governed = listed.filter(({ record }) => pathKey(record.governedBy ?? "") === pathKey(tagOwner.path));
  const keys = governed.map(({ record }) => components.key(record));
  const found = (await change.getMany(components, keys)).filter((record) => record !== null);
  return found.filter(({ status }) => status === "Active");
}

async function forgetIn(
  { deps, mutation }: Pick<DeletionContext, "deps" | "mutation">,
  change: Change,
  record: ComponentRecord,
  parting: Parting,
): Promise<void> {
  const released = parting.type === "component.released";
  const outcome = released ? "Released" : "Deleted";
  const { status, override } = record;
  const end = parting.type === "component.released" ? parting.end : null;
  await closeEpisode(change, record, { at: nowText(deps), outcome, end });
  change.delete(components, components.key(record));
  await countPlaces(change, deps.seats, record, { components: -1 });
  if (released) await nameReleased(change, mutation, idOf(record));
  const [subject, about] = [idOf(record), aboutLiveSystem(record)];
  const data = { from: status, status, mutationId: mutation.id };
  if (override !== null) {
    const ended = { ...data, episodeId: override.episodeId, outcome } as const;
    change.emit({ type: "component.override.ended", subject, about, data: ended });
  }
  const left = released ? { resourceId: record.resource.id } : {};
  change.emit({ type: parting.type, subject, about, data: { ...data, ...left } });
}

async function nameReleased(change: Change, mutation: MutationRecord, id: string): Promise<void> {
  const current = await change.get(mutations, mutations.key(mutation));
  if (current !== null) change.put(mutations, { ...current, released: [...current.released, id] });
}

/** Records how far it came. `null`: somebody else was faster. Under a claim, others may only have added to the component. */
export async function note(
  { deps }: DeletionContext,
  record: Stored<ComponentRecord>,
  now: Partial<Pick<ComponentRecord, "operation" | "work">>,
): Promise<Stored<ComponentRecord> | null> {
  const requestId = deps.runtime.newId();
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const current = await change.get(components, components.key(record));
    const isClaimed = record.work !== null && current?.work?.id === record.work.id;
    if (current === null || (current.version !== record.version && !isClaimed)) return null;
    return change.put(components, { ...current, ...now, resource: record.resource });
  });
}
