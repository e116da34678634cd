import { azureFacts } from "../../src/clouds/facts/azure-facts.ts";
import { googleFacts } from "../../src/clouds/facts/google-facts.ts";
import { type SimulatedCloudOptions, simulatedCloud, simulatedConsole } from "../../src/clouds/index.ts";
import type { Body, Query } from "../../src/contract/api.ts";
import type { Call } from "../../src/contract/handler.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import type { Params } from "../../src/contract/row.ts";
import {
  type Component,
  deployPlan,
  type LiveSystemDefinition,
  type Mutation,
} from "../../src/contract/schemas/live-system-schemas.ts";
import type { Actor, EnvironmentRef } from "../../src/contract/target.ts";
import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../../src/encoding.ts";
import type { EnvironmentDirectory } from "../../src/environment/directory.ts";
import type { Mutations } from "../../src/override/mutations/mutations.ts";
import { type AgentOptions, createOverride, type OverrideArea } from "../../src/override/override-area.ts";
import { resourcesOf } from "../../src/override/records/plan-places.ts";
import type { Cloud, CloudCredentials } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Scheduler } from "../../src/ports/scheduler.ts";
import { SecretValue } from "../../src/ports/secret-value.ts";
import type { Sealer } from "../../src/ports/secrets.ts";
import type { Store } from "../../src/ports/store.ts";
import { createClaims } from "../../src/records/claim.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { catchUp } from "../../src/records/due.ts";
import { createPages } from "../../src/records/pages.ts";
import type { Records } from "../../src/records/records.ts";
import { defaultSettings, type PlanLimits, type Settings } from "../../src/settings.ts";
import { planOwners } from "../../src/tenancy/plan-owners.ts";
import { createSeats } from "../../src/tenancy/plan-usage.ts";
import { subscriptions } from "../../src/tenancy/subscription-record.ts";
import { type FakeRuntime, fakeRuntime } from "../../src/testing/fake-runtime.ts";

const owner = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
export const environmentId: EnvironmentRef = { type: "Personal", ownerId: owner, shortName: "dev" };
export const me: Actor = { kind: "account", accountId: owner };

/** What may be set of the world of a test. */
export interface WorldOptions {
  readonly settings?: Partial<Settings>;
  readonly cloud?: Partial<SimulatedCloudOptions>;
  readonly store?: Store;
  readonly cloudStore?: Store;
  readonly runtime?: FakeRuntime;
  readonly groups?: readonly string[];
  /** Which resource group the environment's resources go to. @default "dev" */
  readonly container?: string;
  readonly resourceScopes?: readonly string[];
  /** The agent's credentials in an environment. @default a workload identity */
  readonly credentialsIn?: (environment: EnvironmentRef) => CloudCredentials;
  readonly scheduler?: Scheduler;
  /** @default one without keys */
  readonly sealer?: Sealer;
  readonly clouds?: (clouds: readonly Cloud[]) => readonly Cloud[];
  readonly agent?: AgentOptions;
  readonly sharedByProcesses?: boolean;
  /** What plans allow, where that is counted. `subscribe` gives the owner of the environment one. */
  readonly plans?: PlanLimits;
  /** Mutations are carried out as soon as they are asked for. @default true */
  readonly follows?: boolean;
}

/** Everything that an override test needs, over memory: two clouds, an environment initialized in both, the agent. */
export function overrideWorld(options: WorldOptions = {}) {
  const runtime = options.runtime ?? fakeRuntime();
  const store = options.store ?? memoryStore({ now: runtime.clock.now });
  const cloudStore = options.cloudStore ?? memoryStore({ now: runtime.clock.now });
  const a = simulatedCloud({ provider: "provider-a", store: cloudStore, runtime, ...options.cloud });
  const b = simulatedCloud({ provider: "provider-b", store: cloudStore, runtime, ...options.cloud });
  const clouds = options.clouds?.([a, b]) ?? [a, b];
  const secrets = new Map<string, string>();
  const uninitialized = new Set<string>();
  const withoutCredentials = new Set<string>();
  const environments = directory({ ...options, secrets, uninitialized, withoutCredentials });
  const metrics = recordingMetrics();
  const records = createRecords({ store, runtime });
  const area = createOverride({
    records,
    pages: createPages({ runtime, key: async () => new Uint8Array(32) }),
    runtime: { ...runtime, metrics },
    settings: {
      ...defaultSettings,
      ...options.settings,
    },
    clouds,
    environments,
    access: {
      can: async () => true,
      operates: () => false,
      reach: async () => ({ everything: true, owners: [], environment: null }),
      hears: async () => ({ everything: true, owners: [] }),
    },
    scheduler: options.scheduler ?? {
      start: async () => ({ request: async () => {}, stop: async () => {} }),
      enqueue: async () => {},
    },
    seats: options.plans
      ? createSeats({ settings: { plans: options.plans, operators: [] }, ...planOwners(resourcesOf) })
      : { count: async () => {} },
    sealer: options.sealer ?? plainSealer,
    digestKey: async () => new Uint8Array(32),
    claims: createClaims({ runtime, exclusive: options.sharedByProcesses !== true }),
    isStoreShared: options.sharedByProcesses === true,
    ...(options.agent && { agent: options.agent }),
  });
  const override = { ...area, mutations: toTheEnd(area.mutations, runtime) };
  const consoles = { "provider-a": simulatedConsole(a), "provider-b": simulatedConsole(b) };
  const world = {
    runtime,
    store,
    cloudStore,
    records,
    override,
    consoles,
    secrets,
    uninitialized,
    withoutCredentials,
    metrics,
    clouds: { a, b },
  };
  /** What was told, or what was told of one type. */
  const events = async (type?: string) =>
    (await eventsIn(store)).filter((event) => type === undefined || event.type === type);
  return { ...world, ...operations(override, { records, runtime }, options.follows ?? true), events };
}

