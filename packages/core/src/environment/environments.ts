import type { Access } from "../account/access.ts";
import type { EnvironmentUpdate } from "../contract/environment-schemas.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { type Actor, actorName, type EnvironmentRef, environmentName, type Target } from "../contract/target.ts";
import { invalid, LiveplaneError, type Violation } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Json } from "../ports/store.ts";
import type { Pages } from "../records/pages.ts";
import type { Change, Reader, Records } from "../records/records.ts";
import { countUse, environmentsOf, liveSystemsIn, managedBy, useCount } from "../records/uses.ts";
import {
  type EnvironmentRecord,
  environmentKey,
  environmentPath,
  environmentStatus,
  environments,
  findEnvironment,
  requireEnvironment,
  toEnvironment,
} from "./environment-record.ts";

/** What environments need. */
export interface EnvironmentsDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "purgeSeconds">;
  readonly access: Pick<Access, "can">;
  /** Whether a resource group (`Type/ownerId/shortName`) is there. */
  readonly groupExists: (reader: Reader, group: string) => Promise<boolean>;
  /** Whether a CI/CD profile is there. */
  readonly profileExists: (reader: Reader, incarnation: string, shortName: string) => Promise<boolean>;
  /** Destroys what is in an environment, in the change that deletes it. */
  readonly destroyContents: (change: Change, record: EnvironmentRecord) => Promise<void>;
}

type Operation =
  | "environments.create"
  | "environments.update"
  | "environments.get"
  | "environments.list"
  | "environments.delete";

/** The environments themselves. */
export interface Environments {
  readonly handlers: Pick<Handlers<"environments">, Operation>;
  /** Purges records that were deleted long enough ago. */
  housekeep(): Promise<void>;
}

/** Where a chain of management environments is cut off: longer than any that can be made without a cycle by mistake. */
const longestChain = 100;

