import type { Lease } from "@liveplane/core";
import { expect, test } from "vitest";
import { fakeRuntime } from "../../../core/src/testing/fake-runtime.ts";
import type { HeldJob, JobQueue, NextJob } from "../../src/pg-boss/job-queue.ts";
import { startShardedWork } from "../../src/pg-boss/sharded-work.ts";

const leaseMs = 20_000;

test("a lease counts from when its job or its renewal was asked for, however late the answer comes, and ends without one", async () => {
  const runtime = fakeRuntime();
  const { clock } = runtime;
  const due: HeldJob[] = [{ id: "one", retryCount: 0, shard: "a", isAsked: true, lateMs: 0 }];
  let askedAt = Number.NaN;
  let isTaken = false;
  const ended: string[] = [];
  /** A call that takes three seconds. */
  const late = async <T>(answer: () => T): Promise<T> => {
    const at = clock.monotonic();
    await clock.sleep(3_000);
    askedAt = at;
    return answer();
  };
  const queue: JobQueue = {
    take: () => (due.length === 0 ? Promise.resolve([]) : late(() => due.splice(0))),
    renew: (jobs) => late(() => new Set(isTaken ? [] : jobs.map(({ id }) => id))),
    end: async ({ id }) => void ended.push(id),
    ask: async () => {},
    fill: async () => 0,
  };
  const leases: Lease[] = [];
  const task = {
    name: "sweep",
    everyMs: 180_000,
    shards: async () => ["a"],
    run: async (_shard: string, lease: Lease) => {
      leases.push(lease);
      await clock.sleep(600_000, { signal: lease.signal }).catch(() => {});
    },
  };
  const work = startShardedWork(task, { queue, runtime, leaseMs, atOnce: 1, jitter: 0.1 });
  await runtime.advance(3_000);
  const asked = new Set<number>();
  for (let at = 0; at < 60; at++) {
    asked.add(askedAt);
    expect(leases.map(({ deadline, signal }) => [deadline, signal.aborted])).toEqual([[askedAt + leaseMs, false]]);
    await runtime.advance(500);
  }
  expect(asked.size).toBeGreaterThan(3);
  isTaken = true;
  await runtime.advance(10_000);
  expect(leases.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(ended).toEqual([]);
  await runtime.during(work.stop());
});

test("what was asked for and is interrupted by a stop is left to another process, though its shard isn't listed", async () => {
  const runtime = fakeRuntime();
  const due: HeldJob[] = [{ id: "one", retryCount: 0, shard: "unlisted", isAsked: true, lateMs: 0 }];
  const ended: (NextJob | null)[] = [];
  const queue: JobQueue = {
    take: async () => due.splice(0),
    renew: async (jobs) => new Set(jobs.map(({ id }) => id)),
    end: async (_job, next) => void ended.push(next),
    ask: async () => {},
    fill: async () => 0,
  };
  const task = {
    name: "mutations",
    everyMs: 5_000,
    shards: async () => [],
    run: async (_shard: string, { signal }: Lease) => {
      await runtime.clock.sleep(600_000, { signal }).catch(() => {});
    },
  };
  const work = startShardedWork(task, { queue, runtime, leaseMs, atOnce: 1, jitter: 0.1 });
  await runtime.advance(1_000);
  await runtime.during(work.stop());
  expect(ended).toEqual([{ afterMs: 0, isAsked: true }]);
});
