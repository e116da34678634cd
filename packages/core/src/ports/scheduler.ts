/** The right to work on a shard until a deadline, which nobody else has meanwhile. */
export interface Lease {
  /** By the monotonic clock. No cloud write may begin within its own timeout of it. */
  readonly deadline: number;
  /** Fires when the lease is lost or the scheduler stops. */
  readonly signal: AbortSignal;
}

/** Work that comes back: for every shard, about every interval. */
export interface ShardedTask {
  readonly name: string;
  readonly everyMs: number;
  /** The shards there are now; asked again at every round. */
  readonly shards: () => Promise<readonly string[]>;
  /** Works on one shard while the lease lasts. Throwing ends this run alone. */
  readonly run: (shard: string, lease: Lease) => Promise<void>;
}

/** A task under way. */
export interface RunningTask {
  /** Runs a shard at once, ahead of the sweep; resolves when it was accepted, not when it is done. */
  request(shard: string): Promise<void>;
  /** Lets what is under way finish, begins nothing more. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Runs tasks: each shard by one worker at a time, anywhere, with jitter that only shortens the interval.
 * A run that throws is logged and comes back at its next turn; it never stops the task.
 */
export interface Scheduler {
  /** Begins to run a task; each task is started once. */
  start(task: ShardedTask): Promise<RunningTask>;
}
