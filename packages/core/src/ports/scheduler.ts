/** The right to work on a shard until a deadline, which nobody else has meanwhile. */
export interface Lease {
  /** By the monotonic clock; later with each renewal. No cloud write may begin within its own timeout of it. */
  readonly deadline: number;
  /** Fires when the lease is lost or the scheduler stops. */
  readonly signal: AbortSignal;
}

/** Work that comes back: for every shard, about every interval. */
export interface ShardedTask {
  readonly name: string;
  readonly everyMs: number;
  /** The shards there are now; asked again at every round. For work that is owed by somebody: those who are owed it. */
  readonly shards: () => Promise<readonly string[]>;
  /** Works on one shard while the lease lasts. Throwing ends this run alone. */
  readonly run: (shard: string, lease: Lease) => Promise<void>;
  /** Who waits for it. A scheduler that limits how much runs at once MUST NOT let a sweep take the places of people's work. @default "sweep" */
  readonly lane?: "people" | "sweep";
  /** How many runs one process may hold at the same time, where they mostly wait for others. @default the scheduler's limit for the lane */
  readonly atOnce?: number;
}

/** A run that is asked for. */
export interface Job {
  /** The name of the task that it is of. */
  readonly task: string;
  readonly shard: string;
  /** Not before so long has passed. @default 0 */
  readonly afterMs?: number;
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
  /**
   * Asks for a run of a task's shard, also of one that `shards` doesn't name; resolves when it was accepted. What is asked for twice while
   * it waits is done once, at the sooner time; what is asked for while it runs is run once more.
   *
   * - Where several processes schedule, it MUST be kept with them: a process that runs no tasks may ask, any that does may do it, and another
   *   one does it when that dies.
   * - In one process, what nobody has started there is let go: `shards` names what is owed, so nothing is lost by that but time.
   */
  enqueue(job: Job): Promise<void>;
  /** How long after its last renewal a lease ends: of a scheduler of several processes. No cloud write takes longer than half of it. @default it never ends */
  readonly leaseMs?: number;
  /**
   * Fails when work can't be queued or started now, such as when another session has locked the queue.
   *
   * @throws {StoreFailed}
   * @default it always can
   */
  requireJobs?(): Promise<void>;
  /** Lets go of connections, after every task has been stopped. Idempotent. @default there are none */
  close?(): Promise<void>;
}