export type World = ReturnType<typeof overrideWorld>;

/** Mutations that are gone on with until nothing is left of them, as a scheduler does that calls them again when they say. */
function toTheEnd(mutations: Mutations, { clock }: FakeRuntime): Mutations {
  return {
    ...mutations,
    async advance(id, lease) {
      for (
        let afterMs = await mutations.advance(id, lease);
        afterMs !== null;
        afterMs = await mutations.advance(id, lease)
      )
        await clock.sleep(afterMs, lease && { signal: lease.signal });
      return null;
    },
  };
}

function operations(
  override: OverrideArea,
  { records, runtime }: { readonly records: Records; readonly runtime: FakeRuntime },
  follows: boolean,
) {
  const call = async <Id extends keyof OverrideArea["handlers"] & OperationId>(
    id: Id,
    parts: {
      params?: Params<Id> | object;
      body?: Body<Id> | unknown;
      query?: Query<Id> | object;
      actor?: Actor;
      ifMatch?: string;
    } = {},
  ) => {
    const actor = parts.actor ?? me;
    const handler = override.handlers[id] as (call: Call<Id>) => Promise<{ value: unknown }>;
    const preconditions = parts.ifMatch === undefined ? {} : { ifMatch: [parts.ifMatch] };
    const cause = { actor: owner, requestId: runtime.newId() };
    const from = { address: null, userAgent: null, remote: false };
    const whole = {
      actor,
      params: parts.params ?? {},
      body: parts.body ?? {},
      query: parts.query ?? {},
      credentials: {},
      preconditions,
      reader: records,
      cause,
      from,
    };
    return (await handler(whole as unknown as Call<Id>)).value;
  };
  const finish = async (begun: Mutation): Promise<Mutation> => {
    if (!follows) return begun;
    await override.mutations.advance(begun.livesystemId);
    await override.agent.idle();
    return mutation(begun);
  };
  const mutation = async ({ livesystemId: id, id: mutationId }: Mutation) =>
    (await call("liveSystems.mutations.get", { params: { id, mutationId } })) as Mutation;
  return {
    call,
    mutation,
    create: async (definition: LiveSystemDefinition) =>
      finish((await call("liveSystems.create", { body: definition })) as Mutation),
    deploy: async (id: string, definition: LiveSystemDefinition) =>
      finish((await call("liveSystems.deploy", { params: { id }, body: definition })) as Mutation),
    plan: async (id: string, body: LiveSystemDefinition) =>
      deployPlan.parse(await call("liveSystems.planDeploy", { params: { id }, body })),
    remove: async (id: string) => finish((await call("liveSystems.delete", { params: { id } })) as Mutation),
    component: async (componentId: string) =>
      (await call("liveSystems.components.get", {
        params: { id: componentId.slice(0, 36), componentId },
      })) as Component,
    check: async (componentId: string) => {
      const answer = await call("liveSystems.components.check", {
        params: { id: componentId.slice(0, 36), componentId },
      });
      return answer as {
        component: Component;
        acknowledgement: {
          managementTag: boolean | null;
          writesInFlight: number;
          lastWriteAt: string | null;
          observedAt: string | null;
        };
      };
    },
    /** One round of keeping house, and of what falls due. */
    async housekeep() {
      for (const work of override.due) await catchUp({ runtime, signal: new AbortController().signal }, work);
      await override.housekeep();
    },
    /** Lets time pass while something is under way. */
    passing: runtime.during,
    /** One whole cycle of the agent, and what follows of itself. */
    cycle: () => runtime.during(cycle(override)),
    /** So many of them, each when it is due. */
    async cycles(count: number) {
      for (let at = 0; at < count; at++) {
        await runtime.advance(180_000);
        await runtime.during(cycle(override));
      }
    },
  };
}

