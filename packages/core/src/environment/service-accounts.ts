import type { ServiceAccountRole } from "../account/access.ts";
import type { IssuedSecret, ServiceAccount } from "../contract/environment-schemas.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { actorName, type EnvironmentRef, environmentName } from "../contract/target.ts";
import { invalid, LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Pages } from "../records/pages.ts";
import type { Change, Reader, Records, Stored } from "../records/records.ts";
import { type EnvironmentRecord, environmentPath, findEnvironment, requireEnvironment } from "./environment-record.ts";

/** A role in an environment. */
export interface AssignmentRecord {
  readonly incarnation: string;
  readonly environmentId: EnvironmentRef;
  readonly principalId: string;
  readonly serviceAccountRole: ServiceAccountRole;
  readonly description: string | null;
  readonly active: boolean;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** All roles in environments, by the incarnation of the environment and the principal. */
export const assignments = collection<AssignmentRecord>()("service-account", {
  key: ({ incarnation, principalId }) => [incarnation, principalId],
});

/** A secret of a service account as it is shown. */
export interface ShownSecret {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

/** Whose a principal is. */
export interface PrincipalOwner {
  readonly type: "Personal" | "Organizational";
  readonly id: string;
}

/** What roles need of service accounts: who they are, and their secrets, which belong to one place of an environment. */
export interface PrincipalRegistry {
  /** Whether an id is a service account's and whose; `"other"`: it is something else's. */
  ownerOf(reader: Reader, principalId: string): Promise<PrincipalOwner | "other" | null>;
  create(change: Change, principalId: string, owner: PrincipalOwner): Promise<void> | void;
  secrets(reader: Reader, principalId: string, environment: EnvironmentRef): Promise<readonly ShownSecret[]>;
  /** Throws `InvalidState` when two are alive. */
  issue(
    change: Change,
    principalId: string,
    environment: EnvironmentRef,
    expiresAt: string | null,
  ): Promise<IssuedSecret>;
  /** Whether there was such a secret. */
  revoke(change: Change, principalId: string, environment: EnvironmentRef, secretId: string): Promise<boolean>;
  /** Ends all of them. */
  endAll(change: Change, principalId: string, environment: EnvironmentRef): Promise<void>;
}

/** What the service needs. */
export interface ServiceAccountsDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly principals: PrincipalRegistry;
}

type Operation = Extract<keyof Handlers<"environments">, `environments.serviceAccounts.${string}`>;

/** The service accounts of environments. */
export interface ServiceAccounts {
  readonly handlers: Pick<Handlers<"environments">, Operation>;
  /** The role of a principal in an environment, and whether it may act. */
  role(
    environment: EnvironmentRef,
    principalId: string,
  ): Promise<{ readonly role: ServiceAccountRole; readonly active: boolean } | null>;
  /** Destroys every role in an environment, in the change that deletes it. */
  destroy(change: Change, environment: EnvironmentRecord): Promise<void>;
}

/** Creates the service of roles in environments. */
export function createServiceAccounts({ records, pages, runtime, principals }: ServiceAccountsDeps): ServiceAccounts {
  const now = () => new Date(runtime.clock.now()).toISOString();
  const find = (reader: Reader, { incarnation }: EnvironmentRecord, principalId: string) =>
    reader.get(assignments, [incarnation, principalId]);

  async function within<T>(
    call: Call<Operation>,
    work: (change: Change, environment: Stored<EnvironmentRecord>) => Promise<T>,
  ): Promise<T> {
    return records.change(call.cause, async (change) => {
      const environment = await requireEnvironment(change, call.params);
      return work(change, environment);
    });
  }

  async function known(
    change: Change,
    environment: EnvironmentRecord,
    principalId: string,
  ): Promise<Stored<AssignmentRecord>> {
    return required(await find(change, environment, principalId));
  }

  async function shown(reader: Reader, record: Stored<AssignmentRecord>): Promise<ServiceAccount> {
    const { incarnation: _incarnation, ...rest } = record;
    return {
      ...rest,
      secrets: [...(await principals.secrets(reader, record.principalId, record.environmentId))],
    } as ServiceAccount;
  }

  /** A new uuid makes a service account of the environment's owner; one that is there must be the owner's. */
  async function admit(change: Change, principalId: string, { id }: EnvironmentRecord): Promise<void> {
    const owner: PrincipalOwner = { type: id.type as PrincipalOwner["type"], id: id.ownerId };
    const found = await principals.ownerOf(change, principalId);
    if (found === null) return void (await principals.create(change, principalId, owner));
    if (found === "other" || found.type !== owner.type || found.id !== owner.id) {
      throw invalid([
        {
          parameter: "principalId",
          code: "InvalidPrincipal",
          detail: "The id must be of a service account of the environment's owner, or a new uuid.",
        },
      ]);
    }
  }

  const handlers: ServiceAccounts["handlers"] = {
    async "environments.serviceAccounts.assign"(call) {
      const { principalId } = call.params;
      const stored = await within(call, async (change, environment) => {
        await admit(change, principalId, environment);
        const before = await find(change, environment, principalId);
        checkPreconditions(call.preconditions, before, { creates: true });
        if (before !== null) throw new LiveplaneError("AlreadyExists", "It has a role in this environment already.");
        const time = now();
        const record: AssignmentRecord = {
          incarnation: environment.incarnation,
          environmentId: environment.id,
          principalId,
          serviceAccountRole: call.body.serviceAccountRole,
          description: call.body.description ?? null,
          active: true,
          createdAt: time,
          createdBy: call.cause.actor,
          updatedAt: time,
          updatedBy: call.cause.actor,
        };
        emit(change, "service_account.assigned", record, { role: record.serviceAccountRole });
        return change.put(assignments, record);
      });
      const location = `${environmentPath(stored.environmentId)}/service-accounts/${principalId}`;
      return { value: await shown(records, stored), made: true, location };
    },

    async "environments.serviceAccounts.list"({ actor, params, query }) {
      const { incarnation, id } = await requireEnvironment(records, params);
      const bind = [actorName(actor), "environments.serviceAccounts.list", environmentName(id)];
      const page = await pages.page<AssignmentRecord>(
        (range) => records.list(assignments, { prefix: [incarnation], ...range }),
        { ...query, bind },
      );
      return { value: { ...page, items: await Promise.all(page.items.map((record) => shown(records, record))) } };
    },

    async "environments.serviceAccounts.get"({ params }) {
      const environment = await requireEnvironment(records, params);
      return { value: await shown(records, required(await find(records, environment, params.principalId))) };
    },

    async "environments.serviceAccounts.update"(call) {
      const { description, active } = call.body;
      const stored = await within(call, async (change, environment) => {
        const before = await known(change, environment, call.params.principalId);
        checkPreconditions(call.preconditions, before);
        emit(change, "service_account.updated", before, { changed: Object.keys(call.body) });
        return change.put(assignments, {
          ...before,
          description: description === undefined ? before.description : description,
          active: active ?? before.active,
          updatedAt: now(),
          updatedBy: call.cause.actor,
        });
      });
      return { value: await shown(records, stored) };
    },

    async "environments.serviceAccounts.delete"(call) {
      const value = await within(call, async (change, environment) => {
        const before = await known(change, environment, call.params.principalId);
        checkPreconditions(call.preconditions, before);
        const last = await shown(change, before);
        await principals.endAll(change, before.principalId, before.environmentId);
        change.delete(assignments, [before.incarnation, before.principalId]);
        emit(change, "service_account.removed", before, {});
        return last;
      });
      return { value };
    },

    async "environments.serviceAccounts.issueSecret"(call) {
      const expiresAt = call.body.expiresAt ?? null;
      const issued = await within(call, async (change, environment) => {
        const before = await known(change, environment, call.params.principalId);
        const secret = await principals.issue(change, before.principalId, before.environmentId, expiresAt);
        emit(change, "service_account.secret_issued", before, { secretId: secret.id });
        return secret;
      });
      return { value: issued, made: true };
    },

    async "environments.serviceAccounts.revokeSecret"(call) {
      const stored = await within(call, async (change, environment) => {
        const before = await known(change, environment, call.params.principalId);
        checkPreconditions(call.preconditions, before);
        if (!(await principals.revoke(change, before.principalId, before.environmentId, call.params.secretId)))
          throw new LiveplaneError("NotFound");
        emit(change, "service_account.updated", before, { changed: ["secrets"] });
        return change.put(assignments, { ...before, updatedAt: now(), updatedBy: call.cause.actor });
      });
      return { value: await shown(records, stored) };
    },
  };

  return {
    handlers,
    async role(environment, principalId) {
      const record = await findEnvironment(records, environment);
      const assignment = record && (await find(records, record, principalId));
      return assignment ? { role: assignment.serviceAccountRole, active: assignment.active } : null;
    },
    async destroy(change, environment) {
      for (const { record } of await change.list(assignments, { prefix: [environment.incarnation] })) {
        await principals.endAll(change, record.principalId, record.environmentId);
        change.delete(assignments, [record.incarnation, record.principalId]);
      }
    },
  };
}

function required<T>(found: T | null): T {
  if (found === null) throw new LiveplaneError("NotFound");
  return found;
}

function emit(
  change: Change,
  type: string,
  { environmentId, principalId }: AssignmentRecord,
  data: Record<string, string | string[]>,
): void {
  change.emit({
    type,
    subject: principalId,
    about: { kind: "environment", ...environmentId },
    data: { principalId, ...data },
  });
}
