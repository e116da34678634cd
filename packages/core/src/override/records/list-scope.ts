import type { Reach } from "../../access/access.ts";
import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import type { Key } from "../../ports/store.ts";
import type { ListPlace } from "../../records/lists-together.ts";
import { plainName } from "../declarations/definition.ts";

/** Indexes that list the same items in the same order. */
export interface ReachIndexes<Index extends string> {
  readonly all: Index;
  /** By the type and ID of the environment's owner. */
  readonly ofOwner: Index;
  /** By the environment's full name. */
  readonly inEnvironment: Index;
}

/** The places that an actor's list searches, so that nobody else's items are read; only one environment if it is named. */
export function placesReached<Index extends string>(
  reach: Reach,
  indexes: ReachIndexes<Index>,
  environment?: string,
): readonly ListPlace<Index>[] {
  const named = environment === undefined ? null : plainName(environment);
  const only = reach.environment && plainName(environmentName(reach.environment));
  if (named !== null) return reaches(reach, named) ? [{ index: indexes.inEnvironment, prefix: [named] }] : [];
  if (only !== null) return [{ index: indexes.inEnvironment, prefix: [only] }];
  if (reach.everything) return [{ index: indexes.all, prefix: [] }];
  return reach.owners.map(({ type, id }) => ({ index: indexes.ofOwner, prefix: ownerKey({ type, ownerId: id }) }));
}

/** Whether an actor can see anything under a name that begins with its owner, `Type/ownerId/…`. */
export function reaches({ everything, owners, environment }: Reach, name: string): boolean {
  const plain = plainName(name);
  if (everything) return true;
  if (environment !== null && plain === plainName(environmentName(environment))) return true;
  return owners.some(({ type, id }) => plain.startsWith(plainName(`${type}/${id}/`)));
}

/** The index key of an owner's items. */
export function ownerKey({ type, ownerId }: Pick<EnvironmentRef, "type" | "ownerId">): Key {
  return [plainName(type), plainName(ownerId)];
}
