import type { Actor, EventLog, Logger, OperationId, Runtime, WebhookSender } from "@liveplane/core";
import { type Key, memoryStore, type Store } from "@liveplane/core/store";
import {
  type Call,
  createClaims,
  createEventLog,
  createOverride,
  createPages,
  createRecords,
  createWebhookArea,
  defaultSettings,
  fakeSealer,
  type OverrideArea,
} from "@liveplane/core/testing/internal";
import { type CalledWorld, calledCloud, nextOf, tellWaiting } from "./called-cloud.ts";
import type { Chance } from "./chance.ts";
import { owner, simulatedEnvironments } from "./environments.ts";
import type { JudgeOptions } from "./judge/create-judge.ts";
import type { SentDefinition, StoredComponent } from "./judge/facts.ts";
import { callTimeoutMs, claimMs, judgedWorld, overdueMs } from "./judged-world.ts";
import { leasedScheduler, leaseHolderOf, type SharedRuns } from "./leased-scheduler.ts";
import { type Life, mortalStore, newLife } from "./mortal-ports.ts";
import { unsaidSecret } from "./odd-clouds.ts";
import { type NewPlaces, type SimulatedPlace, type SlownessOf, simulatedPlaces } from "./places.ts";
import type { CloudVariation, SimulationPlan, SlowWrites, StoreFault } from "./plan.ts";
import { simulatedRuntime } from "./simulated-runtime.ts";
import { type Stage, seededStage } from "./stage.ts";
import { checkSeconds } from "./variants.ts";
import { Watch } from "./watch.ts";

/** A process of the control plane: the real agent and services, on ports that end with it. */
export interface SimulatedProcess {
  readonly life: Life;
  readonly override: OverrideArea;
  readonly records: ReturnType<typeof createRecords>;
  readonly log: EventLog;
  /** Calls an operation as a person does. */
  call(id: OperationId, parts: SentByPerson): Promise<unknown>;
}

/** What a person sends with a call. */
export interface SentByPerson {
  readonly params?: object;
  readonly body?: object;
  readonly query?: object;
  /** The account of whoever calls. @default the owner's */
  readonly by?: string;
}

/** Everything in a simulation. */
export interface SimulatedWorld extends CalledWorld {
  readonly stage: Stage;
  readonly chance: Chance;
  readonly store: Store;
  /** Without clock errors, and outliving all processes. */
  readonly runtime: Runtime;
  readonly places: readonly SimulatedPlace[];
  /** By slot; `null` while it is down. */
  readonly processes: (SimulatedProcess | null)[];
  readonly skewMs: number[];
  readonly storeFaults: { what: StoreFault["what"]; times: number }[];
  /** The slowness of the next writes. */
  readonly slowWrites: (Omit<SlowWrites, "times"> & { readonly cloud: number; times: number })[];
  /** Sends events to the receivers of webhooks; `null`: there are none. */
  readonly sender: WebhookSender | null;
  /** What people do right after a process has claimed a component. Each says whether that was it. */
  readonly slips: ((claimed: StoredComponent, slot: number) => boolean)[];
  /** What happens right after records were read. Each says whether that was its moment. */
  readonly peeks: ((keys: readonly Key[]) => boolean)[];
  /** The clouds for which the agent has credentials. */
  readonly credentials: Set<string>;
  /** The runs of shards that processes share under leases. */
  readonly runs: SharedRuns;
  /** The live system, once there is one. */
  liveSystemId: string | null;
}

/** Options of a new world. */
export interface NewWorldOptions extends JudgeOptions {
  readonly newPlaces?: NewPlaces;
  /** @default the seed's */
  readonly stage?: Stage;
  /** Sends events to receivers of webhooks. @default there are none */
  readonly sender?: WebhookSender;
  readonly onStep?: (line: string) => void;
}

/** The stage of a plan's world. */
export function stageOf({ seed }: Pick<SimulationPlan, "seed">): Stage {
  return seededStage(seed ^ 0x5eed);
}

