import type { Actor, EventLog, Logger, OperationId, Runtime, WebhookSender } from "@liveplane/core";
import type { CloudCredentials } from "@liveplane/core/clouds";
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
import type { Chance } from "./chance.ts";
import { owner, simulatedEnvironments } from "./environments.ts";
import type { JudgeOptions } from "./judge/create-judge.ts";
import type { Landed, ResourceChanged, SentDefinition, StoredComponent } from "./judge/facts.ts";
import { callTimeoutMs, claimMs, judgedWorld, overdueMs } from "./judged-world.ts";
import { leasedScheduler, leaseHolderOf, type SharedRuns } from "./leased-scheduler.ts";
import { type Life, lateCloud, mortalCloud, mortalStore, newLife, type SentWrite } from "./mortal-ports.ts";
import { sayingCloud, toldCloud, unsaidSecret } from "./odd-clouds.ts";
import { type NewPlaces, type SimulatedPlace, type SlownessOf, simulatedPlaces } from "./places.ts";
import type { CloudFault, SimulationPlan, SlowWrites, StoreFault } from "./plan.ts";
import { simulatedRuntime } from "./simulated-runtime.ts";
import { type Stage, seededStage } from "./stage.ts";
import { checkSeconds } from "./variants.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { Watch } from "./watch.ts";

const person: Actor = { kind: "account", accountId: owner };

/** A process of the control plane: the real agent and services, on ports that end with it. */
export interface SimulatedProcess {
  readonly life: Life;
  readonly override: OverrideArea;
  readonly log: EventLog;
  /** Calls an operation as a person does. */
  call(id: OperationId, parts: CallParts): Promise<unknown>;
}

/** What a person sends with a call. */
interface CallParts {
  readonly params?: object;
  readonly body?: object;
  readonly query?: object;
}

/** Everything in a simulation. */
export interface SimulatedWorld {
  readonly plan: SimulationPlan;
  readonly stage: Stage;
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly store: Store;
  /** Without clock errors, and outliving all processes. */
  readonly runtime: Runtime;
  readonly places: readonly SimulatedPlace[];
  readonly watch: Watch;
  /** By slot; `null` while it is down. */
  readonly processes: (SimulatedProcess | null)[];
  readonly skewMs: number[];
  /** The faults of the next calls. */
  readonly cloudFaults: { readonly cloud: number; readonly call: string; what: CloudFault["what"]; times: number }[];
  readonly storeFaults: { what: StoreFault["what"]; times: number }[];
  /** The slowness of the next writes. */
  readonly slowWrites: (Omit<SlowWrites, "times"> & { readonly cloud: number; times: number })[];
  /** What people do right after a process's next change of a resource. Each says whether that was it. */
  readonly trails: ((change: ResourceChanged, provider: string) => boolean)[];
  /** Sends events to the receivers of webhooks; `null`: there are none. */
  readonly sender: WebhookSender | null;
  /** What people do right after a process has sent a write. Each says whether that was it. */
  readonly crossings: ((cloud: number, sent: SentWrite) => boolean)[];
  /** What people do right after a process has claimed a component. Each says whether that was it. */
  readonly slips: ((claimed: StoredComponent, slot: number) => boolean)[];
  /** What happens right after records were read. Each says whether that was its moment. */
  readonly peeks: ((keys: readonly Key[]) => boolean)[];
  /** The clouds for which the agent has credentials. */
  readonly credentials: Set<string>;
  /** When a process created each resource. */
  readonly madeAt: Map<string, number>;
  /** The runs of shards that processes share under leases. */
  readonly runs: SharedRuns;
  /** The value of the environment's secret; `null` if there is none. */
  secret: string | null;
  /** When that value was set, or a declaration began to use it or stopped. */
  secretAt: number;
  /** Nothing fails any more. */
  isCalm: boolean;
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
      plan.world.clouds[cloud]?.pollMs,
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
    isCalm: false,
    liveSystemId: null,
  };
}

/** The initial value of the environment's secret. */
const firstSecret = "hunter-0";

/** Until a new secret has been read by everybody, no cloud repeats it. */
const knownMs = 60_000;

/** Who reaches which cloud, and through what. */
interface CallerOf {
  readonly place: SimulatedPlace;
  readonly cloud: number;
  readonly name: string;
  readonly passage: Parameters<typeof mortalCloud>[1];
  readonly runtime: Parameters<SimulatedPlace["open"]>[0]["runtime"];
}

