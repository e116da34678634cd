// A scheduler for a small host: one shard at a time, whoever was asked for first.
// Never two at once is a stronger law than the port asks for, and needs no bookkeeping.
// Time comes from the runtime, so that a test can move it.
import type { Lease, RunningTask, Runtime, Scheduler, ShardedTask } from "@liveplane/core";

/** Runs tasks on one lane each, in this process. */
export function oneByOneScheduler(runtime: Pick<Runtime, "clock" | "logger">): Scheduler {
  return { start: async (task) => startLane(task, runtime) };
}

function startLane(task: ShardedTask, { clock, logger }: Pick<Runtime, "clock" | "logger">): RunningTask {
  const stop = new AbortController();
  const lease: Lease = { deadline: Number.POSITIVE_INFINITY, signal: stop.signal };
  const asked: string[] = [];
  let woken = new AbortController();

  async function run(shard: string): Promise<void> {
    if (stop.signal.aborted) return;
    try {
      await task.run(shard, lease);
    } catch (error) {
      logger.error({ task: task.name, shard, error }, "A run failed; it comes back at its next turn.");
    }
  }

  async function runAsked(): Promise<void> {
    for (let shard = asked.shift(); shard !== undefined; shard = asked.shift()) await run(shard);
  }

  /** Answers what is asked for until the next round is due. */
  async function restUntil(due: number): Promise<void> {
    while (!stop.signal.aborted) {
      await runAsked();
      const ms = due - clock.monotonic();
      if (ms <= 0) return;
      woken = new AbortController();
      const signal = AbortSignal.any([stop.signal, woken.signal]);
      if (asked.length === 0) await clock.sleep(ms, { signal }).catch(() => {});
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
    async request(shard) {
      if (!asked.includes(shard)) asked.push(shard);
      woken.abort();
    },
    async stop() {
      stop.abort();
      await rounds;
    },
  };
}
