import { isLiveplaneError } from "./errors.ts";
import type { RunningTask, ShardedTask } from "./ports/scheduler.ts";
import { catchUp, type DueWork, tellLag } from "./records/due.ts";
import type { Services } from "./services.ts";

const everyMs = 60_000;

/** Runs periodic work: purges, reminders, retries, event retention. */
export function createHousekeeping({
  scheduler,
  runtime,
  settings,
  log,
  due,
  areas,
  tasks,
}: Pick<Services, "runtime" | "settings" | "scheduler" | "log"> & {
  readonly due: readonly DueWork[];
  readonly areas: readonly { housekeep(): Promise<void> }[];
  readonly tasks: readonly ShardedTask[];
}) {
  let running: RunningTask[] = [];

  /** Drops events until none is too old. */
  async function dropEvents(signal: AbortSignal): Promise<void> {
    const keptMs = settings.eventSeconds * 1000;
    for (let dropped = 1; dropped > 0 && !signal.aborted; await runtime.yield()) {
      const [oldest, now] = [await log.oldest(), runtime.clock.now()];
      tellLag(runtime, "events", oldest === null || oldest + keptMs >= now ? null : oldest + keptMs);
      dropped = await log.prune(now - keptMs);
    }
  }

  /** A failed chore doesn't stop the others, unless the store is unavailable. */
  async function unlessItFails(chore: () => Promise<void>): Promise<void> {
    try {
      await chore();
    } catch (cause) {
      if (isLiveplaneError(cause, "StoreFailed")) throw cause;
      runtime.logger.error({ cause }, "A housekeeping task failed; it is repeated at its next turn.");
    }
  }

  const purge: ShardedTask = {
    name: "housekeeping",
    everyMs,
    shards: async () => ["all"],
    async run(_shard, { signal }) {
      await log.sequence();
      const chores = [
        ...areas.map((area) => () => area.housekeep()),
        ...due.map((work) => () => catchUp({ runtime, signal }, work)),
        () => dropEvents(signal),
      ];
      for (const chore of chores) if (!signal.aborted) await unlessItFails(chore);
    },
  };

  return {
    async start(): Promise<void> {
      running = await Promise.all([purge, ...tasks].map((task) => scheduler.start(task)));
    },
    async stop(): Promise<void> {
      await Promise.all(running.map((task) => task.stop()));
      running = [];
    },
  };
}
