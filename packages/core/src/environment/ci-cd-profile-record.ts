import type { CiCdProfile, CiCdProfileInput, CiCdProfileUpdate } from "../contract/schemas/environment-schemas.ts";
import { environmentName } from "../contract/target.ts";
import type { Violation } from "../errors.ts";
import type { Rewrap, SealedRecords } from "../keys/rotation.ts";
import type { Sealed, SshKeyFacts } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Reader, Stored } from "../records/records.ts";
import { valueRequired } from "./bulk.ts";
import type { NamedContentRecord } from "./contents.ts";
import type { ActorStamp } from "./environment-definition.ts";
import type { EnvironmentRecord } from "./environment-record.ts";

/** A CI/CD profile as stored: key and passphrase are sealed. */
export interface ProfileRecord extends NamedContentRecord, ProfileKeyFacts {
  readonly sealedKey: Sealed | null;
  readonly sealedPassphrase: Sealed | null;
}

/** What a profile shows about its key; null while it has none. */
type ProfileKeyFacts = {
  readonly [Name in keyof SshKeyFacts]: SshKeyFacts[Name] | (Name extends "hasPassphrase" ? never : null);
};

/** All CI/CD profiles, by the incarnation of their environment and their name without case. */
export const profiles = collection<ProfileRecord>()("ci-cd-profile", {
  key: ({ incarnation, shortName }) => [incarnation, shortName.toLowerCase()],
});

/** A sealed member. */
export type ProfileSecret = "sshPrivateKeyData" | "sshPrivateKeyPassphrase";

/** A key that was inspected and sealed before the change that stores it. */
export interface SealedKey {
  readonly facts: ProfileKeyFacts;
  readonly sealedKey: Sealed | null;
  readonly sealedPassphrase: Sealed | null;
}

/** A profile that was created without a key. */
export const noKey: SealedKey = {
  facts: { keyType: null, keyBits: null, publicKey: null, fingerprint: null, hasPassphrase: false },
  sealedKey: null,
  sealedPassphrase: null,
};

/** The result for a request's key: none was sent, it is sealed, or it is invalid. */
export interface KeyOutcome {
  readonly key: SealedKey | null;
  readonly errors: readonly Violation[];
}

/** The place that a profile's secret is bound to when it is sealed. */
export function profilePlace(
  { environmentId, incarnation, shortName }: Pick<ProfileRecord, "environmentId" | "incarnation" | "shortName">,
  member: ProfileSecret,
): string[] {
  return ["ci-cd-profile", environmentName(environmentId), incarnation, shortName.toLowerCase(), member];
}

/** The profile of an environment, by its name without case. */
export function findProfile(
  reader: Reader,
  { incarnation }: Pick<EnvironmentRecord, "incarnation">,
  shortName: string,
): Promise<Stored<ProfileRecord> | null> {
  return reader.get(profiles, [incarnation, shortName.toLowerCase()]);
}

/** Every error in a new or changed profile. */
export function profileErrors(
  { shortName }: CiCdProfileInput,
  { errors }: KeyOutcome,
  known: ProfileRecord | null,
): Violation[] {
  return known === null && shortName == null ? [valueRequired("shortName"), ...errors] : [...errors];
}

export function newProfile(
  { id, incarnation }: EnvironmentRecord,
  profileId: string,
  input: CiCdProfileInput,
  { facts, ...sealed }: SealedKey,
  { actor, time }: ActorStamp,
): ProfileRecord {
  return {
    ...facts,
    ...sealed,
    incarnation,
    environmentId: id,
    id: profileId,
    shortName: input.shortName ?? "",
    displayName: input.displayName ?? null,
    description: input.description ?? null,
    createdAt: time,
    createdBy: actor,
    updatedAt: time,
    updatedBy: actor,
  };
}

/** The profile after a change; omitted members stay. */
export function changedProfile(
  known: ProfileRecord,
  { displayName, description }: CiCdProfileUpdate,
  key: SealedKey | null,
  { actor, time }: ActorStamp,
): ProfileRecord {
  const { facts = {}, ...sealed } = key ?? {};
  return {
    ...known,
    ...facts,
    ...sealed,
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    updatedAt: time,
    updatedBy: actor,
  };
}

export function isDefaultProfile(
  { shortName }: ProfileRecord,
  { defaultCiCdProfileShortName }: EnvironmentRecord,
): boolean {
  return shortName.toLowerCase() === defaultCiCdProfileShortName?.toLowerCase();
}

/** The profile as shown, without key and passphrase. */
export function toProfile(record: Stored<ProfileRecord>, environment: EnvironmentRecord): CiCdProfile {
  const { incarnation: _incarnation, sealedKey: _key, sealedPassphrase: _passphrase, ...shown } = record;
  return { ...structuredClone(shown), isDefault: isDefaultProfile(record, environment) } as CiCdProfile;
}

export const sealedProfiles: SealedRecords<ProfileRecord> = {
  collection: profiles,
  async rewrapped(record, rewrap: Rewrap) {
    const { sealedKey, sealedPassphrase } = record;
    return {
      ...record,
      sealedKey: sealedKey && (await rewrap(sealedKey, profilePlace(record, "sshPrivateKeyData"))),
      sealedPassphrase:
        sealedPassphrase && (await rewrap(sealedPassphrase, profilePlace(record, "sshPrivateKeyPassphrase"))),
    };
  },
};
