import type { ScopeResolvers } from "../access/access.ts";
import type { Page } from "../contract/api.ts";
import type { EventData } from "../contract/event-data.ts";
import type { Answer, Call, Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { checkPreconditions, requireNew } from "../contract/preconditions.ts";
import type { IssuedSecret, ServiceAccount } from "../contract/schemas/environment-schemas.ts";
import { actorName, environmentName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { listAll } from "../records/list-all.ts";
import type { Change, Reader, Stored } from "../records/records.ts";
import { isSameRecord } from "../records/same-record.ts";
import type { Services } from "../services.ts";
import { changeIn, foundContent } from "./contents.ts";
import { type ActorStamp, stampOf } from "./environment-definition.ts";
import { type EnvironmentRecord, environmentPath, findEnvironment, requireEnvironment } from "./environment-record.ts";
import type { PrincipalRegistry, RoleOwner } from "./principal-registry.ts";
import { createServiceAccountIdentities } from "./service-account-identities.ts";
import { type AssignmentRecord, assignments, findAssignment, newAssignment } from "./service-account-record.ts";

type Operation = Extract<keyof Handlers<"environments">, `environments.serviceAccounts.${string}`>;

export interface ServiceAccounts {
  readonly handlers: Pick<Handlers<"environments">, Operation>;
  /** The role of a principal in an environment, and whether it may act. */
  readonly role: ScopeResolvers["role"];
  /** Destroys every role in an environment, in the change that deletes it. */
  destroy(change: Change, environment: EnvironmentRecord): Promise<void>;
}

/** Creates the handlers for roles in environments. */
export function createServiceAccounts(
  deps: Pick<Services, "records" | "pages" | "runtime"> & { readonly principals: PrincipalRegistry },
): ServiceAccounts {
  const { records, principals } = deps;
  return {
    handlers: {
      "environments.serviceAccounts.assign": (call) => assign(deps, call),
      "environments.serviceAccounts.list": (call) => list(deps, call),
      "environments.serviceAccounts.get": (call) => get(deps, call),
      "environments.serviceAccounts.update": (call) => update(deps, call),
      "environments.serviceAccounts.delete": (call) => remove(deps, call),
      "environments.serviceAccounts.issueSecret": (call) => issueSecret(deps, call),
      "environments.serviceAccounts.revokeSecret": (call) => revokeSecret(deps, call),
      ...createServiceAccountIdentities(deps),
    },
    async role(environment, principalId) {
      const record = await findEnvironment(records, environment);
      const assignment = record && (await findAssignment(records, record, principalId));
      return assignment ? { role: assignment.serviceAccountRole, active: assignment.active } : null;
    },
    async destroy(change, environment) {
      for (const record of await listAll(change, assignments, { prefix: [environment.incarnation] })) {
        await principals.endAll(change, record.principalId, record.environmentId);
        change.delete(assignments, [record.incarnation, record.principalId]);
      }
    },
  };
}

async function assign(
  deps: Pick<Services, "records" | "runtime"> & { readonly principals: PrincipalRegistry },
  call: Call<"environments.serviceAccounts.assign">,
): Promise<Answer<ServiceAccount>> {
  const { principalId } = call.params;
  const stored = await changeIn(deps.records, call, async (change, environment) => {
    await admit(deps, change, principalId, environment);
    const known = await findAssignment(change, environment, principalId);
    requireNew(call.preconditions, known, "It already has a role in this environment.");
    const record = newAssignment(environment, principalId, call.body, stampOf(deps, call));
    emitAssignment(change, "service_account.assigned", record, { role: record.serviceAccountRole });
    return change.put(assignments, record);
  });
  const location = `${environmentPath(stored.environmentId)}/service-accounts/${principalId}`;
  return { value: await shown(deps, deps.records, stored), made: true, location };
}

async function list(
  deps: Pick<Services, "records" | "pages"> & { readonly principals: PrincipalRegistry },
  { actor, params, query }: Call<"environments.serviceAccounts.list">,
): Promise<Answer<Page<ServiceAccount>>> {
  const { records, pages } = deps;
  const { incarnation, id } = await requireEnvironment(records, params);
  const bind = [actorName(actor), "environments.serviceAccounts.list", environmentName(id)];
  const page = await pages.page<AssignmentRecord>(
    (range) => records.list(assignments, { prefix: [incarnation], ...range }),
    { ...query, bind },
  );
  return { value: { ...page, items: await Promise.all(page.items.map((record) => shown(deps, records, record))) } };
}

async function get(
  deps: Pick<Services, "records"> & { readonly principals: PrincipalRegistry },
  { params }: Call<"environments.serviceAccounts.get">,
): Promise<Answer<ServiceAccount>> {
  const environment = await requireEnvironment(deps.records, params);
  const record = foundContent(await findAssignment(deps.records, environment, params.principalId));
  return { value: await shown(deps, deps.records, record) };
}

async function update(
  deps: Pick<Services, "records" | "runtime"> & { readonly principals: PrincipalRegistry },
  call: Call<"environments.serviceAccounts.update">,
): Promise<Answer<ServiceAccount>> {
  const { description, active } = call.body;
  const stored = await changeIn(deps.records, call, async (change, environment) => {
    const known = foundContent(await findAssignment(change, environment, call.params.principalId));
    checkPreconditions(call.preconditions, known);
    const changed = { ...known, ...(description !== undefined && { description }), active: active ?? known.active };
    if (isSameRecord(known, changed)) return known;
    emitAssignment(change, "service_account.updated", known, { changed: Object.keys(call.body) });
    return touch(change, changed, stampOf(deps, call));
  });
  return { value: await shown(deps, deps.records, stored) };
}

async function remove(
  deps: Pick<Services, "records"> & { readonly principals: PrincipalRegistry },
  call: Call<"environments.serviceAccounts.delete">,
): Promise<Answer<ServiceAccount>> {
  const value = await changeIn(deps.records, call, async (change, environment) => {
    const known = foundContent(await findAssignment(change, environment, call.params.principalId));
    checkPreconditions(call.preconditions, known);
    const last = await shown(deps, change, known);
    await deps.principals.endAll(change, known.principalId, known.environmentId);
    change.delete(assignments, [known.incarnation, known.principalId]);
    emitAssignment(change, "service_account.removed", known, {});
    return last;
  });
  return { value };
}

async function issueSecret(
  deps: Pick<Services, "records" | "runtime"> & { readonly principals: PrincipalRegistry },
  call: Call<"environments.serviceAccounts.issueSecret">,
): Promise<Answer<IssuedSecret>> {
  const value = await changeIn(deps.records, call, async (change, environment) => {
    const known = foundContent(await findAssignment(change, environment, call.params.principalId));
    const { principalId, environmentId } = known;
    const issued = await deps.principals.issue(change, principalId, environmentId, call.body.expiresAt ?? null);
    emitAssignment(change, "service_account.secret_issued", known, { secretId: issued.id });
    touch(change, known, stampOf(deps, call));
    return issued;
  });
  return { value, made: true };
}

async function revokeSecret(
  deps: Pick<Services, "records" | "runtime"> & { readonly principals: PrincipalRegistry },
  call: Call<"environments.serviceAccounts.revokeSecret">,
): Promise<Answer<ServiceAccount>> {
  const stored = await changeIn(deps.records, call, async (change, environment) => {
    const known = foundContent(await findAssignment(change, environment, call.params.principalId));
    const { principalId, environmentId } = known;
    const { secretId } = call.params;
    const revoked = await deps.principals.revoke(change, principalId, environmentId, secretId);
    if (!revoked) throw new LiveplaneError("NotFound");
    emitAssignment(change, "service_account.secret_revoked", known, { secretId });
    return touch(change, known, stampOf(deps, call));
  });
  return { value: await shown(deps, deps.records, stored) };
}

/** A role's secrets are part of it, so its version changes with them. */
function touch(change: Change, record: AssignmentRecord, { actor, time }: ActorStamp): Stored<AssignmentRecord> {
  return change.put(assignments, { ...record, updatedAt: time, updatedBy: actor });
}

/** A uuid that nobody could have chosen or used before: version 4 or 7, which are random. */
const randomUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A new random uuid creates a service account for the environment's owner; an existing one must belong to that owner. */
async function admit(
  { principals }: { readonly principals: PrincipalRegistry },
  change: Change,
  principalId: string,
  { id }: EnvironmentRecord,
): Promise<void> {
  const owner: RoleOwner = { type: id.type as RoleOwner["type"], id: id.ownerId };
  const known = await principals.ownerOf(change, principalId);
  if (known === null && randomUuid.test(principalId)) return void (await principals.create(change, principalId, owner));
  if (known !== null && known !== "other" && known.type === owner.type && known.id === owner.id) return;
  const detail = "The ID must belong to a service account of the environment's owner, or be a new random UUID.";
  throw invalid([{ parameter: "principalId", code: "InvalidPrincipal", detail }]);
}

async function shown(
  { principals }: { readonly principals: PrincipalRegistry },
  reader: Reader,
  record: Stored<AssignmentRecord>,
): Promise<ServiceAccount> {
  const { incarnation: _incarnation, ...rest } = record;
  const secrets = await principals.secrets(reader, record.principalId, record.environmentId);
  return { ...structuredClone(rest), secrets: [...secrets] } as ServiceAccount;
}

type AboutAssignment = Extract<keyof EventData, `service_account.${string}`>;

function emitAssignment<Type extends AboutAssignment>(
  change: Change,
  type: Type,
  { environmentId, principalId }: AssignmentRecord,
  data: Omit<EventData[Type], "principalId">,
): void {
  const about = { kind: "environment", ...environmentId } as const;
  change.emit({ type, subject: principalId, about, data: { principalId, ...data } as EventData[Type] });
}
