import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { pgBossScheduler } from "@liveplane/adapters/pg-boss-scheduler";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { webRuntime } from "@liveplane/core";
import { PgBoss } from "pg-boss";
import { componentKey } from "../../packages/core/src/override/records/component-record.ts";
import { agentOver, changingCloud } from "../fleet.ts";
import { starvedMs } from "../process-times.ts";

// A process of the benchmark `scale`: takes jobs until none is left, and reports the cost.

const [connectionString = "", way = "shards", share = "0"] = process.argv.slice(2);

const sockets: Socket[] = [];
subscribe("net.client.socket", (message) => void sockets.push((message as { socket: Socket }).socket));

const store = await postgresStore({ connectionString });
const counted = { calls: 0, looks: 0, writes: 0, beganAt: 0, endedAt: 0 };
const cloud = changingCloud(counted, Number(share));
const runtime = webRuntime();
const agent = agentOver(store, cloud, { runtime, isShared: true });

/** Records when work starts and ends, by the clock that all processes of this machine share. */
async function noted(work: () => Promise<unknown>): Promise<void> {
  counted.beganAt ||= performance.timeOrigin + performance.now();
  await work();
  counted.endedAt = performance.timeOrigin + performance.now();
}

/** One job per shard, as the agent works. */
async function byShards(): Promise<() => Promise<void>> {
  const scheduler = await pgBossScheduler({ connectionString, runtime });
  const running = await scheduler.start({
    name: "sweep",
    everyMs: 3_600_000,
    shards: async () => [],
    run: (shard, lease) => noted(() => agent.sweepShard(shard, lease)),
  });
  return async () => {
    await running.stop();
    await scheduler.close?.();
  };
}

/** One job per component, as one would write it with pg-boss and no shards: fifty fetched at once, in four lines. */
async function byComponents(): Promise<() => Promise<void>> {
  const boss = new PgBoss({ connectionString, schema: "naive", schedule: false, max: 8 });
  boss.on("error", () => {});
  await boss.start();
  const over = new AbortController();
  const line = async () => {
    while (!over.signal.aborted) {
      const jobs = await boss.fetch<{ id: string }>("look", { batchSize: 50 });
      if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      else
        await noted(async () => {
          for (const { data } of jobs) {
            const [system = "", ...path] = data.id.split("/");
            await agent.pass(componentKey(system, path.join("/")), { lane: "sweep" });
          }
          await boss.complete("look", jobs);
        });
    }
  };
  const lines = [1, 2, 3, 4].map(line);
  return async () => {
    over.abort();
    await Promise.all(lines);
    await boss.stop({ graceful: false });
  };
}

const begun = process.cpuUsage();
const starvedBefore = starvedMs();
const stop = await (way === "shards" ? byShards() : byComponents());
process.on("message", async (question) => {
  if (question === "stop") {
    await stop();
    // Postgres counts what a connection has written only once it has ended.
    await store.close();
  }
  const bytes = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  const { user, system } = process.cpuUsage(begun);
  const starved = starvedBefore === null ? null : (starvedMs() ?? 0) - starvedBefore;
  process.send?.({
    ...counted,
    starvedMs: starved,
    bytes,
    memory: process.memoryUsage().rss,
    cpuMs: (user + system) / 1000,
  });
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
