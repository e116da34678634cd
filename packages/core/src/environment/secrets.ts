import type { Page } from "../contract/api.ts";
import type { EventData } from "../contract/event-data.ts";
import type { Answer, Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions, requireNew } from "../contract/preconditions.ts";
import type { RevealedSecret, Secret, SecretInput } from "../contract/schemas/environment-schemas.ts";
import { actorName, type EnvironmentRef, environmentName } from "../contract/target.ts";
import { fromUtf8, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { SecretValue } from "../ports/secret-value.ts";
import type { Change, Stored } from "../records/records.ts";
import { isSameRecord } from "../records/same-record.ts";
import { shownOnce } from "../records/shown-once.ts";
import type { Services } from "../services.ts";
import { turnedOff } from "../turned-off.ts";
import { eachOf, refuseBulk, refuseItems } from "./bulk.ts";
import { changeIn, foundContent } from "./contents.ts";
import type { EnvironmentDirectory } from "./directory.ts";
import { type ActorStamp, stampOf } from "./environment-definition.ts";
import {
  type EnvironmentRecord,
  emitEnvironment,
  environmentPath,
  findEnvironment,
  requireEnvironment,
} from "./environment-record.ts";
import {
  changedSecret,
  findSecret,
  newSecret,
  nextVersion,
  type SecretRecord,
  secretErrors,
  secretPlace,
  secretRecords,
  toSecret,
  versionOf,
  withVersion,
} from "./secret-record.ts";

type Operation = Extract<keyof Handlers<"environments">, `environments.secrets.${string}`>;

export interface Secrets {
  readonly handlers: Pick<Handlers<"environments">, Operation>;
  readonly directory: Pick<EnvironmentDirectory, "secretVersion" | "openSecret">;
}

export function createSecrets(
  deps: Pick<Services, "records" | "pages" | "runtime" | "settings" | "sealer" | "secretUses">,
): Secrets {
  return {
    handlers: {
      "environments.secrets.create": (call) => create(deps, call),
      "environments.secrets.upsertMany": (call) => upsertMany(deps, call),
      "environments.secrets.list": (call) => list(deps, call),
      "environments.secrets.get": (call) => get(deps, call),
      "environments.secrets.update": (call) => update(deps, call),
      "environments.secrets.delete": (call) => remove(deps, call),
      "environments.secrets.reveal": (call) => reveal(deps, call),
    },
    directory: {
      secretVersion: async (...name) => (await current(deps, ...name))?.versions[0]?.version ?? null,
      async openSecret(...name) {
        const known = await current(deps, ...name);
        return known && new SecretValue(await open(deps, known));
      },
    },
  };
}

async function create(
  deps: Pick<Services, "records" | "runtime" | "sealer">,
  call: Call<"environments.secrets.create">,
): Promise<Answer<Secret>> {
  refuseBulk(secretErrors(call.body, null));
  const stored = await changeIn(deps.records, call, async (change, environment) => {
    const known = await findSecret(change, environment, call.body.shortName ?? "");
    requireNew(call.preconditions, known, "A secret with this name already exists.");
    return put(deps, change, { environment, known, input: call.body, stamp: stampOf(deps, call) });
  });
  const location = `${environmentPath(stored.environmentId)}/secrets/${stored.shortName}`;
  return { value: toSecret(stored), made: true, location };
}

async function upsertMany(
  deps: Pick<Services, "records" | "runtime" | "sealer">,
  call: Call<"environments.secrets.upsertMany">,
): Promise<Answer<Secret[]>> {
  const stored = await changeIn(deps.records, call, async (change, environment) => {
    const { made, errors } = await eachOf(call.body, async (input) => {
      const known = input.shortName == null ? null : await findSecret(change, environment, input.shortName);
      refuseBulk(secretErrors(input, known));
      return { environment, known, input, stamp: stampOf(deps, call) };
    });
    refuseItems(call, errors);
    return Promise.all(made.map((draft) => put(deps, change, draft)));
  });
  return { value: stored.map(toSecret), made: true };
}

async function list(
  { records, pages }: Pick<Services, "records" | "pages">,
  { actor, params, query }: Call<"environments.secrets.list">,
): Promise<Answer<Page<Secret>>> {
  const { incarnation, id } = await requireEnvironment(records, params);
  const bind = [actorName(actor), "environments.secrets.list", environmentName(id)];
  const page = await pages.page<SecretRecord>(
    (range) => records.list(secretRecords, { prefix: [incarnation], ...range }),
    {
      ...query,
      bind,
    },
  );
  return { value: { ...page, items: page.items.map(toSecret) } };
}

const shown = shownOnce(toSecret);

async function get(
  { records }: Pick<Services, "records">,
  { params }: Call<"environments.secrets.get">,
): Promise<Answer<Secret>> {
  const environment = await requireEnvironment(records, params);
  return { value: shown(foundContent(await findSecret(records, environment, params.secretShortName))) };
}

async function update(
  deps: Pick<Services, "records" | "runtime" | "sealer">,
  call: Call<"environments.secrets.update">,
): Promise<Answer<Secret>> {
  const stored = await changeIn(deps.records, call, async (change, environment) => {
    const known = foundContent(await findSecret(change, environment, call.params.secretShortName));
    checkPreconditions(call.preconditions, known);
    return put(deps, change, { environment, known, input: call.body, stamp: stampOf(deps, call) });
  });
  return { value: toSecret(stored) };
}

async function remove(
  deps: Pick<Services, "records" | "secretUses">,
  call: Call<"environments.secrets.delete">,
): Promise<Answer<Secret>> {
  const value = await changeIn(deps.records, call, async (change, environment) => {
    const known = foundContent(await findSecret(change, environment, call.params.secretShortName));
    checkPreconditions(call.preconditions, known);
    await refuseInUse(deps, known);
    change.delete(secretRecords, [known.incarnation, known.shortName.toLowerCase()]);
    emitSecret(change, "secret.deleted", known, { changed: [] });
    return toSecret(known);
  });
  return { value };
}

const mostNamed = 10;

/** Whoever may edit an environment may view its live systems, so their names are told. A deploy at the same time isn't noticed. */
async function refuseInUse(
  { secretUses }: Pick<Services, "secretUses">,
  { environmentId, shortName }: SecretRecord,
): Promise<void> {
  const uses = await secretUses(environmentId, shortName);
  if (uses.length === 0) return;
  const named = uses.slice(0, mostNamed).join(", ");
  const more = uses.length > mostNamed ? ` and ${uses.length - mostNamed} more` : "";
  const count = uses.length === 1 ? "1 component uses" : `${uses.length} components use`;
  throw new LiveplaneError(
    "SecretInUse",
    `${count} it: ${named}${more}. Deploy without it first, or give it a new value.`,
  );
}

/** The event of the reveal is stored before the value is returned. */
async function reveal(
  deps: Pick<Services, "records" | "settings" | "sealer">,
  call: Call<"environments.secrets.reveal">,
): Promise<Answer<RevealedSecret>> {
  if (call.from.remote && !deps.settings.revealOverHttp)
    throw turnedOff("Revealing secrets over HTTP is turned off.", "revealOverHttp");
  const chosen = await changeIn(deps.records, call, async (change, environment) => {
    const known = foundContent(await findSecret(change, environment, call.params.secretShortName));
    const { version } = foundContent(versionOf(known, call.body.version ?? undefined));
    emitSecret(change, "secret.revealed", known, { changed: [], version });
    return { known, version };
  });
  return { value: { value: await open(deps, chosen.known, chosen.version), version: chosen.version } };
}

async function current(
  { records }: Pick<Services, "records">,
  environment: EnvironmentRef,
  shortName: string,
): Promise<SecretRecord | null> {
  const record = await findEnvironment(records, environment);
  return record && findSecret(records, record, shortName);
}

async function open({ sealer }: Pick<Services, "sealer">, record: SecretRecord, version?: number): Promise<string> {
  const chosen = foundContent(versionOf(record, version));
  return fromUtf8(await sealer.open(chosen.sealed, secretPlace(record, chosen.version)));
}

/** A validated secret to store. */
interface Draft {
  readonly environment: EnvironmentRecord;
  readonly known: Stored<SecretRecord> | null;
  readonly input: SecretInput;
  readonly stamp: ActorStamp;
}

async function put(
  deps: Pick<Services, "runtime" | "sealer">,
  change: Change,
  { environment, known, input, stamp }: Draft,
) {
  const record: SecretRecord =
    known === null ? newSecret(environment, deps.runtime.newId(), input, stamp) : changedSecret(known, input, stamp);
  // Values are never compared: an answer "unchanged" would let a caller guess the value.
  if (known !== null && input.value == null && isSameRecord<SecretRecord>(known, record)) return known;
  const isSet = (name: string) => name !== "shortName" && (name !== "value" || input.value != null);
  const changed = known === null ? [] : Object.keys(input).filter(isSet);
  emitSecret(change, known === null ? "secret.created" : "secret.updated", record, { changed });
  return change.put(secretRecords, await withValue(deps, record, input.value ?? null, stamp));
}

async function withValue(
  { sealer }: Pick<Services, "sealer">,
  record: SecretRecord,
  value: string | null,
  { actor, time }: ActorStamp,
): Promise<SecretRecord> {
  if (value === null) return record;
  const version = nextVersion(record);
  const sealed = await sealer.seal(utf8(value), secretPlace(record, version));
  return withVersion(record, { version, createdAt: time, createdBy: actor, sealed });
}

type AboutSecret = Extract<keyof EventData, `secret.${string}`>;

function emitSecret<Type extends AboutSecret>(
  change: Change,
  type: Type,
  { environmentId, shortName }: SecretRecord,
  data: Omit<EventData[Type], "shortName">,
): void {
  const said = { shortName, ...data } as EventData[Type];
  emitEnvironment(change, environmentId, { type, path: `/secrets/${shortName}`, data: said });
}
