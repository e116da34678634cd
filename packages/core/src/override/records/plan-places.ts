import type { EnvironmentRef } from "../../contract/target.ts";
import { listAll } from "../../records/list-all.ts";
import type { Change, Reader } from "../../records/records.ts";
import type { ResourceOwner, Resources, Seats } from "../../tenancy/plan-usage.ts";
import { components } from "./component-record.ts";
import { ownerKey } from "./list-scope.ts";
import { countComponents, liveSystems } from "./live-system-record.ts";

export type PlanPlaces = Pick<Seats, "count">;

/** A live system that gains or loses something. */
export interface Placed {
  readonly liveSystemId: string;
  readonly environment: EnvironmentRef;
}

/**
 * Counts components and live systems that are added or removed, for the sweep and against the plan of the environment's owner. Throws
 * `SubscriptionLimitReached` if the plan has no room.
 */
export async function countPlaces(
  change: Change,
  seats: PlanPlaces,
  { liveSystemId, environment }: Placed,
  by: Partial<Resources>,
): Promise<void> {
  await countComponents(change, liveSystemId, by.components ?? 0);
  await seats.count(change, planOwner(environment), by);
}

/** Counts an owner's live systems and their components. One being deleted counts until it is gone. */
export async function resourcesOf(reader: Reader, { type, id }: ResourceOwner): Promise<Resources> {
  const owned = await listAll(reader, liveSystems, { index: "ofOwner", prefix: ownerKey({ type, ownerId: id }) });
  let total = 0;
  for (const system of owned) total += (await listAll(reader, components, { prefix: [system.id] })).length;
  return { liveSystems: owned.length, components: total };
}

function planOwner({ type, ownerId }: EnvironmentRef): ResourceOwner {
  return { type: type === "Organizational" ? "Organizational" : "Personal", id: ownerId };
}
