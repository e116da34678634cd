import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { staticKeyRing } from "@liveplane/adapters/key-rings";
import { nodeDefaults } from "@liveplane/adapters/node";
import { pgBossScheduler } from "@liveplane/adapters/pg-boss-scheduler";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { createLiveplane, type Scheduler, type ShardedTask } from "@liveplane/core";
import { askCloud, clusterCloud } from "./cluster-cloud.ts";
import type { ShardReport } from "./cluster-judge.ts";

// A node of a cluster's trial: an agent, and a way to write through it.

const { CLUSTER_NODE: node = "", CLUSTER_CLOUD: cloud = "", CLUSTER_DATABASE: connectionString = "" } = process.env;
const { CLUSTER_KEY: key = "", CLUSTER_OWNER: ownerId = "", CLUSTER_INTERVAL_MS: intervalMs = "" } = process.env;

let runs = 0;

/** The scheduler, telling the judge of every run of a shard: what hasn't been told isn't begun. */
function told(scheduler: Scheduler): Scheduler {
  const tell = (report: Omit<ShardReport, "node">) => askCloud(cloud, "/report", { node, ...report });
  const watched = (task: ShardedTask): ShardedTask => ({
    ...task,
    async run(shard, lease) {
      const run = ++runs;
      await tell({ shard, run, what: "begun" });
      lease.signal.addEventListener("abort", () => void tell({ shard, run, what: "lost" }).catch(() => {}));
      try {
        await task.run(shard, lease);
      } finally {
        await tell({ shard, run, what: "ended" });
      }
    },
  });
  return { ...scheduler, start: (task) => scheduler.start(task.name === "sweep" ? watched(task) : task) };
}

const line = (level: string) => (fields: object, message: string) => {
  process.stderr.write(`${JSON.stringify({ node, level, message, ...fields })}\n`);
};
const defaults = await nodeDefaults({
  dataDir: mkdtempSync(join(tmpdir(), "liveplane-cluster-")),
  store: await postgresStore({ connectionString, connections: 6, statementTimeoutMs: 5_000 }),
  keyRing: staticKeyRing({ keys: [key] }),
  clouds: {
    adapters: [clusterCloud(cloud, node)],
    credentialsFor: async () => ({ kind: "workload", name: null, secret: null }),
  },
  logger: { debug: () => {}, info: () => {}, warn: line("warn"), error: line("error") },
  scheduler: async (runtime) => told(await pgBossScheduler({ connectionString, runtime })),
  settings: { checkSeconds: Number(intervalMs) / 1000 },
});
const liveplane = createLiveplane(defaults);
await liveplane.start();

const { secrets } = liveplane.as({ kind: "account", accountId: ownerId }).environments;
const server = createServer((request, response) => {
  const written = { shortName: (request.url ?? "").slice(1), value: randomUUID() };
  secrets.upsertMany({ type: "Personal", ownerId, shortName: "web" }, [written]).then(
    ([secret]) => response.end(JSON.stringify(secret)),
    () => response.writeHead(503).end(),
  );
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
