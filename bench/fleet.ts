import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { startPostgres } from "../packages/adapters/test/postgres.ts";
import { Agent } from "../packages/core/src/override/agent/agent.ts";
import { createCloudCalls } from "../packages/core/src/override/agent/cloud-calls.ts";
import { createDeclarations } from "../packages/core/src/override/records/in-force.ts";
import type { Cloud, Reading } from "../packages/core/src/ports/cloud.ts";
import { memoryStore } from "../packages/core/src/ports/memory-store.ts";
import type { Runtime } from "../packages/core/src/ports/runtime.ts";
import type { Store } from "../packages/core/src/ports/store.ts";
import { webRuntime } from "../packages/core/src/ports/web-runtime.ts";
import { createClaims } from "../packages/core/src/records/claim.ts";
import { createRecords } from "../packages/core/src/records/create-records.ts";
import { createRests } from "../packages/core/src/records/rest.ts";
import { formattedStore } from "../packages/core/src/records/store-format.ts";
import { fillFleet } from "../packages/core/test/builders/fleet.ts";
import { plainCloud, plainReading } from "../packages/core/test/builders/plain-cloud.ts";

/** A fleet that matches its declarations, and its agent. */
export interface Fleet {
  readonly sweep: () => Promise<void>;
  /** Cloud calls so far. */
  readonly calls: () => number;
}

interface Opened {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

/** The stores for a fleet, each empty and separate. */
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

/** Fills a store with components as the last check left them, and creates the agent over a cloud without news. */
export async function fleet(store: Store, size: number): Promise<Fleet> {
  const runtime = webRuntime({ yield: () => new Promise((resolve) => setImmediate(resolve)) });
  let calls = 0;
  const cloud = quietCloud(() => {
    calls += 1;
  });
  await fillFleet(createRecords({ store: formattedStore(store, runtime).store, runtime }), size, runtime.newId);
  const agent = agentOver(store, cloud, { runtime, isShared: false });
  const sweep = async () => {
    for (const shard of await agent.shards()) await agent.sweepShard(shard);
  };
  return { sweep, calls: () => calls };
}

/** Creates the agent over an existing store. */
export function agentOver(
  store: Store,
  cloud: Cloud,
  { runtime, isShared }: { readonly runtime: Runtime; readonly isShared: boolean },
): Agent {
  const records = createRecords({ store, runtime });
  const environments = {
    groups: async () => [],
    secretVersion: async () => null,
    openSecret: async () => null,
    targets: async () => [{ scope: "scope", region: "here" }],
    initialized: async () => new Set<string>(),
    agentCredentials: async () => ({ kind: "workload", name: null, secret: null }) as const,
  };
  const refuse = () => Promise.reject(new TypeError("nothing is sealed here"));
  return new Agent({
    records,
    sweeps: { swept: async () => {}, lastOver: async () => null },
    declarations: createDeclarations({ records, clouds: new Map([[cloud.provider, cloud]]) }),
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
    claims: createClaims({ runtime, exclusive: !isShared }),
    rests: createRests(runtime),
    seats: { count: async () => {} },
    callTimeoutMs: 10_000,
    longestWriteMs: 10_000,
    sharing: { store: isShared, work: isShared },
  });
}

/** The calls that a cloud received. */
export interface CloudUse {
  calls: number;
  looks: number;
  writes: number;
}

/** The same, with one resource in this many changed by hand until it is written; 0: none, and each is read directly. */
export function changingCloud(use: CloudUse, changedOne: number): Cloud {
  const quiet = quietCloud(() => {
    use.calls += 1;
  });
  const written = new Set<string>();
  const isChanged = (id: string) => changedOne > 0 && !written.has(id) && hashOf(id) % changedOne === 0;
  const changed = (reading: Reading): Reading =>
    reading.state === "present" ? { ...reading, parameters: { ...reading.parameters, size: 4 } } : reading;
  return {
    ...quiet,
    async read(ref, call) {
      if (changedOne === 0) use.looks += 1;
      const reading = await quiet.read(ref, call);
      return isChanged(ref.resourceId) ? changed(reading) : reading;
    },
    async readMany(refs, call) {
      use.looks += refs.length;
      const readings = await quiet.readMany(refs, call);
      return readings.map((reading, at) => (isChanged(refs[at]?.resourceId ?? "") ? changed(reading) : reading));
    },
    async update({ resourceId }) {
      written.add(resourceId);
      use.writes += 1;
      return {};
    },
  };
}

/** FNV-1a: spread well enough. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

function quietCloud(called: () => void): Cloud {
  const reading = plainReading({ size: 3, etag: 1 });
  return plainCloud({
    read: async () => {
      called();
      return reading;
    },
    readMany: async (refs) => {
      called();
      return refs.map(() => reading);
    },
  });
}
