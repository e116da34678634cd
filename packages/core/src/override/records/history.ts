import type { Change } from "../../records/records.ts";
import type { Settings } from "../../settings.ts";
import { countHistory, type Digested, historyOf, letGo, referTo } from "./definition-record.ts";
import { isOpen, type LiveSystemRecord, type MutationRecord, mutations } from "./live-system-record.ts";

/** How much of a live system's past to keep. */
export type HistoryLimits = Pick<Settings, "keptMutations" | "keptDefinitionBytes">;

const atOnce = 20;

/** Writes a new mutation with its definition. */
export async function addMutation(change: Change, mutation: MutationRecord, deploys: Digested | null): Promise<void> {
  change.put(mutations, mutation);
  await countHistory(change, mutation.liveSystemId, { mutations: 1 });
  if (deploys !== null) await referTo(change, mutation.liveSystemId, deploys);
}

/** Puts a definition in force. */
export async function putInForce<T extends LiveSystemRecord>(change: Change, system: T, next: Digested): Promise<T> {
  if (system.inForce === next.digest) return system;
  await referTo(change, system.id, next);
  await letGo(change, system.id, system.inForce);
  return { ...system, inForce: next.digest };
}

/**
 * Drops the oldest mutations of a live system while there are too many, a bounded number at once; a definition goes with its last
 * reference. The newest and all unfinished ones stay. False: there may be more to drop.
 */
export async function trimHistory(
  change: Change,
  { id, lastMutationId }: Pick<LiveSystemRecord, "id" | "lastMutationId">,
  limits: HistoryLimits,
): Promise<boolean> {
  if (isWithin(await historyOf(change, id), limits)) return true;
  const oldest = await change.list(mutations, { index: "created", prefix: [id], limit: atOnce });
  const keys = oldest.filter(({ record }) => record.id !== lastMutationId).map(({ record }) => mutations.key(record));
  let dropped = 0;
  for (const known of await change.getMany(mutations, keys)) {
    if (known === null || isOpen(known)) continue;
    if (isWithin(await historyOf(change, id), limits)) return true;
    change.delete(mutations, mutations.key(known));
    await countHistory(change, id, { mutations: -1 });
    if (known.deploys !== null) await letGo(change, id, known.deploys);
    dropped += 1;
  }
  return dropped === 0;
}

function isWithin({ mutations: count, bytes }: { mutations: number; bytes: number }, limits: HistoryLimits): boolean {
  return count <= limits.keptMutations && bytes <= limits.keptDefinitionBytes;
}