/** Creates the service of environments. */
export function createEnvironments(deps: EnvironmentsDeps): Environments {
  const { records, pages, runtime, settings, access } = deps;
  const now = () => new Date(runtime.clock.now()).toISOString();

  async function checkGroups(
    reader: Reader,
    call: Call<"environments.create" | "environments.update">,
    groups: readonly string[],
  ): Promise<void> {
    const errors: Violation[] = [];
    for (const [at, group] of groups.entries()) {
      const [type = "", ownerId = "", shortName = ""] = group.split("/");
      const fits = type === call.params.type && ownerId === call.params.ownerId;
      const target = { kind: "group", type: type as "Personal", ownerId, shortName } as const;
      const known = fits && (await deps.groupExists(reader, group)) && (await access.can(call.actor, target, "View"));
      if (!known)
        errors.push({
          pointer: `#/resourceGroups/${at}`,
          code: "Enum",
          detail: "There is no such resource group of the environment's owner.",
        });
    }
    const [first, ...rest] = errors;
    if (first !== undefined) throw invalid([first, ...rest]);
  }

  async function checkManagement(
    reader: Reader,
    actor: Actor,
    own: EnvironmentRef,
    other: EnvironmentRef,
  ): Promise<void> {
    const pointer = "#/managementEnvironmentId";
    const itself = {
      pointer,
      code: "SelfReferentialManagementEnvironment",
      detail: "An environment can't manage itself, directly or through others.",
    } as const;
    if (environmentName(own) === environmentName(other)) throw invalid([itself]);
    const sameOwner = own.type === other.type && own.ownerId === other.ownerId;
    const found = sameOwner ? await findEnvironment(reader, other) : null;
    if (found === null || !(await access.can(actor, { kind: "environment", ...other }, "View"))) {
      throw invalid([
        { pointer, code: "ManagementEnvironmentNotFound", detail: "There is no such environment of the same owner." },
      ]);
    }
    let next = found.managementEnvironmentId;
    for (let length = 0; next !== null && length < longestChain; length++) {
      if (environmentName(next) === environmentName(own)) throw invalid([itself]);
      next = (await findEnvironment(reader, next))?.managementEnvironmentId ?? null;
    }
  }

  /** Judges what a definition refers to, in the change that stores it. */
  async function judge(change: Change, call: Call<"environments.create" | "environments.update">): Promise<void> {
    const { resourceGroups, managementEnvironmentId } = call.body;
    if (resourceGroups) await checkGroups(change, call, resourceGroups.map(canonicalGroup));
    if (managementEnvironmentId) await checkManagement(change, call.actor, call.params, managementEnvironmentId);
  }

  async function moveManager(change: Change, from: EnvironmentRef | null, to: EnvironmentRef | null): Promise<void> {
    if (from !== null) await countUse(change, managedBy(environmentName(from)), -1);
    if (to !== null) await countUse(change, managedBy(environmentName(to)), 1);
  }

  function emit(change: Change, type: string, environment: EnvironmentRef, changed: readonly string[] = []): void {
    const about: Target = { kind: "environment", ...environment };
    change.emit({ type, subject: environmentName(environment), about, data: { changed: [...changed] } });
  }

  const handlers: Environments["handlers"] = {
    async "environments.create"(call) {
      const { type, ownerId, shortName } = call.params;
      if (type === "Unknown") {
        throw invalid([{ parameter: "type", code: "Enum", detail: "An environment is Personal or Organizational." }]);
      }
      const id = { type, ownerId, shortName };
      const stored = await records.change(call.cause, async (change) => {
        await judge(change, call);
        const known = await change.get(environments, environmentKey(id));
        const alive = known === null || known.deletedAt !== null ? null : known;
        checkPreconditions(call.preconditions, alive, { creates: true });
        if (alive !== null) throw new LiveplaneError("AlreadyExists", "There is an environment of this name already.");
        const record = newEnvironment(id, call, runtime.newId(), now());
        await moveManager(change, null, record.managementEnvironmentId);
        await countUse(change, environmentsOf(type, ownerId), 1);
        emit(change, known === null ? "environment.created" : "environment.restored", id);
        return change.put(environments, record);
      });
      return { value: toEnvironment(stored), made: true, location: environmentPath(id) };
    },

    async "environments.update"(call) {
      const stored = await records.change(call.cause, async (change) => {
        const known = await requireEnvironment(change, call.params);
        await judge(change, call);
        await checkDefaultProfile(change, known, call.body);
        checkPreconditions(call.preconditions, known);
        const record = updated(known, call, now());
        await moveManager(change, known.managementEnvironmentId, record.managementEnvironmentId);
        emit(change, "environment.updated", known.id, Object.keys(call.body));
        return change.put(environments, record);
      });
      return { value: toEnvironment(stored) };
    },

    async "environments.get"({ params }) {
      return { value: toEnvironment(await requireEnvironment(records, params)) };
    },

    async "environments.list"({ actor, query: { cursor, limit, type, ownerId, resourceGroup } }) {
      const group = resourceGroup === undefined ? undefined : canonicalGroup(resourceGroup);
      const bind = [actorName(actor), "environments.list", type ?? "", ownerId ?? "", group ?? ""];
      const index =
        group === undefined
          ? ({ index: "byShortName" } as const)
          : ({ index: "byGroup", prefix: [group.toLowerCase()] } as const);
      const page = await pages.page<EnvironmentRecord>(
        (range) => records.list(environments, { ...index, ...range }),
        { cursor, limit, bind },
        async ({ id }) =>
          (type ?? id.type) === id.type &&
          (ownerId ?? id.ownerId) === id.ownerId &&
          access.can(actor, { kind: "environment", ...id }, "View"),
      );
      return { value: { ...page, items: page.items.map(toEnvironment) } };
    },

    async "environments.delete"(call) {
      const stored = await records.change(call.cause, async (change) => {
        const known = await requireEnvironment(change, call.params);
        checkPreconditions(call.preconditions, known);
        await refuseInUse(change, known);
        await deps.destroyContents(change, known);
        await moveManager(change, known.managementEnvironmentId, null);
        await countUse(change, environmentsOf(known.id.type, known.id.ownerId), -1);
        emit(change, "environment.deleted", known.id);
        const time = runtime.clock.now();
        return change.put(environments, {
          ...known,
          deletedAt: time,
          updatedAt: new Date(time).toISOString(),
          updatedBy: call.cause.actor,
        });
      });
      return { value: toEnvironment(stored) };
    },
  };

  async function checkDefaultProfile(
    change: Change,
    { incarnation }: EnvironmentRecord,
    { defaultCiCdProfileShortName: name }: EnvironmentUpdate,
  ) {
    if (name == null || (await deps.profileExists(change, incarnation, name))) return;
    throw invalid([
      {
        pointer: "#/defaultCiCdProfileShortName",
        code: "Enum",
        detail: "There is no such CI/CD profile in the environment.",
      },
    ]);
  }

  return {
    handlers,
    async housekeep() {
      const before = runtime.clock.now() - settings.purgeSeconds * 1000;
      for (const { record } of await records.list(environments, { index: "deleted", limit: 200 })) {
        if (record.deletedAt === null || record.deletedAt > before) return;
        await records.change({ actor: "system", requestId: "housekeeping" }, async (change) => {
          const known = await change.get(environments, environmentKey(record.id));
          if (known?.version === record.version) change.delete(environments, environmentKey(record.id));
        });
      }
    },
  };
}

