/** The exclusive right to work on a shard until a deadline. */
export interface Lease {
  /** On the monotonic clock; each renewal extends it. A cloud write starts only if its timeout ends before the deadline. */
  readonly deadline: number;
  /** Fires when the lease is lost or the scheduler stops. */
  readonly signal: AbortSignal;
}

/** Recurring work: once per shard and interval, approximately. */
export interface ShardedTask {
  readonly name: string;
  readonly everyMs: number;
  /** The current shards; called again in every round. For pending work: the shards that have some. */
  readonly shards: () => Promise<readonly string[]>;
  /** Works on one shard while the lease lasts. An error ends only this run. */
  readonly run: (shard: string, lease: Lease) => Promise<void>;
  /** Who waits for it. A scheduler with limited concurrency MUST NOT let sweeps use the capacity for people's work. @default "sweep" */
  readonly lane?: "people" | "sweep";
  /** How many runs one process may hold at the same time, where they mostly wait for others. @default the scheduler's limit for the lane */
  readonly atOnce?: number;
}

/** A requested run. */
export interface Job {
  readonly task: string;
  readonly shard: string;
  /** The minimum delay. @default 0 */
  readonly afterMs?: number;
}

/** A started task. */
export interface RunningTask {
  /** Runs a shard immediately, ahead of the sweep. Resolves when the request is accepted, not when the run is done. */
  request(shard: string): Promise<void>;
  /** Waits for current runs and starts no more. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Runs tasks: one worker per shard at a time, across all processes, with jitter that only shortens the interval.
 * A run that throws is logged and repeated at its next turn; it never stops the task.
 */
export interface Scheduler {
  /** Starts a task; each task is started once. */
  start(task: ShardedTask): Promise<RunningTask>;
  /**
   * Requests a run of a task's shard, even one that `shards` doesn't list. Resolves when the request is accepted. Two requests for a
   * waiting shard cause one run, at the earlier time. A request during a run causes another run afterwards.
   *
   * - If several processes schedule, they MUST share the jobs: a process without tasks may enqueue, any process with the task may run the job,
   *   and another one runs it if that process dies.
   * - In one process, a job for a task that isn't started there is dropped. `shards` lists pending work, so this costs only time.
   */
  enqueue(job: Job): Promise<void>;
  /** How long after its last renewal a lease ends, if several processes schedule. A cloud write may take at most half of it. @default it never ends */
  readonly leaseMs?: number;
  /**
   * Fails when work can't be queued or started now, such as when another session has locked the queue.
   *
   * @throws {StoreFailed}
   * @default it always can
   */
  requireJobs?(): Promise<void>;
  /** Closes connections, after every task has been stopped. Idempotent. @default there are none */
  close?(): Promise<void>;
}
