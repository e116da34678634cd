import type { CiCdProfile, CiCdProfileInput, CiCdProfileUpdate } from "../contract/environment-schemas.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { actorName, type EnvironmentRef, environmentName } from "../contract/target.ts";
import { utf8 } from "../encoding.ts";
import { invalid, isLiveplaneError, LiveplaneError, type Violation } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Sealed, Sealer, SshKeyFacts, SshKeys } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Pages } from "../records/pages.ts";
import type { Cause, Change, Reader, Records, Stored } from "../records/records.ts";
import { duplicatesOf, eachOf, valueRequired } from "./bulk.ts";
import { type EnvironmentRecord, environmentPath, requireEnvironment } from "./environment-record.ts";

/** A CI/CD profile as it is stored: key and passphrase sealed. */
export interface ProfileRecord extends SshKeyFacts {
  readonly incarnation: string;
  readonly environmentId: EnvironmentRef;
  readonly id: string;
  readonly shortName: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly sealedKey: Sealed;
  readonly sealedPassphrase: Sealed | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** All CI/CD profiles, by the incarnation of their environment and their name without case. */
export const profiles = collection<ProfileRecord>()("ci-cd-profile", {
  key: ({ incarnation, shortName }) => [incarnation, shortName.toLowerCase()],
});

/** What CI/CD profiles need. */
export interface ProfilesDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly sealer: Sealer;
  readonly sshKeys: SshKeys;
}

type Operation = Extract<keyof Handlers<"environments">, `environments.ciCdProfiles.${string}`>;

/** The CI/CD profiles of environments. */
export interface Profiles {
  readonly handlers: Pick<Handlers<"environments">, Operation>;
}

/** A key that was inspected and sealed, before the change that stores it. */
interface SealedKey {
  readonly facts: SshKeyFacts;
  readonly sealedKey: Sealed;
  readonly sealedPassphrase: Sealed | null;
}

type Secret = "sshPrivateKeyData" | "sshPrivateKeyPassphrase";

/** Where a profile's secret is sealed for. */
export function profilePlace(environment: EnvironmentRecord, shortName: string, member: Secret): string[] {
  return ["ci-cd-profile", environmentName(environment.id), environment.incarnation, shortName.toLowerCase(), member];
}

/** Whether a CI/CD profile is there. */
export async function profileExists(reader: Reader, incarnation: string, shortName: string): Promise<boolean> {
  return (await reader.get(profiles, [incarnation, shortName.toLowerCase()])) !== null;
}

