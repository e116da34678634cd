import type { Runtime } from "./runtime.ts";
import type { Lease, RunningTask, Scheduler, ShardedTask } from "./scheduler.ts";

/** Options of the in-process scheduler. */
export interface IntervalSchedulerOptions {
  readonly runtime: Runtime;
  /** Jitter shortens an interval by at most this part of it. @default 0.1 */
  readonly jitter?: number;
}

/** A scheduler for one process: shards are spread over the interval, each run by one worker at a time. */
export function intervalScheduler({ runtime, jitter = 0.1 }: IntervalSchedulerOptions): Scheduler {
  const tasks = new Map<string, IntervalTask>();
  return {
    async start(task) {
      const running = startTask(task, { runtime, jitter });
      tasks.set(task.name, running);
      return running;
    },
    async enqueue({ task, shard, afterMs = 0 }) {
      tasks.get(task)?.ask(shard, afterMs);
    },
  };
}

/** A task running in one process. */
interface IntervalTask extends RunningTask {
  ask(shard: string, afterMs: number): void;
}

/** The state of a shard: running, and whether it was requested again meanwhile. */
interface Running {
  readonly ended: Promise<void>;
  again: boolean;
}

/** A delayed request. */
interface Waiting {
  readonly dueAt: number;
  readonly sooner: AbortController;
}

function startTask(task: ShardedTask, { runtime, jitter }: Required<IntervalSchedulerOptions>): IntervalTask {
  const stop = new AbortController();
  const running = new Map<string, Running>();
  const waiting = new Map<string, Waiting>();
  const lease: Lease = { deadline: Number.POSITIVE_INFINITY, signal: stop.signal };

  async function runOnce(shard: string): Promise<void> {
    try {
      await task.run(shard, lease);
    } catch (error) {
      if (!stop.signal.aborted)
        runtime.logger.error({ task: task.name, shard, error }, "A run failed; it is repeated at its next turn.");
    }
  }

  async function runAsAsked(shard: string, state: { again: boolean }): Promise<void> {
    await runtime.yield();
    do {
      state.again = false;
      await runOnce(shard);
    } while (state.again && !stop.signal.aborted);
    running.delete(shard);
  }

  function run(shard: string): void {
    if (stop.signal.aborted || running.has(shard)) return;
    const state = { again: false, ended: Promise.resolve() };
    state.ended = runAsAsked(shard, state);
    running.set(shard, state);
  }

  /** Runs a shard now, or again after the current run. */
  function request(shard: string): void {
    const known = running.get(shard);
    if (known === undefined) run(shard);
    else known.again = true;
  }

  /** An earlier pending request already covers this one. */
  function ask(shard: string, afterMs: number): void {
    const dueAt = runtime.clock.monotonic() + afterMs;
    const known = waiting.get(shard);
    if (known !== undefined && known.dueAt <= dueAt) return;
    known?.sooner.abort();
    waiting.delete(shard);
    if (afterMs <= 0) {
      request(shard);
      return;
    }
    const sooner = new AbortController();
    waiting.set(shard, { dueAt, sooner });
    const isDue = () => {
      waiting.delete(shard);
      request(shard);
    };
    runtime.clock.sleep(afterMs, { signal: AbortSignal.any([stop.signal, sooner.signal]) }).then(isDue, () => {});
  }

  /** One interval: every shard once, evenly spread. */
  async function round(): Promise<void> {
    const startedAt = runtime.clock.monotonic();
    const shards = await shardsOf(task, runtime);
    const [chance = 0] = runtime.crypto.random(1);
    const lengthMs = task.everyMs * (1 - (jitter * chance) / 256);
    for (const [at, shard] of shards.entries()) {
      await sleepUntil(startedAt + (lengthMs * at) / shards.length);
      run(shard);
    }
    await sleepUntil(startedAt + lengthMs);
  }

  async function sleepUntil(instant: number): Promise<void> {
    const ms = instant - runtime.clock.monotonic();
    if (ms > 0) await runtime.clock.sleep(ms, { signal: stop.signal });
  }

  const rounds = (async () => {
    while (!stop.signal.aborted) {
      try {
        await round();
      } catch (error) {
        if (!stop.signal.aborted) runtime.logger.error({ task: task.name, error }, "A round failed.");
      }
    }
  })();

  return {
    ask,
    async request(shard) {
      ask(shard, 0);
    },
    async stop() {
      stop.abort();
      await rounds;
      await Promise.allSettled([...running.values()].map(({ ended }) => ended));
    },
  };
}

async function shardsOf({ name, shards }: ShardedTask, { logger }: Runtime): Promise<readonly string[]> {
  try {
    return await shards();
  } catch (error) {
    logger.error({ task: name, error }, "The shards could not be read.");
    return [];
  }
}
