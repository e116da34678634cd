import type { EnvironmentDefinition, EnvironmentUpdate } from "../contract/schemas/environment-schemas.ts";
import { type Actor, type EnvironmentRef, environmentName, groupPath, parseGroupName } from "../contract/target.ts";
import { nowText } from "../encoding.ts";
import type { Violation } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Json } from "../ports/store.ts";
import type { Cause, Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { refuseBulk } from "./bulk.ts";
import { type EnvironmentRecord, findEnvironment } from "./environment-record.ts";

/** A definition, who sent it, and the environment it applies to. */
export interface Proposal {
  readonly id: EnvironmentRef;
  readonly actor: Actor;
  readonly body: EnvironmentUpdate;
  /** The environment before the change; `null` if it is created. */
  readonly known: EnvironmentRecord | null;
}

/** Refuses a definition that refers to something missing, read in the change that stores it. */
export async function judgeEnvironmentDefinition(
  deps: Pick<Services, "access" | "groupExists"> & {
    readonly profileName: (reader: Reader, incarnation: string, shortName: string) => Promise<string | null>;
  },
  reader: Reader,
  proposal: Proposal,
): Promise<void> {
  refuseBulk([
    ...(await strangeGroups(deps, reader, proposal)),
    ...(await strangeManager(deps, reader, proposal)),
    ...(await strangeProfile(deps, reader, proposal)),
  ]);
}

/** A group that is already listed may stay, even if it was deleted. A new one must belong to the owner and be visible to the caller. */
async function strangeGroups(
  deps: Pick<Services, "access" | "groupExists">,
  reader: Reader,
  { id, actor, body, known }: Proposal,
): Promise<Violation[]> {
  const listed = new Set(known?.resourceGroups.map((group) => group.toLowerCase()));
  const errors: Violation[] = [];
  for (const [at, group] of (body.resourceGroups ?? []).map(canonicalGroup).entries()) {
    if (listed.has(group.toLowerCase()) || (await isGroupOf(deps, reader, group, id, actor))) continue;
    const detail = "The environment's owner has no such resource group.";
    errors.push({ pointer: `#/resourceGroups/${at}`, code: "Enum", detail });
  }
  return errors;
}

async function isGroupOf(
  { access, groupExists }: Pick<Services, "access" | "groupExists">,
  reader: Reader,
  group: string,
  id: EnvironmentRef,
  actor: Actor,
): Promise<boolean> {
  const named = parseGroupName(group);
  if (named.type !== id.type || named.ownerId !== id.ownerId || !(await groupExists(reader, group))) return false;
  return access.can(actor, { kind: "group", ...named }, "View");
}

/** The errors in the management environment that a body names. */
export async function strangeManager(
  { access }: Pick<Services, "access">,
  reader: Reader,
  { id, actor, body }: Omit<Proposal, "known">,
): Promise<Violation[]> {
  const wanted = body.managementEnvironmentId ?? null;
  if (wanted === null) return [];
  if (environmentName(wanted) === environmentName(id)) return [managesItself];
  const manager =
    wanted.type === id.type && wanted.ownerId === id.ownerId ? await findEnvironment(reader, wanted) : null;
  if (manager === null || !(await access.can(actor, { kind: "environment", ...wanted }, "View"))) return [noManager];
  return (await isManagedBy(reader, manager, id)) ? [managesItself] : [];
}

/** Whether a chain of managers leads to an environment. Stored chains have no cycles, so each one ends. */
async function isManagedBy(reader: Reader, from: EnvironmentRecord, id: EnvironmentRef): Promise<boolean> {
  let next = from.managementEnvironmentId;
  while (next !== null) {
    if (environmentName(next) === environmentName(id)) return true;
    next = (await findEnvironment(reader, next))?.managementEnvironmentId ?? null;
  }
  return false;
}

async function strangeProfile(
  {
    profileName,
  }: { readonly profileName: (reader: Reader, incarnation: string, shortName: string) => Promise<string | null> },
  reader: Reader,
  { body, known }: Proposal,
): Promise<Violation[]> {
  const wanted = body.defaultCiCdProfileShortName ?? null;
  if (wanted === null || known === null) return [];
  return (await profileName(reader, known.incarnation, wanted)) === null ? [noProfile] : [];
}

const managesItself: Violation = {
  pointer: "#/managementEnvironmentId",
  code: "SelfReferentialManagementEnvironment",
  detail: "An environment can't manage itself, directly or through others.",
};
const noManager: Violation = {
  pointer: "#/managementEnvironmentId",
  code: "ManagementEnvironmentNotFound",
  detail: "The owner has no such environment.",
};
const noProfile: Violation = {
  pointer: "#/defaultCiCdProfileShortName",
  code: "Enum",
  detail: "The environment has no such CI/CD profile.",
};

/** Uuids are in lower case, so one group has one string except for the case of its short name. */
export function canonicalGroup(group: string): string {
  return groupPath(parseGroupName(group));
}

/** Who acts, and when. */
export interface ActorStamp {
  readonly actor: string;
  readonly time: string;
}

/** Who makes this call, with the current time. */
export function stampOf(
  deps: { readonly runtime: Pick<Runtime, "clock"> },
  { cause }: { readonly cause: Cause },
): ActorStamp {
  return { actor: cause.actor, time: nowText(deps) };
}

/** A new environment. Recreated under an old name, it gets a new incarnation and none of the old contents. */
export function newEnvironment(
  id: EnvironmentRef,
  incarnation: string,
  body: EnvironmentDefinition,
  { actor, time }: ActorStamp,
): EnvironmentRecord {
  return {
    id,
    incarnation,
    managementEnvironmentId: body.managementEnvironmentId ?? null,
    name: body.name ?? null,
    resourceGroups: (body.resourceGroups ?? []).map(canonicalGroup),
    parameters: (body.parameters ?? {}) as Record<string, Json>,
    resourceScopes: body.resourceScopes ?? [],
    defaultCiCdProfileShortName: null,
    initializations: {},
    deletedAt: null,
    createdAt: time,
    createdBy: actor,
    updatedAt: time,
    updatedBy: actor,
  };
}

/** The environment after a change: omitted members stay, null clears. The default profile keeps the spelling of its name. */
export function changedEnvironment(
  known: EnvironmentRecord,
  body: EnvironmentUpdate,
  defaultCiCdProfileShortName: string | null | undefined,
  { actor, time }: ActorStamp,
): EnvironmentRecord {
  const { managementEnvironmentId, name, resourceGroups, parameters, resourceScopes } = body;
  return {
    ...known,
    ...(managementEnvironmentId !== undefined && { managementEnvironmentId }),
    ...(name !== undefined && { name }),
    ...(resourceGroups !== undefined && { resourceGroups: (resourceGroups ?? []).map(canonicalGroup) }),
    ...(parameters !== undefined && { parameters: (parameters ?? {}) as Record<string, Json> }),
    ...(resourceScopes !== undefined && { resourceScopes: resourceScopes ?? [] }),
    ...(defaultCiCdProfileShortName !== undefined && { defaultCiCdProfileShortName }),
    updatedAt: time,
    updatedBy: actor,
  };
}
