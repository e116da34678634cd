import type { Containers } from "../access/access.ts";
import type { LiveSystemNames } from "../access/names.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import { sealedStock } from "../keys/rotation.ts";
import type { Cloud } from "../ports/cloud.ts";
import type { SealedStock } from "../ports/secrets.ts";
import type { DueWork } from "../records/due.ts";
import { createRests } from "../records/rest.ts";
import type { Services } from "../services.ts";
import type { CountResources } from "../tenancy/plan-owners.ts";
import { Agent } from "./agent/agent.ts";
import type { AgentDeps } from "./agent/agent-deps.ts";
import { type CloudCallOptions, createCloudCalls } from "./agent/cloud-calls.ts";
import { sealedOutputs } from "./agent/expectations.ts";
import { createSweepTimes } from "./agent/sweep-times.ts";
import { declaredGroupPath, plainName } from "./declarations/definition.ts";
import { createMutations, type Mutations } from "./mutations/mutations.ts";
import { type KnownComponent, knownComponent } from "./operations/component-facts.ts";
import { keepHistories } from "./operations/history-pass.ts";
import { createLiveSystemHandlers, type LiveSystemHandlers } from "./operations/live-system-handlers.ts";
import { dueLiveSystems } from "./operations/purge.ts";
import { createLiveSystemHoldings, type LiveSystemHoldings } from "./operations/release.ts";
import { createTasks } from "./override-tasks.ts";
import { createDeclarations } from "./records/in-force.ts";
import { liveSystems } from "./records/live-system-record.ts";
import { type PlanPlaces, resourcesOf } from "./records/plan-places.ts";

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
  /** The names of live systems, in the order asked for; `null`: there is none of that ID. */
  readonly namesOf: LiveSystemNames;
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

/** A write is let take so long at most, where its lease ends. */
const longestWriteMs = 30_000;

/** Builds the override protocol. */
export function createOverride(
  deps: Pick<
    Services,
    | "records"
    | "pages"
    | "runtime"
    | "settings"
    | "sealer"
    | "scheduler"
    | "claims"
    | "access"
    | "digestKey"
    | "environments"
  > & {
    readonly clouds: readonly Cloud[];
    readonly seats: PlanPlaces;
    readonly isStoreShared?: boolean;
    readonly agent?: AgentOptions;
  },
): OverrideArea {
  const agentDeps = agentDepsOf(deps);
  const agent = new Agent(agentDeps);
  const mutationWork = createMutations({ agent, deps: agentDeps });
  const tasks = createTasks(deps, { agent, mutations: mutationWork });
  const { records, pages, access } = deps;
  return {
    agent,
    mutations: mutationWork,
    handlers: createLiveSystemHandlers({
      ...agentDeps,
      settings: deps.settings,
      pages,
      access,
      agent,
      wake: tasks.wake,
    }),
    holdings: createLiveSystemHoldings({ ...deps, declarations: agentDeps.declarations }),
    liveSystemScope: (id) => scopeOf(deps, id),
    knownComponent: (componentId) => knownComponent(agentDeps, componentId),
    async liveSystemsOf(group) {
      const listed = await records.list(liveSystems, { index: "inGroup", prefix: [plainName(group)], limit: 1000 });
      return listed.map(({ record }) => record.id);
    },
    async namesOf(reader, ids) {
      const found = await reader.getMany(
        liveSystems,
        ids.map((id) => [id]),
      );
      return found.map((system) => system?.name ?? null);
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

function agentDepsOf(
  deps: Pick<
    Services,
    "records" | "runtime" | "settings" | "sealer" | "scheduler" | "claims" | "digestKey" | "environments"
  > & {
    readonly clouds: readonly Cloud[];
    readonly seats: PlanPlaces;
    readonly isStoreShared?: boolean;
    readonly agent?: AgentOptions;
  },
): AgentDeps {
  const { records, environments, sealer, runtime, digestKey, settings, agent = {} } = deps;
  const { leaseMs = Number.POSITIVE_INFINITY } = deps.scheduler;
  const { callTimeoutMs = Math.min(longestWriteMs, leaseMs / 2), ...pacing } = agent;
  const sharing = { store: deps.isStoreShared === true, work: deps.scheduler.leaseMs !== undefined };
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
    sweeps: createSweepTimes({ records, sharing }),
    sharing,
  };
}

async function scopeOf(
  { records, environments }: Pick<Services, "records" | "environments">,
  id: string,
): Promise<(Containers & { readonly environment: EnvironmentRef }) | null> {
  const record = await records.get(liveSystems, [id.toLowerCase()]);
  if (record === null) return null;
  const { environmentId: environment, resourceGroupId } = record;
  const groups = new Set((await environments.groups(environment)) ?? []);
  if (resourceGroupId) groups.add(declaredGroupPath(resourceGroupId));
  const type = environment.type === "Organizational" ? "Organizational" : "Personal";
  return { owner: { type, id: environment.ownerId }, groups: [...groups], environment };
}
