import type { Reach } from "../../access/access.ts";
import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import type { Key } from "../../ports/store.ts";
import type { ListPlace } from "../../records/lists-together.ts";
import { plainName } from "../declarations/definition.ts";

/** The indexes by which the same items are listed in the same order. */
export interface ReachIndexes<Index extends string> {
  readonly all: Index;
  /** By the type and the id of the environment's owner. */
  readonly ofOwner: Index;
  /** By the environment's whole name. */
  readonly inEnvironment: Index;
}

/** Where an actor's list looks, so that nobody else's items are read; in one environment alone if it is named. */
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

/** Whether an actor may see anything of a name that begins with its owner, `Type/ownerId/…`. */
export function reaches({ everything, owners, environment }: Reach, name: string): boolean {
  const plain = plainName(name);
  if (everything) return true;
  if (environment !== null && plain === plainName(environmentName(environment))) return true;
  return owners.some(({ type, id }) => plain.startsWith(plainName(`${type}/${id}/`)));
}

/** What an owner's items are listed under. */
export function ownerKey({ type, ownerId }: Pick<EnvironmentRef, "type" | "ownerId">): Key {
  return [plainName(type), plainName(ownerId)];
}
