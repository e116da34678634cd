import type { Access, Containers } from "./access/access.ts";
import { handlersLater } from "./contract/handlers-later.ts";
import { loadedOnce } from "./contract/loaded-once.ts";
import type { EnvironmentRef } from "./contract/target.ts";
import type { EnvironmentDirectory } from "./environment/directory.ts";
import { sealedStock } from "./keys/rotation.ts";
import { Agent } from "./override/agent/agent.ts";
import type { AgentDeps } from "./override/agent/agent-deps.ts";
import { type CloudCallOptions, createCloudCalls } from "./override/agent/cloud-calls.ts";
import { sealedOutputs } from "./override/agent/expectations.ts";
import { declaredGroupPath, plainName } from "./override/declarations/definition.ts";
import { createMutations, type Mutations } from "./override/mutations/mutations.ts";
import type { KnownComponent } from "./override/operations/component-facts.ts";
import { keepHistories } from "./override/operations/history-pass.ts";
import type { LiveSystemHandlers, LiveSystemHandlersDeps } from "./override/operations/live-system-handlers.ts";
import { dueLiveSystems } from "./override/operations/purge.ts";
import { createLiveSystemHoldings, type LiveSystemHoldings } from "./override/operations/release.ts";
import type { EpisodeLimits } from "./override/records/episode-history.ts";
import type { HistoryLimits } from "./override/records/history.ts";
import { createDeclarations } from "./override/records/in-force.ts";
import { liveSystems } from "./override/records/live-system-record.ts";
import { type PlanPlaces, resourcesOf } from "./override/records/plan-places.ts";
import type { Cloud } from "./ports/cloud.ts";
import type { Runtime } from "./ports/runtime.ts";
import type { Lease, RunningTask, Scheduler } from "./ports/scheduler.ts";
import type { SealedStock, Sealer } from "./ports/secrets.ts";
import type { Claims } from "./records/claim.ts";
import type { DueWork } from "./records/due.ts";
import type { Pages } from "./records/pages.ts";
import type { Records } from "./records/records.ts";
import { createRests } from "./records/rest.ts";
import type { Settings } from "./settings.ts";
import type { CountResources } from "./tenancy/plan-owners.ts";

/** What the override protocol needs from outside. */
export interface OverrideDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly settings: Pick<
    Settings,
    "checkSeconds" | "stepWaitSeconds" | "stepRetrySeconds" | "restoredTag" | "overdueHours" | "purgeSeconds"
  > &
    HistoryLimits &
    EpisodeLimits;
  readonly clouds: readonly Cloud[];
  readonly environments: EnvironmentDirectory;
  readonly access: Pick<Access, "can" | "operates" | "reach">;
  /** Counts live systems and components in the plan of their environment's owner. */
  readonly seats: PlanPlaces;
  readonly scheduler: Scheduler;
  readonly sealer: Sealer;
  /** A key of the installation, for digests of what must not be kept. */
  readonly digestKey: () => Promise<Uint8Array>;
  readonly claims: Claims;
  /** Other processes may have the same store. @default false */
  readonly isStoreShared?: boolean;
  readonly agent?: AgentOptions;
}

/** How the agent goes about its work. */
export interface AgentOptions extends CloudCallOptions {
  /** A cloud write under a lease that ends takes no longer, and none begins closer to its end. @default half of a lease, 30000 at most */
  readonly callTimeoutMs?: number;
}

/** The override protocol: its operations, its agent, and what other areas ask of it. */
export interface OverrideArea {
  readonly handlers: LiveSystemHandlers;
  readonly agent: Agent;
  readonly mutations: Mutations;
  /** The containers of a live system; also of one that is deleted, whose history stays readable. */
  liveSystemScope(id: string): Promise<(Containers & { readonly environment: EnvironmentRef }) | null>;
  /** What is known of a component; `null`: nothing any more. */
  knownComponent(componentId: string): Promise<KnownComponent | null>;
  /** The ids of the live systems in a resource group (`Type/ownerId/shortName`), in order of creation. */
  liveSystemsOf(group: string): Promise<string[]>;
  /** What the areas beside it do with the live systems of an owner who goes. */
  readonly holdings: LiveSystemHoldings;
  /** Counts the live systems and components that an owner has, one by one. */
  resourcesOf: CountResources;
  /** Starts the sweep and the mutations. */
  start(): Promise<void>;
  /** Begins nothing more and waits for what is under way. */
  stop(): Promise<void>;
  /** What falls due with time. */
  readonly due: readonly DueWork[];
  /** Drops what is too much of histories. */
  housekeep(): Promise<void>;
  /** What it keeps sealed. */
  readonly sealed: readonly SealedStock[];
}

/** How often open mutations are looked for that nobody announced: those of a crash, and of other processes. */
const mutationPollMs = 5_000;

/** A write is let take so long at most, where its lease ends. */
const longestWriteMs = 30_000;

/** How often writes are looked for that a cloud has accepted and may be asked after: it says itself how long to wait. */
const followPollMs = 5_000;

