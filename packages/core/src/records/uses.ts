import type { Key } from "../ports/store.ts";
import { collection } from "./collection.ts";
import type { Change, Reader } from "./records.ts";

/** How many things refer to another. A record of its own, because a commit checks records but not lists. */
interface Use {
  readonly of: readonly string[];
  readonly count: number;
}

const uses = collection<Use>()("use", { key: (use) => use.of });

/** Adds or removes one use, in the change's commit. */
export async function countUse(change: Change, of: Key, by: 1 | -1): Promise<void> {
  const count = ((await change.get(uses, of))?.count ?? 0) + by;
  if (count > 0) change.put(uses, { of: [...of], count });
  else change.delete(uses, of);
}

/** The number of uses. When read through a `Change`, the answer still holds at its commit. */
export async function useCount(reader: Reader, of: Key): Promise<number> {
  return (await reader.get(uses, of))?.count ?? 0;
}

/** Of several places, those that are used. */
export async function usedAmong<T>(reader: Reader, all: readonly T[], of: (one: T) => Key): Promise<T[]> {
  const found = await reader.getMany(uses, all.map(of));
  return all.filter((_, at) => found[at] !== null);
}

export const liveSystemsIn = (environment: string): Key => ["live-systems", environment];
/** The environments that name this one as their management environment. */
export const managedBy = (environment: string): Key => ["managed", environment];
export const environmentsOf = (ownerType: string, ownerId: string): Key => ["environments", ownerType, ownerId];
export const webhooksOf = (ownerType: string, ownerId: string): Key => ["webhooks", ownerType, ownerId];
