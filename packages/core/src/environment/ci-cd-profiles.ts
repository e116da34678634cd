import type { Page } from "../contract/api.ts";
import type { EventData } from "../contract/event-data.ts";
import type { Answer, Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions, requireNew } from "../contract/preconditions.ts";
import type { CiCdProfile, CiCdProfileInput, CiCdProfileUpdate } from "../contract/schemas/environment-schemas.ts";
import { actorName, environmentName } from "../contract/target.ts";
import { utf8 } from "../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { SshKeyFacts } from "../ports/secrets.ts";
import type { Change, Reader, Stored } from "../records/records.ts";
import { isSameRecord } from "../records/same-record.ts";
import type { Services } from "../services.ts";
import { allOrNone, eachOf, refuseBulk, refuseItems, valueRequired } from "./bulk.ts";
import {
  changedProfile,
  findProfile,
  isDefaultProfile,
  type KeyOutcome,
  newProfile,
  noKey,
  type ProfileRecord,
  type ProfileSecret,
  profileErrors,
  profilePlace,
  profiles,
  toProfile,
} from "./ci-cd-profile-record.ts";
import { changeIn, foundContent } from "./contents.ts";
import { type ActorStamp, stampOf } from "./environment-definition.ts";
import { type EnvironmentRecord, emitEnvironment, environmentPath, requireEnvironment } from "./environment-record.ts";

type Operation = Extract<keyof Handlers<"environments">, `environments.ciCdProfiles.${string}`>;

/** The name of a CI/CD profile as it was spelled at creation; `null` if there is none. */
export async function profileName(reader: Reader, incarnation: string, shortName: string): Promise<string | null> {
  return (await findProfile(reader, { incarnation }, shortName))?.shortName ?? null;
}

/** Creates the handlers for CI/CD profiles. */
export function createProfiles(
  deps: Pick<Services, "records" | "pages" | "runtime" | "sealer" | "sshKeys">,
): Pick<Handlers<"environments">, Operation> {
  return {
    "environments.ciCdProfiles.create": (call) => create(deps, call),
    "environments.ciCdProfiles.upsertMany": (call) => upsertMany(deps, call),
    "environments.ciCdProfiles.list": (call) => list(deps, call),
    "environments.ciCdProfiles.get": (call) => get(deps, call),
    "environments.ciCdProfiles.update": (call) => update(deps, call),
    "environments.ciCdProfiles.delete": (call) => remove(deps, call),
  };
}

async function create(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "sshKeys">,
  call: Call<"environments.ciCdProfiles.create">,
): Promise<Answer<CiCdProfile>> {
  const before = await requireEnvironment(deps.records, call.params);
  const outcome = await sealKey(deps, before, { ...call, shortName: call.body.shortName ?? "" });
  const { key } = outcome;
  refuseBulk(profileErrors(call.body, outcome, null));
  const stored = await changeIn(deps.records, call, async (change, environment) => {
    requireSame(before, environment);
    const known = await findProfile(change, environment, call.body.shortName ?? "");
    requireNew(call.preconditions, known, "A CI/CD profile with this name already exists.");
    return put(deps, change, { environment, input: call.body, known, key, stamp: stampOf(deps, call) });
  });
  return {
    value: toProfile(stored, before),
    made: true,
    location: `${environmentPath(before.id)}/ci-cd-profiles/${stored.shortName}`,
  };
}

async function upsertMany(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "sshKeys">,
  call: Call<"environments.ciCdProfiles.upsertMany">,
): Promise<Answer<CiCdProfile[]>> {
  const before = await requireEnvironment(deps.records, call.params);
  const outcomes = await allOrNone(call.body, call.signal?.(), (body, signal) =>
    sealKey(deps, before, { ...call, shortName: body.shortName ?? "", body, signal: () => signal }),
  );
  const value = await changeIn(deps.records, call, async (change, environment) => {
    requireSame(before, environment);
    const { made, errors } = await eachOf(call.body, async (input, at) => {
      const known = input.shortName == null ? null : await findProfile(change, environment, input.shortName);
      const outcome = outcomes[at] ?? { key: null, errors: [] };
      refuseBulk(profileErrors(input, outcome, known));
      return { environment, input, known, key: outcome.key, stamp: stampOf(deps, call) };
    });
    refuseItems(call, errors);
    return made.map((one) => ({ stored: put(deps, change, one), environment, isNew: one.known === null }));
  });
  return {
    value: value.map(({ stored, environment, isNew }) => ({
      ...toProfile(stored, environment),
      ...(isNew && { made: true as const }),
    })),
    made: true,
  };
}

async function list(
  { records, pages }: Pick<Services, "records" | "pages">,
  { actor, params, query }: Call<"environments.ciCdProfiles.list">,
): Promise<Answer<Page<CiCdProfile>>> {
  const environment = await requireEnvironment(records, params);
  const bind = [actorName(actor), "environments.ciCdProfiles.list", environmentName(environment.id)];
  const page = await pages.page<ProfileRecord>(
    (range) => records.list(profiles, { prefix: [environment.incarnation], ...range }),
    { ...query, bind },
  );
  return { value: { ...page, items: page.items.map((profile) => toProfile(profile, environment)) } };
}

async function get(
  { records }: Pick<Services, "records">,
  { params }: Call<"environments.ciCdProfiles.get">,
): Promise<Answer<CiCdProfile>> {
  const environment = await requireEnvironment(records, params);
  return {
    value: toProfile(foundContent(await findProfile(records, environment, params.profileShortName)), environment),
  };
}