/** Builds the override protocol. */
export function createOverride(deps: OverrideDeps): OverrideArea {
  const agentDeps = agentDepsOf(deps);
  const agent = new Agent(agentDeps);
  const mutationWork = createMutations({ agent, deps: agentDeps });
  const tasks = createTasks(deps, { agent, mutations: mutationWork });
  // Only webhooks ask for them, and most hosts have none.
  const facts = loadedOnce("A part of the service", () => import("./override/operations/component-facts.ts"));
  const { records, pages, access } = deps;
  return {
    agent,
    mutations: mutationWork,
    handlers: handlersOf({ ...agentDeps, settings: deps.settings, pages, access, agent, wake: tasks.wake }),
    holdings: createLiveSystemHoldings({ ...deps, declarations: agentDeps.declarations }),
    liveSystemScope: (id) => scopeOf(id, deps),
    knownComponent: async (componentId) => (await facts()).knownComponent(agentDeps, componentId),
    async liveSystemsOf(group) {
      const listed = await records.list(liveSystems, { index: "inGroup", prefix: [plainName(group)], limit: 1000 });
      return listed.map(({ record }) => record.id);
    },
    resourcesOf,
    start: tasks.start,
    async stop() {
      await tasks.stop();
      await agent.stop();
      await mutationWork.settled();
    },
    due: [dueLiveSystems(deps)],
    housekeep: () => keepHistories(deps),
    sealed: [sealedStock(deps, sealedOutputs)],
  };
}

/** The operations on live systems; they load when somebody asks for one. */
function handlersOf(deps: LiveSystemHandlersDeps): LiveSystemHandlers {
  return handlersLater({ under: ["liveSystems", "overrides"] }, async () => {
    const { createLiveSystemHandlers } = await import("./override/operations/live-system-handlers.ts");
    return createLiveSystemHandlers(deps);
  });
}

function agentDepsOf(deps: OverrideDeps): AgentDeps {
  const { records, environments, sealer, runtime, digestKey, settings, agent = {} } = deps;
  const { leaseMs = Number.POSITIVE_INFINITY } = deps.scheduler;
  const { callTimeoutMs = Math.min(longestWriteMs, leaseMs / 2), ...pacing } = agent;
  const clouds = new Map(deps.clouds.map((cloud) => [cloud.provider, cloud]));
  return {
    records,
    declarations: createDeclarations({ records, clouds }),
    environments,
    sealer,
    runtime,
    digestKey,
    settings,
    clouds,
    rests: createRests(deps.runtime),
    seats: deps.seats,
    calls: createCloudCalls(runtime, pacing),
    claims: deps.claims,
    callTimeoutMs,
    sharing: { store: deps.isStoreShared === true, work: deps.scheduler.leaseMs !== undefined },
  };
}

interface Work {
  readonly agent: Agent;
  readonly mutations: Mutations;
}

function createTasks({ scheduler, settings, runtime }: OverrideDeps, { agent, mutations: work }: Work) {
  const { clock } = runtime;
  /** Until when what waits for a cloud is let be: a job comes then, and none sooner unless somebody asks. */
  const resting = new Map<string, number>();
  let running: Readonly<Record<"sweep" | "mutations" | "operations", RunningTask>> | null = null;
  const everyMs = settings.checkSeconds * 1000;
  return {
    wake(liveSystemId: string): void {
      scheduler.enqueue({ task: "mutations", shard: liveSystemId }).catch((error: unknown) => {
        runtime.logger.warn({ liveSystemId, error }, "A mutation could not be queued; the next sweep finds it.");
      });
    },
    async start(): Promise<void> {
      if (running !== null) return;
      const shards = async () => (await work.open()).filter((id) => (resting.get(id) ?? 0) <= clock.monotonic());
      const run = async (id: string, lease: Lease) => {
        resting.delete(id);
        const afterMs = await work.advance(id, lease);
        if (afterMs === null) return;
        await scheduler.enqueue({ task: "mutations", shard: id, afterMs });
        resting.set(id, clock.monotonic() + afterMs);
      };
      const mutationTask = await scheduler.start({
        name: "mutations",
        everyMs: mutationPollMs,
        shards,
        run,
        lane: "people",
      });
      const sweep = await scheduler.start({
        name: "sweep",
        everyMs,
        shards: () => agent.shards(),
        run: (shard, lease) => agent.sweepShard(shard, lease),
      });
      const operations = await scheduler.start({
        name: "operations",
        everyMs: followPollMs,
        lane: "people",
        shards: () => agent.following(),
        run: (name, lease) => agent.lookAfter(name, lease),
      });
      running = { sweep, mutations: mutationTask, operations };
    },
    async stop(): Promise<void> {
      await Promise.all(Object.values(running ?? {}).map((task) => task.stop()));
      running = null;
    },
  };
}

async function scopeOf(
  id: string,
  { records, environments }: OverrideDeps,
): Promise<(Containers & { readonly environment: EnvironmentRef }) | null> {
  const record = await records.get(liveSystems, [id.toLowerCase()]);
  if (record === null) return null;
  const { environmentId: environment, resourceGroupId } = record;
  const groups = new Set((await environments.groups(environment)) ?? []);
  if (resourceGroupId) groups.add(declaredGroupPath(resourceGroupId));
  const type = environment.type === "Organizational" ? "Organizational" : "Personal";
  return { owner: { type, id: environment.ownerId }, groups: [...groups], environment };
}