async function refuseInUse(change: Change, { id, initializations }: EnvironmentRecord): Promise<void> {
  const name = environmentName(id);
  if ((await useCount(change, managedBy(name))) > 0)
    throw new LiveplaneError("EnvironmentNotEmpty", "Other environments name it as their management environment.");
  if ((await useCount(change, liveSystemsIn(name))) > 0)
    throw new LiveplaneError("EnvironmentNotEmpty", "It holds live systems. Delete them first.");
  if (environmentStatus(initializations) === "Initializing")
    throw new LiveplaneError("InvalidState", "It is being initialized. Cancel that first.");
}

/** Short names are compared without case, uuids stand in lower case: one group has one string. */
export function canonicalGroup(group: string): string {
  const [type = "", ownerId = "", shortName = ""] = group.split("/");
  return `${type}/${ownerId.toLowerCase()}/${shortName}`;
}

function newEnvironment(
  id: EnvironmentRef,
  { body, cause }: Call<"environments.create">,
  incarnation: string,
  time: string,
): EnvironmentRecord {
  return {
    id,
    incarnation,
    managementEnvironmentId: body.managementEnvironmentId ?? null,
    name: body.name ?? null,
    resourceGroups: (body.resourceGroups ?? []).map(canonicalGroup),
    parameters: (body.parameters ?? {}) as Record<string, Json>,
    defaultCiCdProfileShortName: null,
    initializations: {},
    deletedAt: null,
    createdAt: time,
    createdBy: cause.actor,
    updatedAt: time,
    updatedBy: cause.actor,
  };
}

/** What is left out stays; null clears. */
function updated(
  known: EnvironmentRecord,
  { body, cause }: Call<"environments.update">,
  time: string,
): EnvironmentRecord {
  const { managementEnvironmentId, name, resourceGroups, parameters, defaultCiCdProfileShortName } = body;
  return {
    ...known,
    managementEnvironmentId:
      managementEnvironmentId === undefined ? known.managementEnvironmentId : managementEnvironmentId,
    name: name === undefined ? known.name : name,
    resourceGroups: resourceGroups === undefined ? known.resourceGroups : (resourceGroups ?? []).map(canonicalGroup),
    parameters: parameters === undefined ? known.parameters : ((parameters ?? {}) as Record<string, Json>),
    defaultCiCdProfileShortName:
      defaultCiCdProfileShortName === undefined
        ? known.defaultCiCdProfileShortName
        : (defaultCiCdProfileShortName?.toLowerCase() ?? null),
    updatedAt: time,
    updatedBy: cause.actor,
  };
}