async function update(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "sshKeys">,
  call: Call<"environments.ciCdProfiles.update">,
): Promise<Answer<CiCdProfile>> {
  const { profileShortName } = call.params;
  const before = await requireEnvironment(deps.records, call.params);
  foundContent(await findProfile(deps.records, before, profileShortName));
  const { key, errors } = await sealKey(deps, before, { ...call, shortName: profileShortName });
  refuseBulk(errors);
  const value = await changeIn(deps.records, call, async (change, environment) => {
    requireSame(before, environment);
    const known = foundContent(await findProfile(change, environment, profileShortName));
    checkPreconditions(call.preconditions, known);
    const stored = put(deps, change, { environment, input: call.body, known, key, stamp: stampOf(deps, call) });
    return { stored, environment };
  });
  return { value: toProfile(value.stored, value.environment) };
}

async function remove(
  { records }: Pick<Services, "records">,
  call: Call<"environments.ciCdProfiles.delete">,
): Promise<Answer<CiCdProfile>> {
  const value = await changeIn(records, call, async (change, environment) => {
    const known = foundContent(await findProfile(change, environment, call.params.profileShortName));
    checkPreconditions(call.preconditions, known);
    if (isDefaultProfile(known, environment))
      throw new LiveplaneError(
        "DefaultProfileInUse",
        "It is the environment's default profile. Choose another default, or none, first.",
      );
    change.delete(profiles, [known.incarnation, known.shortName.toLowerCase()]);
    emitProfile(change, "cicd_profile.deleted", known, { changed: [] });
    return toProfile(known, environment);
  });
  return { value };
}

/** A validated profile to store. */
interface Draft {
  readonly environment: EnvironmentRecord;
  readonly input: CiCdProfileInput;
  readonly known: Stored<ProfileRecord> | null;
  readonly key: KeyOutcome["key"];
  readonly stamp: ActorStamp;
}

function put({ runtime }: Pick<Services, "runtime">, change: Change, draft: Draft): Stored<ProfileRecord> {
  const { environment, input, known, key, stamp } = draft;
  if (known !== null) {
    const record = changedProfile(known, input, key, stamp);
    if (isSameRecord(known, record)) return known;
    const keyMembers = ["sshPrivateKeyData", "sshPrivateKeyPassphrase"];
    const changed = Object.keys(input).filter(
      (name) => name !== "shortName" && (key !== null || !keyMembers.includes(name)),
    );
    emitProfile(change, "cicd_profile.updated", known, { changed });
    return change.put(profiles, record);
  }
  const record = newProfile(environment, runtime.newId(), input, key ?? noKey, stamp);
  emitProfile(change, "cicd_profile.created", record, { changed: [] });
  return change.put(profiles, record);
}

/** A key in a body, and its profile. */
interface KeyToSeal extends Pick<Call<Operation>, "actor" | "signal"> {
  readonly shortName: string;
  readonly body: CiCdProfileUpdate;
}

/** Inspects a key with the passphrase of the same request. It is slow, so it runs before the change. */
async function sealKey(
  deps: Pick<Services, "sealer" | "sshKeys">,
  { id: environmentId, incarnation }: EnvironmentRecord,
  { actor, shortName, body, signal }: KeyToSeal,
): Promise<KeyOutcome> {
  const { sshPrivateKeyData: key = null, sshPrivateKeyPassphrase: passphrase = null } = body;
  if (key === null) return { key: null, errors: passphrase === null ? [] : [valueRequired("sshPrivateKeyData")] };
  const work = { share: actorName(actor), signal: signal?.() };
  const inspected = await factsOf(() => deps.sshKeys.inspect(key, passphrase, work));
  if ("errors" in inspected) return inspected;
  const at = { environmentId, incarnation, shortName };
  const seal = (value: string, member: ProfileSecret) => deps.sealer.seal(utf8(value), profilePlace(at, member));
  const sealedKey = await seal(key, "sshPrivateKeyData");
  const kept = inspected.hasPassphrase ? passphrase : null;
  const sealedPassphrase = kept === null ? null : await seal(kept, "sshPrivateKeyPassphrase");
  return { key: { facts: inspected, sealedKey, sealedPassphrase }, errors: [] };
}

/** The facts of a key, or the error at its place. A failure of the inspection itself isn't the key's fault. */
async function factsOf(inspect: () => Promise<SshKeyFacts>): Promise<SshKeyFacts | KeyOutcome> {
  try {
    return await inspect();
  } catch (error) {
    if (!isLiveplaneError(error) || error.status !== 400) throw error;
    const member: ProfileSecret = error.code.startsWith("SshPassphrase")
      ? "sshPrivateKeyPassphrase"
      : "sshPrivateKeyData";
    return { key: null, errors: [{ pointer: `#/${member}`, code: error.code, detail: error.message }] };
  }
}

/** A key is sealed for one incarnation of the environment. If the environment was recreated meanwhile, the key wouldn't open. */
function requireSame(sealedFor: EnvironmentRecord, environment: EnvironmentRecord): void {
  if (sealedFor.incarnation !== environment.incarnation) throw new LiveplaneError("Conflict");
}

type AboutProfile = Extract<keyof EventData, `cicd_profile.${string}`>;

function emitProfile<Type extends AboutProfile>(
  change: Change,
  type: Type,
  { environmentId, shortName }: ProfileRecord,
  data: Omit<EventData[Type], "shortName">,
): void {
  const said = { shortName, ...data } as EventData[Type];
  emitEnvironment(change, environmentId, { type, path: `/ci-cd-profiles/${shortName}`, data: said });
}
