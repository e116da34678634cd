import { LiveplaneError } from "../../errors.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { Lease, RunningTask, Scheduler, ShardedTask } from "../../ports/scheduler.ts";

/** An idle scheduler, and its clock. */
export interface SchedulerUnderTest {
  readonly scheduler: Scheduler;
  /** The clock that it was given. */
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** Passes this much time, and lets everything due in it run. */
  advance(ms: number): Promise<void>;
  /** The scheduler of a second process, if there can be one. */
  another?(): Promise<Scheduler>;
  /** Disconnects the first one from all others for good. Present if `another` is. */
  cut?(): Promise<void>;
  /** Releases everything created for the test. */
  end?(): Promise<void>;
}

/** One law of the scheduler port. */
export interface SchedulerLaw {
  readonly title: string;
  readonly holds: (world: SchedulerUnderTest) => Promise<void>;
}

/** Fails the law unless the condition holds. */
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

/** A task that records its runs. */
export interface RecordedTask {
  readonly runs: RecordedRun[];
  /** When the runs of a shard started. */
  begunAt(shard: string): number[];
  /** The most concurrent runs of one shard. */
  mostAtOnce(): number;
  /** Starts it. */
  on(scheduler: Scheduler): Promise<RunningTask>;
}

/** The options of a law's task; the interval is ten seconds. */
export type RecordedOptions = Partial<Pick<ShardedTask, "name" | "lane" | "everyMs">> & {
  readonly shards?: readonly string[] | (() => Promise<readonly string[]>);
  /** The work of a run. @default none */
  readonly work?: (run: RecordedRun) => Promise<void>;
};

/** The interval of the laws' tasks. */
export const everyMs = 10_000;

/** The allowed delay of a due run: a scheduler over a database polls it. */
export const slackMs = 2_500;

/** A task that records its runs. */
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

/** Waits until aborted, or the lease is lost. */
export function untilOver({ lease: { signal } }: RecordedRun, over?: AbortSignal): Promise<void> {
  const either = over === undefined ? signal : AbortSignal.any([signal, over]);
  if (either.aborted) return Promise.resolve();
  return new Promise((resolve) => either.addEventListener("abort", () => resolve(), { once: true }));
}
