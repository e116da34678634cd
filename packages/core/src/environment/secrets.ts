import type { RevealInput, Secret, SecretInput, SecretUpdate } from "../contract/environment-schemas.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { actorName, type EnvironmentRef, environmentName } from "../contract/target.ts";
import { fromUtf8, utf8 } from "../encoding.ts";
import { invalid, LiveplaneError } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { Runtime } from "../ports/runtime.ts";
import { SecretValue } from "../ports/secret-value.ts";
import type { Sealed, Sealer } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Pages } from "../records/pages.ts";
import type { Cause, Change, Reader, Records, Stored } from "../records/records.ts";
import { duplicatesOf, eachOf, valueRequired } from "./bulk.ts";
import { type EnvironmentRecord, environmentPath, findEnvironment, requireEnvironment } from "./environment-record.ts";

/** One version of a secret. */
interface SecretVersion {
  readonly version: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly sealed: Sealed;
}

/** A secret as it is stored: no value but sealed ones, newest first. */
export interface SecretRecord {
  readonly incarnation: string;
  readonly environmentId: EnvironmentRef;
  readonly id: string;
  readonly shortName: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly versions: readonly SecretVersion[];
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** All secrets, by the incarnation of their environment and their name without case. */
export const secrets = collection<SecretRecord>()("secret", {
  key: ({ incarnation, shortName }) => [incarnation, shortName.toLowerCase()],
});

/** What secrets need. */
export interface SecretsDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly sealer: Sealer;
  readonly settings: Pick<Settings, "revealOverHttp">;
}

type Operation = Extract<keyof Handlers<"environments">, `environments.secrets.${string}`>;

/** The secrets of environments. */
export interface Secrets {
  readonly handlers: Pick<Handlers<"environments">, Operation>;
  /** The number of the current version; `null`: no such secret. */
  currentVersion(environment: EnvironmentRef, shortName: string): Promise<number | null>;
  /** The current value, for what is about to be applied. */
  open(environment: EnvironmentRef, shortName: string): Promise<SecretValue | null>;
}

const keptVersions = 10;

/** Where a version of a secret is sealed for: moved anywhere else it doesn't open. */
export function secretPlace({ environmentId, incarnation, shortName }: SecretRecord, version: number): string[] {
  return ["secret", environmentName(environmentId), incarnation, shortName.toLowerCase(), String(version)];
}

