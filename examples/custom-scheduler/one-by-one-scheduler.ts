// A scheduler for a small host: it runs one shard of a task at a time, in the order of the requests.
// This is stricter than the port requires, and needs no bookkeeping.
// Time comes from the runtime, so that a test can move it.
import type { Lease, RunningTask, Runtime, Scheduler, ShardedTask } from "@liveplane/core";

/** Runs each task on one lane, in this process. */
export function oneByOneScheduler(runtime: Pick<Runtime, "clock" | "logger">): Scheduler {
  const lanes = new Map<string, Lane>();
  return {
    async start(task) {
      const lane = startLane(task, runtime);
      lanes.set(task.name, lane);
      return { request: async (shard) => lane.ask(shard, 0), stop: lane.stop };
    },
    async enqueue({ task, shard, afterMs = 0 }) {
      lanes.get(task)?.ask(shard, afterMs);
    },
  };
}

interface Lane extends Pick<RunningTask, "stop"> {
  ask(shard: string, afterMs: number): void;
}

function startLane(task: ShardedTask, { clock, logger }: Pick<Runtime, "clock" | "logger">): Lane {
  const stop = new AbortController();
  const lease: Lease = { deadline: Number.POSITIVE_INFINITY, signal: stop.signal };
  /** The requested shards, and when each is due. */
  const asked = new Map<string, number>();
  let woken = new AbortController();

  async function run(shard: string): Promise<void> {
    if (stop.signal.aborted) return;
    try {
      await task.run(shard, lease);
    } catch (error) {
      logger.error({ task: task.name, shard, error }, "A run failed; it is repeated at its next turn.");
    }
  }

  async function runAsked(): Promise<void> {
    const isDue = ([, at]: readonly [string, number]) => at <= clock.monotonic();
    for (let due = [...asked].find(isDue); due !== undefined; due = [...asked].find(isDue)) {
      asked.delete(due[0]);
      await run(due[0]);
    }
  }

  /** Runs requested shards until the next round is due. */
  async function restUntil(due: number): Promise<void> {
    while (!stop.signal.aborted) {
      await runAsked();
      if (clock.monotonic() >= due) return;
      woken = new AbortController();
      const signal = AbortSignal.any([stop.signal, woken.signal]);
      const ms = Math.min(due, ...asked.values()) - clock.monotonic();
      if (ms > 0) await clock.sleep(ms, { signal }).catch(() => {});
    }
  }

  async function sweep(): Promise<void> {
    for (const shard of await task.shards()) {
      await runAsked();
      await run(shard);
    }
  }

  const rounds = (async () => {
    while (!stop.signal.aborted) {
      const due = clock.monotonic() + task.everyMs;
      await sweep().catch((error) => logger.error({ task: task.name, error }, "The shards could not be read."));
      await restUntil(due);
    }
  })();

  return {
    ask(shard, afterMs) {
      const at = clock.monotonic() + afterMs;
      asked.set(shard, Math.min(at, asked.get(shard) ?? at));
      woken.abort();
    },
    async stop() {
      stop.abort();
      await rounds;
    },
  };
}
