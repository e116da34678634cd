import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { nowText } from "../../encoding.ts";
import { collection } from "../../records/collection.ts";
import { listAll } from "../../records/list-all.ts";
import type { Cause, Change, Reader } from "../../records/records.ts";
import { countUse, liveSystemsIn } from "../../records/uses.ts";
import type { Services } from "../../services.ts";
import type { Declared } from "../declarations/declaration.ts";
import { emitMutation } from "../mutations/emit-mutation.ts";
import { aboutLiveSystem, type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { closeEpisode, lastSides } from "../records/episode-record.ts";
import { declaredIn } from "../records/in-force.ts";
import { ownerKey } from "../records/list-scope.ts";
import { type LiveSystemRecord, liveSystems, mutations } from "../records/live-system-record.ts";
import { countPlaces, type PlanPlaces } from "../records/plan-places.ts";

/** A resource left in its cloud, whose component's owner is gone. */
interface LeftBehind {
  readonly ownerId: string;
  readonly componentId: string;
  readonly provider: string;
  /** `null`: it was never created, or its ID is unknown. */
  readonly resourceId: string | null;
}

const leftBehind = collection<LeftBehind>()("left-behind", {
  key: ({ ownerId, componentId }) => [ownerId, componentId],
});

type Owner = Pick<EnvironmentRef, "type" | "ownerId">;

/** The live systems of owners whose accounts are deleted. */
export interface LiveSystemHoldings {
  /** The IDs of an owner's live systems, including those being deleted or released, in order of creation. */
  of(reader: Reader, owner: Owner): Promise<readonly string[]>;
  /** Fences all of an owner's live systems in a change: after its commit nobody writes to them. Their mutations end. */
  fence(change: Change, owner: Owner, stamp: Stamp): Promise<void>;
  /**
   * Releases an owner's fenced live systems, a bounded part at a time: their resources stay as they are, tags included. Continues after an
   * interruption, because what is released is gone. Stops when told to; returns whether nothing is left.
   */
  release(owner: Owner, isOver: () => boolean): Promise<boolean>;
  /** What an owner left in clouds, by component. */
  left(reader: Reader, ownerId: string, limit: number): Promise<Omit<LeftBehind, "ownerId">[]>;
  forget(ownerId: string): Promise<void>;
}

/** Creates the handling of live systems of a deleted owner. */
export function createLiveSystemHoldings(
  deps: Pick<Services, "records" | "runtime" | "declarations"> & { readonly seats: PlanPlaces },
): LiveSystemHoldings {
  return {
    of: async (reader, owner) => (await ownedBy(reader, owner)).map(({ id }) => id),
    fence,
    release: (owner, isOver) => releaseAll(deps, owner, isOver),
    async left(reader, ownerId, limit) {
      const listed = await reader.list(leftBehind, { prefix: [ownerId], limit });
      return listed.map(({ record: { componentId, provider, resourceId } }) => ({ componentId, provider, resourceId }));
    },
    forget: (ownerId) => forget(deps, ownerId),
  };
}

async function ownedBy(reader: Reader, owner: Owner): Promise<readonly LiveSystemRecord[]> {
  return listAll(reader, liveSystems, { index: "ofOwner", prefix: ownerKey(owner) });
}

async function fence(change: Change, owner: Owner, { at, by }: Stamp): Promise<void> {
  for (const { id } of await ownedBy(change, owner)) {
    const system = await change.get(liveSystems, [id]);
    if (system === null || system.status === "Deleted" || system.status === "Releasing") continue;
    await endMutations(change, id, at);
    change.put(liveSystems, { ...system, status: "Releasing", updatedAt: at, updatedBy: by });
  }
}

async function endMutations(change: Change, id: string, at: string): Promise<void> {
  for (const { record } of await change.list(mutations, { index: "open", prefix: [id], limit: 100 })) {
    const open = await change.get(mutations, mutations.key(record));
    if (open?.status !== "Pending" && open?.status !== "Running") continue;
    const error = { code: "Superseded", detail: "The live system was released.", componentId: null };
    change.put(mutations, { ...open, status: "Failed", error, completedAt: at });
    await emitMutation(change, { ...open, error }, "failed");
  }
}

interface Stamp {
  readonly at: string;
  readonly by: string;
}

const atOnce = 50;
const cause = ({ runtime }: Pick<Services, "runtime">): Cause => ({ actor: "system", requestId: runtime.newId() });

async function releaseAll(
  deps: Pick<Services, "records" | "runtime" | "declarations"> & { readonly seats: PlanPlaces },
  owner: Owner,
  isOver: () => boolean,
): Promise<boolean> {
  for (const system of await ownedBy(deps.records, owner)) {
    for (let left = atOnce; left === atOnce; ) {
      if (isOver()) return false;
      left = await releaseSome(deps, system, owner);
    }
  }
  return true;
}

/** Releases some components, and the live system with the last of them. */
async function releaseSome(
  deps: Pick<Services, "records" | "runtime" | "declarations"> & { readonly seats: PlanPlaces },
  { id }: LiveSystemRecord,
  { ownerId }: Owner,
): Promise<number> {
  const { records } = deps;
  const listed = await records.list(components, { prefix: [id], limit: atOnce });
  const inForce = (await deps.declarations.of([id])).get(id);
  await records.change(cause(deps), async (change) => {
    for (const { record } of listed) {
      const current = await change.get(components, components.key(record));
      if (current === null || inForce === undefined) continue;
      const declared = declaredIn(inForce, current);
      await release(change, current, { ownerId, at: nowText(deps), seats: deps.seats, declared });
    }
    if (listed.length < atOnce) await end(deps, change, id);
  });
  return listed.length;
}

async function release(
  change: Change,
  record: ComponentRecord,
  {
    ownerId,
    at,
    seats,
    declared,
  }: { readonly ownerId: string; readonly at: string; readonly seats: PlanPlaces; readonly declared: Declared },
): Promise<void> {
  const { provider, resource, status, override } = record;
  const [subject, about] = [idOf(record), aboutLiveSystem(record)];
  await closeEpisode(change, record, { at, outcome: "Released", end: lastSides(record, declared) });
  change.delete(components, components.key(record));
  await countPlaces(change, seats, record, { components: -1 });
  const resourceId = record.provisioned || resource.given ? resource.id : null;
  change.put(leftBehind, { ownerId, componentId: subject, provider, resourceId });
  const data = { from: status, status };
  if (override !== null) {
    const ended = { ...data, episodeId: override.episodeId, outcome: "Released" } as const;
    change.emit({ type: "component.override.ended", subject, about, data: ended });
  }
  change.emit({ type: "component.released", subject, about, data: { ...data, resourceId } });
}

async function end(
  deps: Pick<Services, "runtime"> & { readonly seats: PlanPlaces },
  change: Change,
  id: string,
): Promise<void> {
  const system = await change.get(liveSystems, [id]);
  if (system?.status !== "Releasing") return;
  change.put(liveSystems, { ...system, status: "Deleted", updatedAt: nowText(deps), updatedBy: "system" });
  const { environmentId: environment } = system;
  await countUse(change, liveSystemsIn(environmentName(environment)), -1);
  await countPlaces(change, deps.seats, { liveSystemId: id, environment }, { liveSystems: -1 });
}

async function forget(deps: Pick<Services, "records" | "runtime">, ownerId: string): Promise<void> {
  const left = await listAll(deps.records, leftBehind, { prefix: [ownerId] });
  for (let at = 0; at < left.length; at += atOnce)
    await deps.records.change(cause(deps), async (change) => {
      const keys = left.slice(at, at + atOnce).map(leftBehind.key);
      await change.getMany(leftBehind, keys);
      for (const key of keys) change.delete(leftBehind, key);
    });
}
