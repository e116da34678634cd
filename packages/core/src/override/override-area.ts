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
import { createSweepTimes } from "./agent/sweep-times.ts";
import { declaredGroupPath, plainName } from "./declarations/definition.ts";
import { createMutations, type Mutations } from "./mutations/mutations.ts";
import {
  type ComponentOfResource,
  componentsOfResources,
  type KnownComponent,
  knownComponent,
} from "./operations/component-facts.ts";
import { keepHistories } from "./operations/history-pass.ts";
import { createLiveSystemHandlers, type LiveSystemHandlers } from "./operations/live-system-handlers.ts";
import { dueLiveSystems } from "./operations/purge.ts";
import { createLiveSystemHoldings, type LiveSystemHoldings } from "./operations/release.ts";
import { secretUses } from "./operations/secret-uses.ts";
import { createTasks } from "./override-tasks.ts";
import { createDeclarations } from "./records/in-force.ts";
import { liveSystems } from "./records/live-system-record.ts";
import { type PlanPlaces, resourcesOf } from "./records/plan-places.ts";
import { sealedOutputs } from "./records/sealed-outputs.ts";

/** Options of the agent. */
export interface AgentOptions extends CloudCallOptions {
  /** The longest cloud write under a lease that ends; none starts closer to its end. @default half of a lease, at most 30000 */
  readonly callTimeoutMs?: number;
}

/** The override protocol: its operations, its agent, and what other areas ask of it. */
export interface OverrideArea {
  readonly handlers: LiveSystemHandlers;
  readonly agent: Agent;
  readonly mutations: Mutations;
  /** The containers of a live system, even of a deleted one, whose history stays readable. */
  liveSystemScope(id: string): Promise<(Containers & { readonly environment: EnvironmentRef }) | null>;
  /** A component's state; `null` if it is gone. */
  knownComponent(componentId: string): Promise<KnownComponent | null>;
  /** The components of resources, in the order asked for; `null`: a resource belongs to none. */
  componentsOf(provider: string, resourceIds: readonly string[]): Promise<readonly (ComponentOfResource | null)[]>;
  /** The IDs of the live systems in a resource group (`Type/ownerId/shortName`), in order of creation. */
  liveSystemsOf(group: string): Promise<string[]>;
  readonly secretUses: Services["secretUses"];
  /** The names of live systems, in the order asked for; `null`: there is none of that ID. */
  readonly namesOf: LiveSystemNames;
  /** What the areas beside it do with the live systems of an owner who goes. */
  readonly holdings: LiveSystemHoldings;
  /** Counts an owner's live systems and components one by one. */
  resourcesOf: CountResources;
  /** Starts the sweep and the mutations. */
  start(): Promise<void>;
  /** Starts nothing more and waits for running work. */
  stop(): Promise<void>;
  /** Work that falls due over time. */
  readonly due: readonly DueWork[];
  /** Trims histories to their limits. */
  housekeep(): Promise<void>;
  /** Its sealed values. */
  readonly sealed: readonly SealedStock[];
}

/** The longest write that no lease makes shorter: clouds are given up after it. */
const longestCallMs = 30_000;

/** Creates the override protocol. */
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
    componentsOf: (provider, resourceIds) => componentsOfResources(deps, provider, resourceIds),
    async liveSystemsOf(group) {
      const listed = await records.list(liveSystems, { index: "inGroup", prefix: [plainName(group)], limit: 1000 });
      return listed.map(({ record }) => record.id);
    },
    secretUses: (environment, shortName) => secretUses(agentDeps, environment, shortName),
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
  const { callTimeoutMs: longestWriteMs = longestCallMs, ...pacing } = agent;
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
    callTimeoutMs: agent.callTimeoutMs ?? Math.min(longestCallMs, leaseMs / 2),
    longestWriteMs,
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