/** A cloud as a process reaches it. */
function cloudOf(
  world: SimulatedWorld,
  { place, cloud, name, passage, runtime }: CallerOf,
): ReturnType<typeof mortalCloud> {
  const { plan, time, watch } = world;
  let lastMade = "";
  const onChange = (change: ResourceChanged) => {
    if (change.before === null) lastMade = change.resourceId.toLowerCase();
    watch.sawChange(name, place.provider, change);
    const followed = world.trails.findIndex((trail) => trail(change, place.provider));
    if (followed !== -1) world.trails.splice(followed, 1);
  };
  const { lateMs = 0, hidesFailed } = plan.world.clouds[cloud] ?? {};
  const isLate = (id: string) => (world.madeAt.get(id.toLowerCase()) ?? -lateMs) + lateMs > time.now();
  const onLanding = (change: Landed) => {
    // What nobody has seen while it was being made may appear late. Once the world is calm, it did so long before somebody looked.
    if (change.wasHidden && !change.failed && !world.isCalm)
      world.madeAt.set(change.resourceId.toLowerCase(), time.now());
    watch.sawLanding(place.provider, change);
  };
  const sayings = {
    secret: (type: string) =>
      type === place.types.app && time.now() > world.secretAt + knownMs && isSecretUsed(world) ? world.secret : null,
    isShy: () => hidesFailed === true && !world.isCalm,
  };
  const behindOf = (sent: SentWrite) => {
    const straggler = watch.sawStraggling(name, place.provider, sent);
    return place.open({ runtime, onChange: (change) => onChange({ ...change, straggler }), onLanding });
  };
  const opened = sayingCloud(place.open({ runtime, onChange, onLanding }), sayings);
  const onCall = (names: readonly string[], { secret }: CloudCredentials) =>
    watch.judge.sees({
      kind: "called",
      process: name,
      provider: place.provider,
      names,
      key: secret?.reveal() ?? null,
    });
  const told = plan.world.neighbours ? toldCloud(lateCloud(opened, isLate), onCall) : lateCloud(opened, isLate);
  return mortalCloud(told, passage, {
    behindOf,
    faultOf: (call) => nextOf(world.cloudFaults, (one) => one.cloud === cloud && one.call === call)?.what ?? null,
    onAsk: (resourceId) => watch.judge.sees({ kind: "asks", process: name, name: resourceId }),
    onEnd: (resourceId) => watch.judge.sees({ kind: "followed", process: name, name: resourceId }),
    onReading: (resourceId, reading) => watch.sawReading(name, resourceId, reading),
    onSent(sent) {
      watch.sawSent(name, place.provider, sent);
      const crossed = world.crossings.findIndex((crossing) => crossing(cloud, sent));
      if (crossed !== -1) world.crossings.splice(crossed, 1);
    },
    onAnswer({ operation, resourceId, became, isLost }) {
      // A process that doesn't know of the creation has no reason to wait.
      if (operation === "create" && became !== null) world.madeAt.set(lastMade, time.now());
      watch.sawAnswer(name, { provider: place.provider, resourceId, made: became === "made", isLost });
    },
  });
}

/** Whether every app is declared with the secret, so that a cloud was sent no other password. */
export function isSecretUsed({ watch: { judge } }: Pick<SimulatedWorld, "watch">): boolean {
  const { declarations } = judge.evidence;
  const declared = judge.evidence.components().map((one) => declarations.last(one.liveSystemId, one.path));
  return declared.every((one) => typeof one?.parameters?.password !== "string");
}

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
    onClaim(claimed) {
      const slipped = world.slips.findIndex((slip) => slip(claimed, slot));
      if (slipped !== -1) world.slips.splice(slipped, 1);
    },
    onFetch(keys) {
      watch.sawFetch(name, keys);
      const peeked = world.peeks.findIndex((peek) => peek(keys));
      if (peeked !== -1) world.peeks.splice(peeked, 1);
    },
    onFailure: () => watch.judge.sees({ kind: "hindered", process: name }),
  });
  const clouds = world.places.map((place, cloud) => cloudOf(world, { place, cloud, name, passage, runtime }));
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

/** The first match, once for each of its remaining times. */
function nextOf<F extends { times: number }>(waiting: F[], fits: (one: F) => boolean): F | null {
  const at = waiting.findIndex(fits);
  const one = waiting[at];
  if (one === undefined) return null;
  one.times -= 1;
  if (one.times === 0) waiting.splice(at, 1);
  return one;
}

function slownessOf(writes: Omit<SlowWrites, "times"> | null, pollMs?: number): ReturnType<SlownessOf> {
  if (writes === null) return null;
  const { takesMs, ends, hidden } = writes;
  const fails = { code: "OutOfCapacity", message: `There is no room for it with ${unsaidSecret}.` };
  return {
    ...{ takesMs, hidden, ...(ends !== "done" && { fails, marksFailed: ends === "marked" }) },
    ...(pollMs !== undefined && { pollAfterMs: pollMs }),
  };
}

/** Calls an operation, and tells the judge about new declarations. */
function called(
  id: OperationId,
  parts: CallParts,
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
  { params = {}, body = {}, query = {} }: CallParts,
  requestId: string,
): Promise<unknown> {
  const handler = handlers[id as keyof typeof handlers] as unknown as (call: unknown) => Promise<{ value: unknown }>;
  const cause = { actor: owner, requestId };
  const from = { address: null, userAgent: null, remote: false };
  const rest = { query, credentials: {}, preconditions: {}, cause, from, reader };
  const whole: Omit<Call<OperationId>, "params" | "body"> = { actor: person, ...rest } as never;
  return (await handler({ ...whole, params, body })).value;
}
