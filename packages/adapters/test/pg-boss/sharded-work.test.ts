import { expect, test } from "vitest";
import { fakeRuntime } from "../../../core/src/testing/fake-runtime.ts";
import type { HeldJob, JobQueue } from "../../src/pg-boss/job-queue.ts";
import { startShardedWork } from "../../src/pg-boss/sharded-work.ts";

test("a lease counts from when its job was asked for, however late the answer comes", async () => {
  const runtime = fakeRuntime();
  const due: HeldJob[] = [{ id: "one", retryCount: 0, shard: "a", isAsked: true, lateMs: 0 }];
  const queue: JobQueue = {
    async take() {
      await runtime.clock.sleep(3_000);
      return due.splice(0);
    },
    renew: async () => new Set(),
    end: async () => {},
    ask: async () => {},
    fill: async () => 0,
  };
  const deadlines: number[] = [];
  const task = {
    name: "sweep",
    everyMs: 180_000,
    shards: async () => ["a"],
    run: async (_shard: string, lease: { readonly deadline: number }) => void deadlines.push(lease.deadline),
  };
  const askedAt = runtime.clock.monotonic();
  const work = startShardedWork(task, { queue, runtime, leaseMs: 20_000, atOnce: 1, jitter: 0.1 });
  await runtime.advance(3_000);
  expect(deadlines).toEqual([askedAt + 20_000]);
  await runtime.during(work.stop());
});
