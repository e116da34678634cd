import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { startPostgres } from "../packages/adapters/test/postgres.ts";
import { Agent } from "../packages/core/src/override/agent/agent.ts";
import { createCloudCalls } from "../packages/core/src/override/agent/cloud-calls.ts";
import { componentId } from "../packages/core/src/override/declarations/definition.ts";
import { newComponent } from "../packages/core/src/override/operations/deployment.ts";
import { type ComponentRecord, components as records } from "../packages/core/src/override/records/component-record.ts";
import { digested } from "../packages/core/src/override/records/definition-record.ts";
import { putInForce } from "../packages/core/src/override/records/history.ts";
import { createDeclarations } from "../packages/core/src/override/records/in-force.ts";
import { countComponents, liveSystems, namesOf } from "../packages/core/src/override/records/live-system-record.ts";
import type { Cloud, Reading } from "../packages/core/src/ports/cloud.ts";
import { memoryStore } from "../packages/core/src/ports/memory-store.ts";
import type { Store } from "../packages/core/src/ports/store.ts";
import { webRuntime } from "../packages/core/src/ports/web-runtime.ts";
import { createClaims } from "../packages/core/src/records/claim.ts";
import { createRecords } from "../packages/core/src/records/create-records.ts";
import type { Change, Records } from "../packages/core/src/records/records.ts";
import { createRests } from "../packages/core/src/records/rest.ts";

/** A fleet that is as declared, and the agent that looks at it. */
export interface Fleet {
  readonly sweep: () => Promise<void>;
  /** Cloud calls so far. */
  readonly calls: () => number;
}

