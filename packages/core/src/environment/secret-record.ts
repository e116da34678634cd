import type { Secret, SecretInput, SecretUpdate } from "../contract/schemas/environment-schemas.ts";
import { environmentName } from "../contract/target.ts";
import type { Violation } from "../errors.ts";
import type { SealedRecords } from "../keys/rotation.ts";
import type { Sealed } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Reader, Stored } from "../records/records.ts";
import { valueRequired } from "./bulk.ts";
import type { NamedContentRecord } from "./contents.ts";
import type { ActorStamp } from "./environment-definition.ts";
import type { EnvironmentRecord } from "./environment-record.ts";

export interface SecretVersion {
  readonly version: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly sealed: Sealed;
}

/** A secret as stored, with sealed values only, newest first. */
export interface SecretRecord extends NamedContentRecord {
  readonly versions: readonly SecretVersion[];
}

/** All secrets, by the incarnation of their environment and their name without case. */
export const secretRecords = collection<SecretRecord>()("secret", {
  key: ({ incarnation, shortName }) => [incarnation, shortName.toLowerCase()],
});

const keptVersions = 10;

/** The place that a secret version is bound to when it is sealed; anywhere else it doesn't open. */
export function secretPlace({ environmentId, incarnation, shortName }: SecretRecord, version: number): string[] {
  return ["secret", environmentName(environmentId), incarnation, shortName.toLowerCase(), String(version)];
}

/**
 * A secret of an environment, by its name without case. A row copied here from elsewhere is treated as belonging here, and its value
 * doesn't open.
 */
export async function findSecret(
  reader: Reader,
  { id: environmentId, incarnation }: EnvironmentRecord,
  asked: string,
): Promise<Stored<SecretRecord> | null> {
  const known = await reader.get(secretRecords, [incarnation, asked.toLowerCase()]);
  if (known === null) return null;
  const shortName = known.shortName.toLowerCase() === asked.toLowerCase() ? known.shortName : asked;
  return { ...known, environmentId, incarnation, shortName };
}

/** Every error in a new or changed secret. */
export function secretErrors({ shortName }: SecretInput, known: SecretRecord | null): Violation[] {
  return known === null && shortName == null ? [valueRequired("shortName")] : [];
}

/** A new secret, without a version yet. */
export function newSecret(
  environment: EnvironmentRecord,
  id: string,
  input: SecretInput,
  { actor, time }: ActorStamp,
): SecretRecord {
  return {
    incarnation: environment.incarnation,
    environmentId: environment.id,
    id,
    shortName: input.shortName ?? "",
    displayName: input.displayName ?? null,
    description: input.description ?? null,
    versions: [],
    createdAt: time,
    createdBy: actor,
    updatedAt: time,
    updatedBy: actor,
  };
}

/** The secret after a change, except its value: omitted members stay. */
export function changedSecret(
  known: SecretRecord,
  { displayName, description }: SecretUpdate,
  { actor, time }: ActorStamp,
): SecretRecord {
  return {
    ...known,
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    updatedAt: time,
    updatedBy: actor,
  };
}

export function nextVersion({ versions }: SecretRecord): number {
  return (versions[0]?.version ?? 0) + 1;
}

/** The secret with a new version; the oldest is dropped if there are too many. */
export function withVersion(record: SecretRecord, version: SecretVersion): SecretRecord {
  return { ...record, versions: [version, ...record.versions].slice(0, keptVersions) };
}

/** A stored version, by default the current one. */
export function versionOf({ versions }: SecretRecord, version?: number): SecretVersion | null {
  return (version === undefined ? versions[0] : versions.find((known) => known.version === version)) ?? null;
}

/** The secret as shown, without its value. */
export function toSecret(record: Stored<SecretRecord>): Secret {
  const { incarnation: _incarnation, versions, ...shown } = record;
  return {
    ...structuredClone(shown),
    currentVersion: versions[0]?.version ?? 0,
    versions: versions.map(({ version, createdAt, createdBy }) => ({ version, createdAt, createdBy })),
  } as Secret;
}

export const sealedSecrets: SealedRecords<SecretRecord> = {
  collection: secretRecords,
  async rewrapped(record, rewrap) {
    const versions: SecretVersion[] = [];
    for (const version of record.versions)
      versions.push({ ...version, sealed: await rewrap(version.sealed, secretPlace(record, version.version)) });
    return { ...record, versions };
  },
};
