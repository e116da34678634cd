import type { Settings } from "./host.ts";
import type { Runtime } from "./ports/runtime.ts";
import type { RunningTask, Scheduler, ShardedTask } from "./ports/scheduler.ts";
import type { EventLog } from "./records/event-log.ts";

/** What keeping house needs. */
export interface HousekeepingDeps {
  readonly scheduler: Scheduler;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "eventSeconds">;
  readonly log: EventLog;
  /** Areas that have something to purge or to tell now and then. */
  readonly areas: readonly { housekeep(): Promise<void> }[];
  /** Other work that comes back. */
  readonly tasks: readonly ShardedTask[];
}

const everyMs = 60_000;

/** Runs what must happen now and then: purges, reminders, retries, the retention of events. */
export function createHousekeeping({ scheduler, runtime, settings, log, areas, tasks }: HousekeepingDeps) {
  let running: RunningTask[] = [];

  const purge: ShardedTask = {
    name: "housekeeping",
    everyMs,
    shards: async () => ["all"],
    async run() {
      await log.sequence();
      for (const area of areas) await area.housekeep();
      while ((await log.prune(runtime.clock.now() - settings.eventSeconds * 1000)) > 0);
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
