import type { Clock, Lease, RunningTask, Runtime, ShardedTask } from "@liveplane/core";
import type { HeldJob, JobQueue, NextJob } from "./job-queue.ts";
import { RenewedLease } from "./renewed-lease.ts";

/** Dependencies and limits of the work on a task. */
export interface ShardedWorkDeps {
  readonly queue: JobQueue;
  readonly runtime: Pick<Runtime, "clock" | "crypto" | "logger" | "metrics">;
  readonly leaseMs: number;
  /** The most runs at once. */
  readonly atOnce: number;
  /** Jitter shortens an interval by at most this part of it. */
  readonly jitter: number;
}

/** A task running in this process. */
export interface ShardedWork extends Pick<RunningTask, "stop"> {
  /** Looks for due jobs now. */
  wake(): void;
}

/** How often due jobs are polled: ten times an interval, within these bounds. */
const pollMs = { least: 500, most: 2_000 };
/** The longest time between checks for shards without a job; once an interval if that is shorter. */
const mostLookMs = 10_000;
/** How long the known shards count as current. */
const freshMs = 1_000;
/** How often a lease is renewed before it would end, so that some renewals may fail. */
const renewals = 6;

const unreadable = "The queue could not be read; the read is repeated.";

/** Runs the due jobs of a task, a limited number at once, until it is stopped. */
export function startShardedWork(task: ShardedTask, deps: ShardedWorkDeps): ShardedWork {
  const { queue, runtime, leaseMs, atOnce, jitter } = deps;
  const { clock, logger, metrics } = runtime;
  const stop = new AbortController();
  const idle = new AbortController();
  const held = new Map<HeldJob, { readonly lease: RenewedLease; readonly done: Promise<void> }>();
  const labels = { task: task.name };
  const rest = restOn(clock, stop.signal);
  const shards = knownShards(task, { queue, clock, onNew: rest.wake });
  let isMore = false;

  async function takeDue(): Promise<void> {
    const free = atOnce - held.size;
    if (free <= 0) return;
    const askedAt = clock.monotonic();
    const jobs = await queue.take(free);
    isMore = jobs.length === free;
    for (const job of jobs) {
      const lease = new RenewedLease(askedAt + leaseMs, { clock, stop: stop.signal });
      held.set(job, { lease, done: work(job, lease).finally(() => letGo(job, lease)) });
      metrics.observe("liveplane_shard_late_seconds", job.lateMs / 1000, labels);
    }
    tellHeld();
  }

  function letGo(job: HeldJob, lease: RenewedLease): void {
    lease.end();
    held.delete(job);
    tellHeld();
    if (isMore) rest.wake();
    if (stop.signal.aborted && held.size === 0) idle.abort();
  }

  function tellHeld(): void {
    metrics.gauge("liveplane_shards_held", held.size, labels);
  }

  async function work(job: HeldJob, lease: RenewedLease): Promise<void> {
    const { shard, isAsked } = job;
    const startedAt = clock.monotonic();
    try {
      if (stop.signal.aborted) return await queue.end(job, { afterMs: 0, isAsked });
      if (!isAsked && !(await shards.has(shard))) return await queue.end(job, null);
      await runOnce(shard, lease);
      // A lost job is somebody else's to end.
      if (lease.isLost) metrics.count("liveplane_leases_lost_total", labels);
      else await queue.end(job, nextOf(job, startedAt));
    } catch (error) {
      logger.warn(
        { ...labels, shard, error },
        "A finished run could not be recorded; it runs again after its lease ends.",
      );
    }
  }

  async function runOnce(shard: string, lease: Lease): Promise<void> {
    try {
      await task.run(shard, lease);
    } catch (error) {
      if (lease.signal.aborted) return;
      logger.error({ ...labels, shard, error }, "A run failed; it is repeated at its next turn.");
    }
  }

  /** A job interrupted by a stop is available to another process at once. */
  function nextOf({ shard, isAsked }: HeldJob, startedAt: number): NextJob | null {
    const isNamed = shards.had(shard);
    if (stop.signal.aborted) return isNamed || isAsked ? { afterMs: 0, isAsked: !isNamed } : null;
    const [chance = 0] = runtime.crypto.random(1);
    const dueAt = startedAt + task.everyMs * (1 - (jitter * chance) / 256);
    return isNamed ? { afterMs: Math.max(0, dueAt - clock.monotonic()), isAsked: false } : null;
  }

  async function renew(): Promise<void> {
    const jobs = [...held].flatMap(([job, { lease }]) => (lease.isLost ? [] : [job]));
    if (jobs.length === 0) return;
    const now = clock.monotonic();
    const renewed = await queue.renew(jobs);
    for (const job of jobs) {
      const lease = held.get(job)?.lease;
      if (renewed.has(job.id)) lease?.renew(now + leaseMs);
      else lease?.lose();
    }
  }

  const repeat = (until: AbortSignal, work: () => Promise<void>, pause: () => Promise<void>) =>
    repeatUntil(until, { work, pause, onError: (error) => logger.warn({ ...labels, error }, unreadable) });
  const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms, { signal }).catch(() => {});
  const betweenTakes = Math.min(pollMs.most, Math.max(pollMs.least, task.everyMs / 10));
  const loops = [
    repeat(stop.signal, shards.look, () => sleep(Math.min(mostLookMs, task.everyMs), stop.signal)),
    repeat(stop.signal, takeDue, () => rest.for(betweenTakes)),
  ];
  const renewing = repeat(idle.signal, renew, () => sleep(leaseMs / renewals, idle.signal));

  return {
    wake: rest.wake,
    async stop() {
      stop.abort();
      await Promise.all(loops);
      if (held.size === 0) idle.abort();
      await Promise.all([renewing, ...[...held.values()].map(({ done }) => done)]);
    },
  };
}

/** The shards of a task, as last read. */
function knownShards(
  task: ShardedTask,
  { queue, clock, onNew }: Pick<ShardedWorkDeps, "queue"> & { readonly clock: Clock; readonly onNew: () => void },
) {
  let known: ReadonlySet<string> = new Set();
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** Reads the names of the shards, and makes sure that each has a job. */
  async function look(): Promise<void> {
    const named = await task.shards();
    known = new Set(named);
    lookedAt = clock.monotonic();
    if ((await queue.fill(named, task.everyMs)) > 0) onNew();
  }

  async function has(shard: string): Promise<boolean> {
    if (!known.has(shard) && clock.monotonic() - lookedAt >= freshMs) await look();
    return known.has(shard);
  }

  return { look, has, had: (shard: string) => known.has(shard) };
}

/** Repeats work with pauses. An error is reported and doesn't end the loop. */
async function repeatUntil(
  until: AbortSignal,
  loop: {
    readonly work: () => Promise<void>;
    readonly pause: () => Promise<void>;
    readonly onError: (error: unknown) => void;
  },
): Promise<void> {
  while (!until.aborted) {
    await loop.work().catch(loop.onError);
    if (!until.aborted) await loop.pause();
  }
}

/** A pause that `wake` ends, even one that hasn't started yet. */
function restOn(clock: Pick<Clock, "sleep">, stop: AbortSignal) {
  let isWoken = false;
  let woken = new AbortController();
  return {
    wake() {
      isWoken = true;
      woken.abort();
    },
    async for(ms: number): Promise<void> {
      if (!isWoken) {
        woken = new AbortController();
        await clock.sleep(ms, { signal: AbortSignal.any([stop, woken.signal]) }).catch(() => {});
      }
      isWoken = false;
    },
  };
}