/** Creates a world in which nothing has happened. */
export function newWorld(
  plan: SimulationPlan,
  { newPlaces = simulatedPlaces, stage = stageOf(plan), sender, onStep, ...judging }: NewWorldOptions = {},
): SimulatedWorld {
  const { time, chance } = stage;
  const runtime = simulatedRuntime({ time, chance, skewMs: () => 0, logger: silent });
  const slowWrites: SimulatedWorld["slowWrites"] = [];
  const places = newPlaces(plan.world.clouds, runtime, (provider) => {
    const cloud = places.findIndex((place) => place.provider === provider);
    return slownessOf(
      nextOf(slowWrites, (one) => one.cloud === cloud),
      plan.world.clouds[cloud],
    );
  });
  const runs: SharedRuns = new Map();
  const leaseHolder = (lease: string) => leaseHolderOf(runs, lease, time.now());
  const watch = new Watch({ ...judgedWorld(plan, places, time.now), leaseHolder }, onStep, judging);
  watch.judge.sees({ kind: "secret", name: "password", value: firstSecret });
  for (const { provider, onHand } of places) onHand((change) => watch.sawChange(null, provider, change));
  return {
    plan,
    stage,
    time,
    chance,
    store: memoryStore({ now: runtime.clock.now, values: "frozen" }),
    runtime,
    places,
    watch,
    processes: Array.from({ length: plan.world.processes }, () => null),
    skewMs: Array.from({ length: plan.world.processes }, () => 0),
    cloudFaults: [],
    storeFaults: [],
    slowWrites,
    trails: [],
    crossings: [],
    slips: [],
    peeks: [],
    sender: sender ?? null,
    credentials: new Set(places.map(({ provider }) => provider)),
    madeAt: new Map(),
    runs,
    secret: firstSecret,
    secretAt: 0,
    secretsEver: new Set([firstSecret]),
    isCalm: false,
    liveSystemId: null,
  };
}

/** The initial value of the environment's secret. */
const firstSecret = "hunter-0";

/** Starts a process, or starts it again. */
export async function startProcess(world: SimulatedWorld, slot: number): Promise<void> {
  const { plan, stage, time, chance, watch } = world;
  const leases = plan.world.leases === true;
  const name = `process ${slot} of ${time.now()}`;
  const life = newLife(() => watch.sawDeath(name));
  const passage = { life, time: stage.wireOf(slot), chance };
  const skewMs = () => world.skewMs[slot] ?? 0;
  const runtime = simulatedRuntime({ time, chance, skewMs, logger: loggerOf(life, watch) });
  const store = mortalStore(world.store, passage, {
    faultOf: (commits) => nextOf(world.storeFaults, ({ what }) => commits || what === "fail")?.what ?? null,
    onCommit: (commit, version) => watch.sawCommit(name, commit, version),
    onClaim: (claimed) => tellWaiting(world.slips, claimed, slot),
    onFetch(keys) {
      watch.sawFetch(name, keys);
      tellWaiting(world.peeks, keys);
    },
    onFailure: () => watch.judge.sees({ kind: "hindered", process: name }),
  });
  const clouds = world.places.map((place, cloud) => calledCloud(world, { place, cloud, name, passage, runtime }));
  const log = createEventLog({ store, runtime });
  const services = {
    records: createRecords({ store, runtime, onEvents: () => log.wake() }),
    pages: createPages({ runtime, key: async () => new Uint8Array(32) }),
    runtime,
    settings: {
      ...{ ...defaultSettings, checkSeconds, restoredTag: plan.world.restoredTag },
      ...(plan.world.waits && {
        stepWaitSeconds: plan.world.waits.workingSeconds,
        stepRetrySeconds: plan.world.waits.failingSeconds,
      }),
      ...(plan.world.muted && { overdueHours: [overdueMs / 3_600_000] }),
    },
    access: openAccess,
    scheduler: leases
      ? leasedScheduler({ name, runs: world.runs, runtime, life, chance })
      : stage.schedulerOf(slot, runtime),
    sealer: fakeSealer(),
    claims: createClaims({ runtime, exclusive: plan.world.processes === 1, claimMs }),
  };
  const override = createOverride({
    ...services,
    clouds,
    environments: simulatedEnvironments(world),
    isStoreShared: leases,
    seats: { count: async () => {} },
    digestKey: async () => new Uint8Array(32),
    agent: { callTimeoutMs },
  });
  const webhooks = world.sender && webhooksOf({ ...services, log, sender: world.sender });
  const handlers = { ...override.handlers, ...webhooks?.handlers };
  world.processes[slot] = {
    life,
    override,
    records: services.records,
    log,
    call: (id, parts) => called(id, parts, { handlers, records: services.records, runtime, watch }),
  };
  await override.start();
  await webhooks?.start();
}