/** Creates the service of CI/CD profiles. */
export function createProfiles({ records, pages, runtime, sealer, sshKeys }: ProfilesDeps): Profiles {
  const now = () => new Date(runtime.clock.now()).toISOString();

  /** Inspects a key with the passphrase of the same request. Slow, so it is done before the change, not in it. */
  async function seal(
    environment: EnvironmentRecord,
    shortName: string,
    input: CiCdProfileUpdate,
  ): Promise<SealedKey | null> {
    const { sshPrivateKeyData: key, sshPrivateKeyPassphrase: passphrase = null } = input;
    if (key === undefined && passphrase !== null)
      throw invalid([
        {
          pointer: "#/sshPrivateKeyPassphrase",
          code: "ValueRequired",
          detail: "A passphrase goes with the key of the same request.",
        },
      ]);
    if (key === undefined) return null;
    if (key === null) throw invalid([valueRequired("sshPrivateKeyData")]);
    const facts = await inspect(key, passphrase);
    const kept = facts.hasPassphrase ? passphrase : null;
    return {
      facts,
      sealedKey: await sealer.seal(utf8(key), profilePlace(environment, shortName, "sshPrivateKeyData")),
      sealedPassphrase:
        kept === null
          ? null
          : await sealer.seal(utf8(kept), profilePlace(environment, shortName, "sshPrivateKeyPassphrase")),
    };
  }

  async function inspect(key: string, passphrase: string | null): Promise<SshKeyFacts> {
    try {
      return await sshKeys.inspect(key, passphrase);
    } catch (error) {
      if (!isLiveplaneError(error) || error.details.errors !== undefined) throw error;
      const member: Secret = error.code.startsWith("SshPassphrase") ? "sshPrivateKeyPassphrase" : "sshPrivateKeyData";
      throw invalid([{ pointer: `#/${member}`, code: error.code, detail: error.message }]);
    }
  }

  function create(
    environment: EnvironmentRecord,
    input: CiCdProfileInput,
    key: SealedKey | null,
    cause: Cause,
  ): ProfileRecord {
    const missing: Violation[] = [
      ...(input.shortName == null ? [valueRequired("shortName")] : []),
      ...(key === null ? [valueRequired("sshPrivateKeyData")] : []),
    ];
    const [first, ...rest] = missing;
    if (first !== undefined || key === null) throw invalid([first ?? valueRequired("sshPrivateKeyData"), ...rest]);
    const time = now();
    const { facts, ...sealed } = key;
    return {
      ...facts,
      ...sealed,
      incarnation: environment.incarnation,
      environmentId: environment.id,
      id: runtime.newId(),
      shortName: input.shortName ?? "",
      displayName: input.displayName ?? null,
      description: input.description ?? null,
      createdAt: time,
      createdBy: cause.actor,
      updatedAt: time,
      updatedBy: cause.actor,
    };
  }

  function update(known: ProfileRecord, input: CiCdProfileUpdate, key: SealedKey | null, cause: Cause): ProfileRecord {
    const { facts = {}, ...sealed } = key ?? {};
    return {
      ...known,
      ...facts,
      ...sealed,
      displayName: input.displayName === undefined ? known.displayName : input.displayName,
      description: input.description === undefined ? known.description : input.description,
      updatedAt: now(),
      updatedBy: cause.actor,
    };
  }

  const find = (reader: Reader, { incarnation }: EnvironmentRecord, shortName: string) =>
    reader.get(profiles, [incarnation, shortName.toLowerCase()]);

  async function within<T>(
    call: Call<Operation>,
    work: (change: Change, environment: Stored<EnvironmentRecord>) => Promise<T>,
  ): Promise<T> {
    return records.change(call.cause, async (change) => {
      const environment = await requireEnvironment(change, call.params);
      return work(change, environment);
    });
  }

  /** Seals for the environment as it is now; if it was made anew meanwhile, the key would not open there, so begin again. */
  function sameIncarnation(sealedFor: EnvironmentRecord, environment: EnvironmentRecord): void {
    if (sealedFor.incarnation !== environment.incarnation) throw new LiveplaneError("Conflict");
  }

  const handlers: Profiles["handlers"] = {
    async "environments.ciCdProfiles.create"(call) {
      const before = await requireEnvironment(records, call.params);
      if (call.body.shortName == null)
        throw invalid([
          valueRequired("shortName"),
          ...(call.body.sshPrivateKeyData == null ? [valueRequired("sshPrivateKeyData")] : []),
        ]);
      const key = await seal(before, call.body.shortName, call.body);
      const stored = await within(call, async (change, environment) => {
        sameIncarnation(before, environment);
        const record = create(environment, call.body, key, call.cause);
        const known = await find(change, environment, record.shortName);
        checkPreconditions(call.preconditions, known, { creates: true });
        if (known !== null) throw new LiveplaneError("AlreadyExists", "There is a CI/CD profile of this name already.");
        emit(change, "cicd_profile.created", record, []);
        return { profile: change.put(profiles, record), environment };
      });
      return {
        value: toProfile(stored.profile, stored.environment),
        made: true,
        location: `${environmentPath(before.id)}/ci-cd-profiles/${stored.profile.shortName}`,
      };
    },

    async "environments.ciCdProfiles.upsertMany"(call) {
      const before = await requireEnvironment(records, call.params);
      const sealed = await eachOf(call.body, (input) => seal(before, input.shortName ?? "", input));
      const stored = await within(call, async (change, environment) => {
        sameIncarnation(before, environment);
        const { made, errors } = await eachOf(call.body, async (input, at) => {
          const known = input.shortName == null ? null : await find(change, environment, input.shortName);
          const key = sealed.errors.length > 0 ? null : (sealed.made[at] ?? null);
          const broken = sealed.errors.some(({ pointer }) => pointer?.startsWith(`#/${at}/`));
          if (broken) return null;
          if (
            sealed.errors.length > 0 &&
            input.shortName != null &&
            (known !== null || input.sshPrivateKeyData != null)
          )
            return null;
          return known === null ? create(environment, input, key, call.cause) : update(known, input, key, call.cause);
        });
        const [first, ...rest] = [...duplicatesOf(call.body), ...sealed.errors, ...errors];
        if (first !== undefined) throw invalid([first, ...rest]);
        return made.flatMap((record) => {
          if (record === null) return [];
          emit(
            change,
            record.createdAt === record.updatedAt ? "cicd_profile.created" : "cicd_profile.updated",
            record,
            [],
          );
          return [{ profile: change.put(profiles, record), environment }];
        });
      });
      return { value: stored.map(({ profile, environment }) => toProfile(profile, environment)), made: true };
    },

    async "environments.ciCdProfiles.list"({ actor, params, query }) {
      const environment = await requireEnvironment(records, params);
      const bind = [actorName(actor), "environments.ciCdProfiles.list", environmentName(environment.id)];
      const page = await pages.page<ProfileRecord>(
        (range) => records.list(profiles, { prefix: [environment.incarnation], ...range }),
        { ...query, bind },
      );
      return { value: { ...page, items: page.items.map((profile) => toProfile(profile, environment)) } };
    },

    async "environments.ciCdProfiles.get"({ params }) {
      const environment = await requireEnvironment(records, params);
      return { value: toProfile(required(await find(records, environment, params.profileShortName)), environment) };
    },

    async "environments.ciCdProfiles.update"(call) {
      const before = await requireEnvironment(records, call.params);
      required(await find(records, before, call.params.profileShortName));
      const key = await seal(before, call.params.profileShortName, call.body);
      const stored = await within(call, async (change, environment) => {
        sameIncarnation(before, environment);
        const known = required(await find(change, environment, call.params.profileShortName));
        checkPreconditions(call.preconditions, known);
        emit(change, "cicd_profile.updated", known, Object.keys(call.body));
        return { profile: change.put(profiles, update(known, call.body, key, call.cause)), environment };
      });
      return { value: toProfile(stored.profile, stored.environment) };
    },

    async "environments.ciCdProfiles.delete"(call) {
      const stored = await within(call, async (change, environment) => {
        const known = required(await find(change, environment, call.params.profileShortName));
        checkPreconditions(call.preconditions, known);
        if (isDefault(known, environment))
          throw new LiveplaneError(
            "DefaultProfileInUse",
            "It is the environment's default profile. Choose another default first.",
          );
        change.delete(profiles, [known.incarnation, known.shortName.toLowerCase()]);
        emit(change, "cicd_profile.deleted", known, []);
        return { profile: known, environment };
      });
      return { value: toProfile(stored.profile, stored.environment) };
    },
  };

  return { handlers };
}

function required<T>(found: T | null): T {
  if (found === null) throw new LiveplaneError("NotFound");
  return found;
}

function emit(
  change: Change,
  type: string,
  { environmentId, shortName }: ProfileRecord,
  changed: readonly string[],
): void {
  change.emit({
    type,
    subject: `${environmentName(environmentId)}/ci-cd-profiles/${shortName}`,
    about: { kind: "environment", ...environmentId },
    data: { shortName, changed: [...changed] },
  });
}

function isDefault({ shortName }: ProfileRecord, { defaultCiCdProfileShortName }: EnvironmentRecord): boolean {
  return shortName.toLowerCase() === defaultCiCdProfileShortName?.toLowerCase();
}

function toProfile(record: Stored<ProfileRecord>, environment: EnvironmentRecord): CiCdProfile {
  const { incarnation: _incarnation, sealedKey: _key, sealedPassphrase: _passphrase, ...shown } = record;
  return { ...shown, isDefault: isDefault(record, environment) } as CiCdProfile;
}
