import { LiveplaneError } from "../../errors.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { Lease, RunningTask, Scheduler, ShardedTask } from "../../ports/scheduler.ts";

/** A scheduler with nothing to do yet, and the time that it goes by. */
export interface SchedulerUnderTest {
  readonly scheduler: Scheduler;
  /** The clock that it was given. */
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** Lets this much time pass, and what is due in it begin and end. */
  advance(ms: number): Promise<void>;
  /** The scheduler of another process next to it, where there can be one. */
  another?(): Promise<Scheduler>;
  /** Cuts the first one off from all others, for good. There where `another` is. */
  cut?(): Promise<void>;
  /** Takes everything away that was made for the test. */
  end?(): Promise<void>;
}

/** One law of the scheduler port. */
export interface SchedulerLaw {
  readonly title: string;
  readonly holds: (world: SchedulerUnderTest) => Promise<void>;
}

/** Holds something true. */
export function schedulerHolds(condition: boolean, expected: string, came: unknown): void {
  if (condition) return;
  throw new LiveplaneError("InternalError", `Expected ${expected}; came ${JSON.stringify(came) ?? String(came)}.`);
}

/** A run of a shard. */
export interface RecordedRun {
  readonly shard: string;
  readonly at: number;
  readonly lease: Lease;
  endedAt: number | null;
}

/** A task that writes down what is run of it. */
export interface RecordedTask {
  readonly runs: RecordedRun[];
  /** When the runs of a shard began. */
  begunAt(shard: string): number[];
  /** The most runs of one shard that were under way at once. */
  mostAtOnce(): number;
  /** Starts it. */
  on(scheduler: Scheduler): Promise<RunningTask>;
}

/** What laws let their tasks be: the interval is ten seconds. */
export type RecordedOptions = Partial<Pick<ShardedTask, "name" | "lane" | "everyMs">> & {
  readonly shards?: readonly string[] | (() => Promise<readonly string[]>);
  /** What a run does. It may end at once. */
  readonly work?: (run: RecordedRun) => Promise<void>;
};

/** The interval of the laws' tasks. */
export const everyMs = 10_000;

/** Between what is due and its begin may lie this much: a scheduler over a database asks it now and then. */
export const slackMs = 2_500;

/** A task whose runs are written down. */
export function recorded({ clock }: Pick<SchedulerUnderTest, "clock">, options: RecordedOptions = {}): RecordedTask {
  const { shards = [], work, ...rest } = options;
  const runs: RecordedRun[] = [];
  const under = new Map<string, number>();
  let most = 0;
  const task: ShardedTask = {
    name: "look",
    everyMs,
    ...rest,
    shards: typeof shards === "function" ? shards : async () => shards,
    async run(shard, lease) {
      const now = (under.get(shard) ?? 0) + 1;
      under.set(shard, now);
      most = Math.max(most, now);
      const run: RecordedRun = { shard, at: clock.monotonic(), lease, endedAt: null };
      runs.push(run);
      try {
        await work?.(run);
      } finally {
        run.endedAt = clock.monotonic();
        under.set(shard, (under.get(shard) ?? 1) - 1);
      }
    },
  };
  return {
    runs,
    begunAt: (shard) => runs.flatMap((run) => (run.shard === shard ? [run.at] : [])),
    mostAtOnce: () => most,
    on: (scheduler) => scheduler.start(task),
  };
}

/** Waits until something ends it, or the lease is lost. */
export function untilOver({ lease: { signal } }: RecordedRun, over?: AbortSignal): Promise<void> {
  const either = over === undefined ? signal : AbortSignal.any([signal, over]);
  if (either.aborted) return Promise.resolve();
  return new Promise((resolve) => either.addEventListener("abort", () => resolve(), { once: true }));
}
