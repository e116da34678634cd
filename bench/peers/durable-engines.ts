import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SimulatedCloud } from "@liveplane/core/clouds";
import pg from "pg";
import { createSlots } from "../../packages/core/src/records/in-parallel.ts";

/** What an engine works with. */
export interface EngineOptions {
  /** Its Postgres. */
  readonly address: string;
  /** A killed process has left work. */
  readonly resumes: boolean;
  readonly cloud: SimulatedCloud;
}

/** Runs a step for each name, eight at once, and returns when all are done. */
export type Engine = (work: string, names: readonly string[]) => Promise<unknown>;

/** As many steps at once as a mutation has. */
const atOnce = 8;

/** As many connections as our store has. */
const connections = 10;

const type = "Microsoft.Network/virtualNetworks@2024-05-01";
const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", resourceGroup: "bench" };
const parameters = { location: "westeurope", addressSpace: { addressPrefixes: ["10.0.0.0/16"] } };

const credentials = { kind: "workload", name: null, secret: null } as const;

/** The body of a step, the same everywhere: a cloud creates a resource. Liveplane makes this call itself. */
function createdBy(cloud: SimulatedCloud) {
  const tags = { "managed-by": "platform" };
  return async (name: string) => {
    const resourceId = cloud.resourceIdFor(type, name, target);
    await cloud.create({ type, name, resourceId, target, parameters, tags, intent: name }, { credentials });
  };
}

/** Each written as its documentation says, and loaded only where it runs. */
export const engines: Readonly<Record<string, (options: EngineOptions) => Promise<Engine>>> = {
  async liveplane({ address, resumes, cloud }) {
    const { staticKeyRing } = await import("@liveplane/adapters/key-rings");
    const { nodeDefaults } = await import("@liveplane/adapters/node");
    const { postgresStore } = await import("@liveplane/adapters/postgres-store");
    const { createLiveplane } = await import("@liveplane/core");
    const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
    process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
    const liveplane = createLiveplane(
      await nodeDefaults({
        dataDir,
        store: await postgresStore({ connectionString: address }),
        keyRing: staticKeyRing({ keys: [Buffer.alloc(32, 1).toString("base64")] }),
        clouds: { adapters: [cloud], targetFor: async () => target },
        // The others don't look at what they have made again.
        settings: { openRegistration: true, checkSeconds: 3600 },
      }),
    );
    await liveplane.start();
    if (resumes) return async () => {};
    const person = { username: "ada", password: "correct horse battery" };
    const { id: accountId } = await liveplane.as({ kind: "anonymous" }).accounts.createWithCredentials(person);
    const ada = liveplane.as({ kind: "account", accountId });
    const environmentId = { type: "Personal", ownerId: accountId, shortName: "bench" } as const;
    await ada.environments.create(environmentId, {});
    return async (name, names) => {
      const components = names.map((path) => ({ path, provider: "provider-a", type, parameters }));
      const ended = new Promise<void>((resolve, reject) => {
        liveplane.on("livesystem.mutation.succeeded", () => resolve());
        liveplane.on("livesystem.mutation.failed", ({ data }) => reject(new RangeError(JSON.stringify(data))));
      });
      await ada.liveSystems.create({ name, environmentId, components });
      await ended;
    };
  },
  async dbos({ address, cloud }) {
    const { DBOS } = await import("@dbos-inc/dbos-sdk");
    const create = createdBy(cloud);
    DBOS.setConfig({
      name: "bench",
      systemDatabaseUrl: address,
      systemDatabasePoolSize: connections,
      logLevel: "error",
    });
    const deploy = DBOS.registerWorkflow(
      async (names: readonly string[]) => {
        const gate = createSlots(atOnce);
        await Promise.all(names.map((name) => gate(() => DBOS.runStep(() => create(name), { name: "create" }))));
      },
      { name: "deploy" },
    );
    await DBOS.launch();
    return async (workflowID, names) => (await DBOS.startWorkflow(deploy, { workflowID })(names)).getResult();
  },
  graphile: (options) => graphileWorker(options, {}),
  graphileInBatches: (options) => graphileWorker(options, inBatches),
  graphileWithClaims: async (options) => graphileWorker(options, inBatches, await withClaims(options)),
};

/** As its page about performance says. */
const inBatches = { localQueue: { size: atOnce + 1 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** A step that isn't repeated blindly after a crash, and whose result is kept: as people write it by hand around a job. */
async function withClaims({ address, cloud }: EngineOptions): Promise<(name: string) => Promise<void>> {
  const pool = new pg.Pool({ connectionString: address, max: connections });
  await pool.query(`
    CREATE TABLE IF NOT EXISTS step (name TEXT PRIMARY KEY, claimed_at TIMESTAMPTZ NOT NULL, resource JSONB);
    CREATE TABLE IF NOT EXISTS event (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data JSONB NOT NULL);`);
  const create = createdBy(cloud);
  const read = (name: string) => {
    const resourceId = cloud.resourceIdFor(type, name, target) ?? "";
    return cloud.read({ type, resourceId }, { credentials });
  };
  return async (name) => {
    if ((await read(name)).state !== "missing") throw new RangeError(`${name} exists already.`);
    const claim = "INSERT INTO step VALUES ($1, now()) ON CONFLICT DO NOTHING";
    const { rowCount } = await pool.query({ name: "claim", text: claim, values: [name] });
    if (rowCount === 0) throw new RangeError(`${name} was begun before.`);
    await create(name);
    const made = JSON.stringify(await read(name));
    const end = `WITH told AS (INSERT INTO event (data) VALUES (jsonb_build_object('created', $1::text)))
      UPDATE step SET resource = $2 WHERE name = $1`;
    await pool.query({ name: "end", text: end, values: [name, made] });
  };
}

async function graphileWorker(
  { address, cloud }: EngineOptions,
  batches: object,
  create: (name: string) => Promise<void> = createdBy(cloud),
): Promise<Engine> {
  const { Logger, makeWorkerUtils, run } = await import("graphile-worker");
  let left = 0;
  let done = () => {};
  const worker = { connectionString: address, concurrentJobs: atOnce };
  const preset = {
    worker: { ...worker, maxPoolSize: connections, logger: new Logger(() => () => {}), ...batches },
  };
  const utils = await makeWorkerUtils({ preset });
  const runner = await run({
    preset,
    noHandleSignals: true,
    taskList: { create: (name) => create(String(name)) },
  });
  runner.events.on("job:complete", () => {
    left -= 1;
    if (left === 0) done();
  });
  return async (_, names) => {
    left = names.length;
    const ended = new Promise<void>((resolve) => {
      done = resolve;
    });
    await utils.addJobs(names.map((payload) => ({ identifier: "create", payload })));
    await ended;
  };
}