async function cycle({ agent }: OverrideArea): Promise<void> {
  for (const shard of await agent.shards()) await agent.sweepShard(shard);
  await agent.idle();
}

interface DirectoryState {
  readonly secrets: ReadonlyMap<string, string>;
  readonly uninitialized: ReadonlySet<string>;
  readonly withoutCredentials: ReadonlySet<string>;
  readonly groups?: readonly string[];
  readonly container?: string;
  readonly resourceScopes?: readonly string[];
  readonly credentialsIn?: (environment: EnvironmentRef) => CloudCredentials;
}

const workload: CloudCredentials = { kind: "workload", name: null, secret: null };

const scopes: Readonly<Record<string, string>> = {
  "provider-a": "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
  "provider-b": "project-one",
};

function directory(state: DirectoryState): EnvironmentDirectory {
  const { secrets, uninitialized, withoutCredentials, groups = [], container = "dev", resourceScopes = [] } = state;
  return {
    groups: async ({ shortName }) => (shortName === "gone" ? null : groups),
    secretVersion: async (_environment, name) => (secrets.has(name) ? 1 : null),
    openSecret: async (_environment, name) => (secrets.has(name) ? new SecretValue(secrets.get(name) ?? "") : null),
    initialized: async () => new Set(),
    targets: async (_environment, provider) => {
      const region = "westeurope";
      const own = { scope: scopes[provider] ?? "s", region, container };
      const others = resourceScopes.flatMap((id) => {
        const { id: _, ...place } = (provider === "provider-a" ? azureFacts : googleFacts).parseScope(id) ?? {};
        return "scope" in place ? [{ region, ...place }] : [];
      });
      return uninitialized.has(provider) ? [] : [own, ...others];
    },
    agentCredentials: async (environment, provider) =>
      withoutCredentials.has(provider) ? null : (state.credentialsIn?.(environment) ?? workload),
  };
}

/** A fake stands only at a port: this one opens what it sealed, in the same place alone. */
const plainSealer: Sealer = {
  seal: async (plaintext, place) => ({
    algorithm: "none",
    keyId: "k",
    wrappedKey: place.join("\n"),
    nonce: "",
    ciphertext: toBase64Url(utf8([...fromUtf8(plaintext)].reverse().join(""))),
    tag: "",
  }),
  open: async (sealed, place) => {
    if (sealed.wrappedKey !== place.join("\n")) throw new Error("another place");
    return utf8([...fromUtf8(fromBase64Url(sealed.ciphertext) ?? new Uint8Array())].reverse().join(""));
  },
  rewrap: async () => null,
  currentKeyId: async () => "k",
};

function recordingMetrics() {
  const counts = new Map<string, number>();
  const gauges = new Map<string, number>();
  const name = (metric: string, labels: object = {}) => `${metric}${JSON.stringify(labels)}`;
  return {
    counts,
    gauges,
    count: (metric: string, labels?: object, by = 1) =>
      void counts.set(name(metric, labels), (counts.get(name(metric, labels)) ?? 0) + by),
    gauge: (metric: string, value: number, labels?: object) => void gauges.set(name(metric, labels), value),
    observe: (metric: string, seconds: number, labels?: object) => void gauges.set(name(metric, labels), seconds),
  };
}

/** Gives the owner of the environment a subscription; one of Enterprise may say how much it has places for. */
export async function subscribe(
  { records }: Pick<World, "records">,
  places?: { maxNumberOfLiveSystems: number; maxNumberOfComponents: number },
) {
  const at = new Date(0).toISOString();
  const stamps = { createdAt: at, createdBy: owner, updatedAt: at, updatedBy: owner };
  const expirationDate = "2100-01-01T00:00:00Z";
  await records.change({ actor: "test", requestId: "test" }, (change) => {
    change.put(subscriptions, {
      id: "plan",
      accountId: owner,
      subscriptionType: places ? "Enterprise" : "Discover",
      workgroupSubscriptionDetails: null,
      enterpriseSubscriptionDetails: places
        ? { maxNumberOfAccounts: 1, maxNumberOfOrganizations: 1, expirationDate, ...places }
        : null,
      ...stamps,
    });
  });
}

/** The events that a store holds, in order. */
export async function eventsIn(
  store: Store,
): Promise<{ type: string; subject: string; requestId: string; data: Record<string, never> }[]> {
  const entries = await store.list({ prefix: ["event"], limit: 10_000 });
  return entries.map(({ value }) => value as never);
}