/** Creates the service of secrets. */
export function createSecrets({ records, pages, runtime, sealer, settings }: SecretsDeps): Secrets {
  const now = () => new Date(runtime.clock.now()).toISOString();

  async function sealedVersion(
    record: SecretRecord,
    version: number,
    value: string,
    actor: string,
  ): Promise<SecretVersion> {
    return {
      version,
      createdAt: record.updatedAt,
      createdBy: actor,
      sealed: await sealer.seal(utf8(value), secretPlace(record, version)),
    };
  }

  async function create(
    change: Change,
    environment: EnvironmentRecord,
    input: SecretInput,
    cause: Cause,
  ): Promise<SecretRecord> {
    const missing = [
      ...(input.shortName == null ? [valueRequired("shortName")] : []),
      ...(input.value == null ? [valueRequired("value")] : []),
    ];
    const [first, ...rest] = missing;
    if (first !== undefined) throw invalid([first, ...rest]);
    const time = now();
    const record: SecretRecord = {
      incarnation: environment.incarnation,
      environmentId: environment.id,
      id: runtime.newId(),
      shortName: input.shortName ?? "",
      displayName: input.displayName ?? null,
      description: input.description ?? null,
      versions: [],
      createdAt: time,
      createdBy: cause.actor,
      updatedAt: time,
      updatedBy: cause.actor,
    };
    emit(change, "secret.created", record, []);
    return { ...record, versions: [await sealedVersion(record, 1, input.value ?? "", cause.actor)] };
  }

  async function update(change: Change, known: SecretRecord, input: SecretUpdate, cause: Cause): Promise<SecretRecord> {
    if (input.value === null) throw invalid([valueRequired("value")]);
    const record: SecretRecord = {
      ...known,
      displayName: input.displayName === undefined ? known.displayName : input.displayName,
      description: input.description === undefined ? known.description : input.description,
      updatedAt: now(),
      updatedBy: cause.actor,
    };
    emit(
      change,
      "secret.updated",
      record,
      Object.keys(input).filter((name) => name !== "shortName"),
    );
    if (input.value === undefined) return record;
    const next = (known.versions[0]?.version ?? 0) + 1;
    const version = await sealedVersion(record, next, input.value, cause.actor);
    return { ...record, versions: [version, ...known.versions].slice(0, keptVersions) };
  }

  async function within<T>(
    call: Call<Operation>,
    work: (change: Change, environment: Stored<EnvironmentRecord>) => Promise<T>,
  ): Promise<T> {
    return records.change(call.cause, async (change) => {
      const environment = await requireEnvironment(change, call.params);
      return work(change, environment);
    });
  }

  const find = (reader: Reader, { incarnation }: EnvironmentRecord, shortName: string) =>
    reader.get(secrets, [incarnation, shortName.toLowerCase()]);

  const handlers: Secrets["handlers"] = {
    async "environments.secrets.create"(call) {
      const stored = await within(call, async (change, environment) => {
        const record = await create(change, environment, call.body, call.cause);
        const known = await find(change, environment, record.shortName);
        checkPreconditions(call.preconditions, known, { creates: true });
        if (known !== null) throw new LiveplaneError("AlreadyExists", "There is a secret of this name already.");
        return change.put(secrets, record);
      });
      return {
        value: toSecret(stored),
        made: true,
        location: `${environmentPath(stored.environmentId)}/secrets/${stored.shortName}`,
      };
    },

    async "environments.secrets.upsertMany"(call) {
      const stored = await within(call, async (change, environment) => {
        const { made, errors } = await eachOf(call.body, async (input) => {
          const known = input.shortName == null ? null : await find(change, environment, input.shortName);
          return known === null
            ? create(change, environment, input, call.cause)
            : update(change, known, input, call.cause);
        });
        const [first, ...rest] = [...duplicatesOf(call.body), ...errors];
        if (first !== undefined) throw invalid([first, ...rest]);
        return made.map((record) => change.put(secrets, record));
      });
      return { value: stored.map(toSecret), made: true };
    },

    async "environments.secrets.list"({ actor, params, query }) {
      const { incarnation, id } = await requireEnvironment(records, params);
      const bind = [actorName(actor), "environments.secrets.list", environmentName(id)];
      const page = await pages.page<SecretRecord>(
        (range) => records.list(secrets, { prefix: [incarnation], ...range }),
        { ...query, bind },
      );
      return { value: { ...page, items: page.items.map(toSecret) } };
    },

    async "environments.secrets.get"({ params }) {
      return {
        value: toSecret(
          required(await find(records, await requireEnvironment(records, params), params.secretShortName)),
        ),
      };
    },

    async "environments.secrets.update"(call) {
      const stored = await within(call, async (change, environment) => {
        const known = required(await find(change, environment, call.params.secretShortName));
        const record = await update(change, known, call.body, call.cause);
        checkPreconditions(call.preconditions, known);
        return change.put(secrets, record);
      });
      return { value: toSecret(stored) };
    },

    async "environments.secrets.delete"(call) {
      const stored = await within(call, async (change, environment) => {
        const known = required(await find(change, environment, call.params.secretShortName));
        checkPreconditions(call.preconditions, known);
        change.delete(secrets, [known.incarnation, known.shortName.toLowerCase()]);
        emit(change, "secret.deleted", known, []);
        return known;
      });
      return { value: toSecret(stored) };
    },

    async "environments.secrets.reveal"(call) {
      if (call.from.remote && !settings.revealOverHttp)
        throw new LiveplaneError("FeatureDisabled", "Revealing secrets over HTTP is turned off.");
      return { value: await reveal(call, call.body) };
    },
  };

  /** The event of a revelation is stored before the value is given out. */
  async function reveal({ cause, params }: Call<"environments.secrets.reveal">, { version }: RevealInput) {
    const known = await records.change(cause, async (change) => {
      const found = required(await find(change, await requireEnvironment(change, params), params.secretShortName));
      required(versionOf(found, version));
      emit(change, "secret.revealed", found, []);
      return found;
    });
    const chosen = required(versionOf(known, version));
    return {
      value: fromUtf8(await sealer.open(chosen.sealed, secretPlace(known, chosen.version))),
      version: chosen.version,
    };
  }

  return {
    handlers,
    async currentVersion(environment, shortName) {
      const record = await findEnvironment(records, environment);
      const known = record && (await find(records, record, shortName));
      return known?.versions[0]?.version ?? null;
    },
    async open(environment, shortName) {
      const record = await findEnvironment(records, environment);
      const known = record && (await find(records, record, shortName));
      const current = known?.versions[0];
      if (!known || current === undefined) return null;
      return new SecretValue(fromUtf8(await sealer.open(current.sealed, secretPlace(known, current.version))));
    },
  };
}

function versionOf({ versions }: SecretRecord, version: number | undefined): SecretVersion | null {
  return (version === undefined ? versions[0] : versions.find((known) => known.version === version)) ?? null;
}

function required<T>(found: T | null): T {
  if (found === null) throw new LiveplaneError("NotFound");
  return found;
}

function emit(
  change: Change,
  type: string,
  { environmentId, shortName }: SecretRecord,
  changed: readonly string[],
): void {
  change.emit({
    type,
    subject: `${environmentName(environmentId)}/secrets/${shortName}`,
    about: { kind: "environment", ...environmentId },
    data: { shortName, changed: [...changed] },
  });
}

function toSecret(record: Stored<SecretRecord>): Secret {
  const { incarnation: _incarnation, versions, ...shown } = record;
  return {
    ...shown,
    currentVersion: versions[0]?.version ?? 0,
    versions: versions.map(({ version, createdAt, createdBy }) => ({ version, createdAt, createdBy })),
  } as Secret;
}