/** Everybody may do everything. */
const openAccess = {
  can: async () => true,
  operates: () => false,
  reach: async () => ({ everything: true, owners: [], environment: null }),
  hears: async () => ({ everything: true, owners: [] }),
};

type WebhookDeps = Parameters<typeof createWebhookArea>[0];

/** The webhooks of a person who sees every event. */
function webhooksOf(
  services: Pick<
    WebhookDeps,
    "records" | "pages" | "runtime" | "settings" | "scheduler" | "sealer" | "claims" | "log" | "sender"
  >,
): ReturnType<typeof createWebhookArea> {
  return createWebhookArea({
    ...services,
    access: { ...openAccess, hears: async () => ({ everything: false, owners: [{ type: "Personal", id: owner }] }) },
    accountOf: async () => owner,
    factsOf: async () => null,
    nameOf: async () => null,
    mailOwner: async () => {},
    standing: async () => "acts",
    closedTo: async () => [],
    seesEvent: async () => true,
    scopeOf: async () => null,
  });
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A dead process logs nothing. */
function loggerOf(life: Life, watch: Watch): Logger {
  const hear = (fields: Readonly<Record<string, unknown>>, message: string) => {
    if (!life.isOver()) watch.sawLog(fields, message);
  };
  return { ...silent, warn: hear, error: hear };
}

function slownessOf(
  writes: Omit<SlowWrites, "times"> | null,
  { pollMs, longWords = 0 }: Partial<CloudVariation> = {},
): ReturnType<SlownessOf> {
  if (writes === null) return null;
  const { takesMs, ends, hidden } = writes;
  const fails = {
    code: "OutOfCapacity",
    message: `${"x".repeat(longWords)}There is no room for it with ${unsaidSecret}.`,
  };
  return {
    ...{ takesMs, hidden, ...(ends !== "done" && { fails, marksFailed: ends === "marked" }) },
    ...(pollMs !== undefined && { pollAfterMs: pollMs }),
  };
}

/** Wakes everything that still sleeps in a world, and judges none of it. */
export function endWorld({ watch, time }: Pick<SimulatedWorld, "watch" | "time">): void {
  watch.judge.end();
  time.end();
}

/** Calls an operation, and tells the judge about new declarations. */
function called(
  id: OperationId,
  parts: SentByPerson,
  { runtime, watch, ...services }: CalledServices & Pick<SimulatedWorld, "runtime" | "watch">,
): Promise<unknown> {
  const requestId = runtime.newId();
  if (id === "liveSystems.create" || id === "liveSystems.deploy")
    watch.sawAsked(requestId, parts.body as SentDefinition);
  if (id === "liveSystems.delete") watch.sawAsked(requestId, null);
  return call(services, id, parts, requestId);
}

interface CalledServices {
  readonly handlers: object;
  readonly records: ReturnType<typeof createRecords>;
}

async function call(
  { handlers, records: reader }: CalledServices,
  id: OperationId,
  { params = {}, body = {}, query = {}, by = owner }: SentByPerson,
  requestId: string,
): Promise<unknown> {
  const handler = handlers[id as keyof typeof handlers] as unknown as (call: unknown) => Promise<{ value: unknown }>;
  const person: Actor = { kind: "account", accountId: by };
  const cause = { actor: by, requestId };
  const from = { address: null, userAgent: null, remote: false };
  const rest = { query, credentials: {}, preconditions: {}, cause, from, reader };
  const whole: Omit<Call<OperationId>, "params" | "body"> = { actor: person, ...rest } as never;
  return (await handler({ ...whole, params, body })).value;
}