interface Opened {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

/** The stores that a fleet is kept in, each empty and of its own. */
export const fleetStores: Readonly<Record<"memory" | "sqlite" | "postgres", () => Promise<Opened>>> = {
  async memory() {
    const store = memoryStore();
    return { store, close: () => store.close() };
  },
  async sqlite() {
    const directory = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
    const store = await sqliteStore({ file: join(directory, "bench.sqlite") });
    return {
      store,
      async close() {
        await store.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
  async postgres() {
    const server = await startPostgres();
    const store = await postgresStore({ connectionString: await server.freshSchema() });
    return {
      store,
      async close() {
        await store.close();
        await server.end();
      },
    };
  },
};

const perLiveSystem = 20;
/** Live systems filled in with one change. */
const perChange = 20;
const parameters = {
  tier: "hot",
  size: 3,
  network: { prefixes: ["10.0.0.0/24"], open: false },
  tags: { env: "prod", team: "shop" },
};

/** Fills a store with components as the last look left them, and builds the agent over a cloud that has nothing new. */
export async function fleet(store: Store, size: number): Promise<Fleet> {
  const runtime = webRuntime({ yield: () => new Promise((resolve) => setImmediate(resolve)) });
  const records = createRecords({ store, runtime });
  let calls = 0;
  const cloud = quietCloud(() => {
    calls += 1;
  });
  await fill(records, size, runtime.newId);
  const environments = {
    groups: async () => [],
    secretVersion: async () => null,
    openSecret: async () => null,
    target: async () => ({ scope: "scope", region: "here" }),
    agentCredentials: async () => ({ kind: "workload", name: null, secret: null }) as const,
  };
  const refuse = () => Promise.reject(new TypeError("nothing is sealed here"));
  const agent = new Agent({
    records,
    declarations: createDeclarations({ records, runtime }),
    environments,
    clouds: new Map([[cloud.provider, cloud]]),
    sealer: { seal: refuse, open: refuse, rewrap: refuse, currentKeyId: refuse },
    runtime,
    digestKey: async () => new Uint8Array(32),
    calls: createCloudCalls(runtime, { callsPerSecond: 1e9, burst: 1e9 }),
    settings: {
      stepWaitSeconds: 3600,
      stepRetrySeconds: 900,
      checkSeconds: 180,
      restoredTag: "resume-when-clean",
      overdueHours: [],
      keptEpisodes: 100,
    },
    claims: createClaims({ runtime, exclusive: true }),
    claimsCarriedOver: async () => {},
    rests: createRests(runtime),
    seats: { count: async () => {} },
    callTimeoutMs: 30_000,
  });
  const sweep = async () => {
    for (const shard of await agent.shards()) await agent.sweepShard(shard);
  };
  return { sweep, calls: () => calls };
}

async function fill(records: Records, size: number, newId: () => string): Promise<void> {
  for (let filled = 0; filled < size; filled += perChange * perLiveSystem) {
    const systems = Math.min(perChange, (size - filled) / perLiveSystem);
    await records.change({ actor: "bench", requestId: "bench" }, async (change) => {
      for (let system = 0; system < systems; system++) await putLiveSystem(change, newId);
    });
  }
}

async function putLiveSystem(change: Change, newId: () => string): Promise<void> {
  const [liveSystemId, at] = [newId(), new Date(0).toISOString()];
  const environmentId = { type: "Personal", ownerId: newId(), shortName: "dev" } as const;
  await countComponents(change, liveSystemId, perLiveSystem);
  const components = Array.from({ length: perLiveSystem }, (_, number) => {
    return { path: `part/c${number}`, provider: "bench", type: "thing", parameters: structuredClone(parameters) };
  });
  const definition = { name: "bench", environmentId, components };
  const deploys = await digested(definition, webRuntime());
  const stamps = { createdAt: at, createdBy: "bench", updatedAt: at, updatedBy: "bench" };
  const system = {
    id: liveSystemId,
    status: "Active",
    ...namesOf(definition),
    lastMutationId: "m",
    ...stamps,
  } as const;
  change.put(liveSystems, await putInForce(change, { ...system, inForce: null }, deploys));
  for (const [number, declared] of components.entries()) {
    const { path } = declared;
    const target = { scope: "scope", region: "here" };
    const place = { id: componentId(liveSystemId, path), name: path, given: true, target };
    const fresh = newComponent(
      { declared },
      {
        liveSystemId,
        environment: environmentId,
        place,
        mutationId: "m",
        at,
        by: "bench",
      },
    );
    change.put(records, settled(fresh, { at, digest: deploys.parts[number] ?? "" }));
  }
}

function settled(record: ComponentRecord, { at, digest }: { at: string; digest: string }): ComponentRecord {
  const condition = (reason: string) => ({ value: true, reason, message: "", observedAt: at, changedAt: at });
  return {
    ...record,
    provisioned: true,
    carriedOut: digest,
    identity: "one",
    step: { mutationId: "m", state: "converged", error: null },
    observed: { ...record.observed, against: digest, managementTag: true, outputs: { id: "x", tier: "hot", size: 3 } },
    conditions: { readable: condition("Read"), exists: condition("Exists"), inSync: condition("InSync") },
  };
}

function quietCloud(called: () => void): Cloud {
  const reading: Reading = {
    state: "present",
    identity: "one",
    tags: { "managed-by": "platform", env: "prod", team: "shop" },
    parameters: { tier: "hot", size: 3, network: { prefixes: ["10.0.0.0/24"], open: false }, more: "of its own" },
    outputs: { id: "x", tier: "hot", size: 3 },
    etag: "1",
  };
  const type = {
    taggable: true,
    sets: ["/network/prefixes"],
    caseless: [],
    immutable: [],
    writeOnly: [],
    sensitiveOutputs: [],
  };
  const refuse = () => Promise.reject(new TypeError("nothing is written here"));
  return {
    provider: "bench",
    capabilities: {
      conditionalWrites: true,
      bulkReadSize: 500,
      caselessTagKeys: true,
      tagParameter: "tags",
      deviceAuthorization: false,
    },
    resourceType: () => type,
    resourceIdFor: (_type, name) => name,
    parseResourceId: (_type, id) => ({ id, name: id }),
    throttleScope: () => "scope",
    locations: async () => [],
    initializationSteps: () => [],
    runStep: async () => ({}),
    read: async () => {
      called();
      return reading;
    },
    readMany: async (refs) => {
      called();
      return refs.map(() => reading);
    },
    create: refuse,
    findCreated: async () => null,
    update: refuse,
    remove: refuse,
    removeTag: refuse,
  };
}
