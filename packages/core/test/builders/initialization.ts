import { simulatedCloud, simulatedConsole } from "../../src/clouds/index.ts";
import type { Call } from "../../src/contract/handler.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import { type Actor, actorName, type EnvironmentRef } from "../../src/contract/target.ts";
import { type EnvironmentRecord, environments, findEnvironment } from "../../src/environment/environment-record.ts";
import { createEnvironmentClouds } from "../../src/environment/initialization/environment-clouds.ts";
import { isLiveplaneError, type LiveplaneError } from "../../src/errors.ts";
import type { CloudTarget } from "../../src/ports/cloud.ts";
import type { DeviceAuthorizer } from "../../src/ports/identity.ts";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Runtime } from "../../src/ports/runtime.ts";
import type { Lease, Scheduler, ShardedTask } from "../../src/ports/scheduler.ts";
import type { Json, Store } from "../../src/ports/store.ts";
import { createClaims } from "../../src/records/claim.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { createPages } from "../../src/records/pages.ts";
import { type Clouds, defaultSettings } from "../../src/settings.ts";
import { type FakeRuntime, fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";

export const environment: EnvironmentRef = {
  type: "Personal",
  ownerId: "8c5e4b1a-0000-4000-8000-000000000001",
  shortName: "dev",
};
export const alice: Actor = { kind: "account", accountId: "8c5e4b1a-0000-4000-8000-000000000001", sessionId: "s" };
export const bob: Actor = { kind: "account", accountId: "8c5e4b1a-0000-4000-8000-000000000002" };
export const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
export const goodA = { providerAClientId: "client", providerAClientSecret: "canary-client-secret" };
export const goodB = {
  providerBServiceAccountEmail: "a@b.c",
  providerBServiceAccountCredentials: '{"project_id":"p","private_key":"canary-key"}',
};

const forGood: Lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

export interface WorldOptions<R extends Runtime = FakeRuntime> {
  readonly store?: Store;
  readonly runtime?: R;
  readonly retainCredentials?: boolean;
  readonly hostIdentityFor?: NonNullable<Clouds["hostIdentityFor"]>;
  readonly alone?: boolean;
  /** @default one that nobody has started */
  readonly scheduler?: Scheduler;
  readonly authorizer?: DeviceAuthorizer;
  readonly canEdit?: (actor: Actor) => boolean;
  readonly parameters?: Readonly<Record<string, Json>>;
  /** Notes for which subscriptions and projects a cloud is asked for its places. */
  readonly asked?: string[];
}

/** The parts of the environment area that act in clouds, over simulated ones. */
export async function initializationWorld<R extends Runtime = FakeRuntime>(options: WorldOptions<R> = {}) {
  const {
    runtime = fakeRuntime() as Runtime as R,
    retainCredentials = false,
    alone = true,
    canEdit = () => true,
  } = options;
  const store = options.store ?? memoryStore({ now: runtime.clock.now });
  const records = createRecords({ store, runtime });
  const sealer = fakeSealer();
  const clouds = {
    "provider-a": simulatedCloud({ provider: "provider-a", store, runtime }),
    "provider-b": simulatedCloud({ provider: "provider-b", store, runtime }),
  };
  const rights: { refusal: (target: CloudTarget) => LiveplaneError | null } = { refusal: () => null };
  const inClouds = createEnvironmentClouds({
    records,
    runtime,
    sealer,
    claims: createClaims({ runtime, exclusive: alone }),
    scheduler: options.scheduler ?? intervalScheduler({ runtime }),
    pages: createPages({ runtime, key: async () => new Uint8Array(32) }),
    access: {
      can: async (actor) => canEdit(actor),
      operates: () => false,
      reach: async () => ({ everything: true, owners: [], environment: null }),
      hears: async () => ({ everything: true, owners: [] }),
    },
    settings: { ...defaultSettings, locationCacheSeconds: options.asked === undefined ? 3600 : 0 },
    clouds: {
      adapters: Object.values(clouds).map((cloud) => ({
        ...cloud,
        locations(scope, ...rest) {
          options.asked?.push(scope);
          return cloud.locations(scope, ...rest);
        },
        async missingRights(_, target) {
          const refusal = rights.refusal(target);
          if (refusal !== null) throw refusal;
          return [];
        },
      })),
      deviceAuthorizers: { "provider-a": options.authorizer ?? clouds["provider-a"].devices },
      retainProviderCredentials: retainCredentials,
      ...(options.hostIdentityFor && { hostIdentityFor: options.hostIdentityFor }),
    },
  });
  const [runsTask, pollTask] = inClouds.tasks;
  /** Each run of a task's shards, under a lease that never ends. */
  const turnsOf = async (task: ShardedTask | undefined) =>
    (await task?.shards())?.map((shard) => task?.run(shard, forGood));
  await records.change({ actor: "test", requestId: "r" }, async (change) => {
    if ((await findEnvironment(change, environment)) !== null) return;
    change.put(environments, environmentRecord(options.parameters ?? {}));
  });
  return {
    store,
    runtime,
    records,
    sealer,
    clouds,
    ...inClouds,
    /** Decides from now on what the cloud says of rights in a target. */
    refuseRights(refusal: typeof rights.refusal) {
      rights.refusal = refusal;
    },
    /** Goes on with each run that is under way and free. */
    async resume() {
      await turnsOf(runsTask);
    },
    /** The same, to the end. */
    async carryOn() {
      await Promise.all((await turnsOf(runsTask)) ?? []);
    },
    /** Asks how the authentications that are due stand. */
    async pollDue() {
      await Promise.all((await turnsOf(pollTask)) ?? []);
    },
    consoles: { a: simulatedConsole(clouds["provider-a"]), b: simulatedConsole(clouds["provider-b"]) },
    /** Every value in the store, as text. */
    async everything() {
      const roots = ["record", "index", "unique", "event", "events", "simulated-cloud"];
      const entries = await Promise.all(roots.map((root) => store.list({ prefix: [root], limit: 10_000 })));
      return JSON.stringify(entries);
    },
    async events(type?: string) {
      const found: { type: string; data: Readonly<Record<string, Json>> }[] = [];
      for (const root of ["event", "events"]) {
        for (const { value } of await store.list({ prefix: [root], limit: 10_000 })) found.push(...eventsIn(value));
      }
      return type === undefined ? found : found.filter((event) => event.type === type);
    },
  };
}

function environmentRecord(parameters: EnvironmentRecord["parameters"]): EnvironmentRecord {
  return {
    id: environment,
    incarnation: "first",
    managementEnvironmentId: null,
    name: null,
    resourceGroups: [],
    parameters,
    resourceScopes: [],
    defaultCiCdProfileShortName: null,
    initializations: {},
    deletedAt: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    createdBy: environment.ownerId,
    updatedAt: "2026-01-01T00:00:00.000Z",
    updatedBy: environment.ownerId,
  };
}

/** A call of an operation, with what a test doesn't care about filled in. */
export function callOf<Id extends OperationId>(
  _id: Id,
  parts: { actor?: Actor; params?: object; query?: object; body?: object; credentials?: object } = {},
): Call<Id> {
  const { actor = alice, params = {}, query = {}, body = {}, credentials = {} } = parts;
  return {
    actor,
    params: { ...environment, ...params },
    query,
    body,
    credentials,
    preconditions: {},
    cause: { actor: actorName(actor), requestId: "request-1" },
    from: { address: null, userAgent: null, remote: false },
  } as unknown as Call<Id>;
}

function eventsIn(value: Json): { type: string; data: Readonly<Record<string, Json>> }[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === "object" && one !== null && "type" in one) as never;
}

/** The parts that act in clouds, with what a person does with cloud A written short. */
export async function personsWorld(options: WorldOptions = {}) {
  const made = await initializationWorld(options);
  const { handlers, runtime, settled } = made;
  const operation = "environments.providerA";
  const start = async (body: object = { subscriptionId }, credentials: object = goodA) =>
    (await handlers[`${operation}.initialize`](callOf(`${operation}.initialize`, { body, credentials }))).value;
  const status = async () =>
    (await handlers[`${operation}.status`](callOf(`${operation}.status`))).value.initializationRun;
  const cancel = async () => (await handlers[`${operation}.cancel`](callOf(`${operation}.cancel`))).value;
  const done = async () => {
    await runtime.advance(60_000);
    await settled();
    return status();
  };
  return { ...made, start, status, cancel, done };
}

/** What is refused, by its code and the places that are wrong; another fault as it is. */
export async function refusalOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isLiveplaneError(error)) return error;
  return { code: error.code, errors: error.details.errors?.map(({ detail: _, ...entry }) => entry) };
}
