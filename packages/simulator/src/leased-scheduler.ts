import type { Lease, RunningTask, Runtime, Scheduler, ShardedTask } from "@liveplane/core";
import type { Chance } from "./chance.ts";
import type { Life } from "./mortal-ports.ts";

/** How long a lease lasts after its last renewal. */
const leaseMs = 12_000;
const renewedEveryMs = 2_000;
const lookedAtEveryMs = 1_000;

/** The runs of one shard, as all processes know them. */
interface SharedRun {
  /** Who has it until when; `null`: nobody. A holder that doesn't renew its lease loses it. */
  holder: { readonly by: string; until: number } | null;
  dueAt: number;
}

/** What the processes of a world share: one run of a shard at a time. It outlives them. */
export type SharedRuns = Map<string, SharedRun>;

/** Which process has a lease now. */
export function leaseHolderOf(runs: SharedRuns, lease: string, now: number): string | null {
  const holder = runs.get(lease)?.holder ?? null;
  return holder === null || holder.until <= now ? null : holder.by;
}

/** Dependencies of a process's scheduler. */
export interface LeasedSchedulerOptions {
  /** The name of the process. */
  readonly name: string;
  readonly runs: SharedRuns;
  readonly runtime: Runtime;
  readonly life: Pick<Life, "step">;
  readonly chance: Chance;
}

/** A scheduler under leases that end: a process that pauses loses its shard to another one, and goes on without knowing. */
export function leasedScheduler({ name: by, runs, runtime, life, chance }: LeasedSchedulerOptions): Scheduler {
  const { clock, logger } = runtime;

  /** The run of a shard, whose first turn may come at any time of an interval. */
  function runOf(name: string, everyMs: number): SharedRun {
    const known = runs.get(name) ?? { holder: null, dueAt: clock.monotonic() + chance.below(everyMs) };
    runs.set(name, known);
    return known;
  }

  function ask(name: string, afterMs: number): void {
    const dueAt = clock.monotonic() + afterMs;
    const known = runs.get(name);
    if (known === undefined) runs.set(name, { holder: null, dueAt });
    else known.dueAt = Math.min(known.dueAt, dueAt);
  }

  /** Runs a shard once, if it is due and nobody has it. One that isn't named is run because somebody asked for it. */
  async function take(task: ShardedTask, { shard, isNamed }: Shard, stop: AbortSignal): Promise<void> {
    const name = `${task.name} ${shard}`;
    const run = runOf(name, task.everyMs);
    const now = clock.monotonic();
    if (run.dueAt > now && (run.holder === null || run.holder.until > now)) return;
    if (run.holder !== null && run.holder.until > now) return;
    const holder = { by, until: now + leaseMs };
    run.holder = holder;
    run.dueAt = Number.POSITIVE_INFINITY;
    const held = newLease(holder.until, { clock, stop });
    const over = new AbortController();
    void renew(run, holder, held, over.signal);
    try {
      await task.run(shard, held.lease);
    } catch (error) {
      if (!held.lease.signal.aborted) logger.error({ task: task.name, shard, error }, "A run failed.");
    }
    await life.step();
    over.abort();
    // A run that was lost is somebody else's by now.
    if (run.holder !== holder) return;
    run.holder = null;
    if (isNamed || stop.aborted) run.dueAt = Math.min(run.dueAt, stop.aborted ? now : now + task.everyMs);
    else if (run.dueAt === Number.POSITIVE_INFINITY) runs.delete(name);
  }

  async function renew(run: SharedRun, holder: NonNullable<SharedRun["holder"]>, held: HeldLease, over: AbortSignal) {
    while (!over.aborted) {
      await clock.sleep(renewedEveryMs, { signal: over }).catch(() => {});
      await life.step();
      if (over.aborted) return;
      const now = clock.monotonic();
      if (run.holder !== holder || holder.until <= now) return held.lose();
      holder.until = now + leaseMs;
      held.extend(holder.until);
    }
  }

  /** The named shards, and those that somebody asked for. */
  function shardsOf({ name: task }: ShardedTask, named: readonly string[]): Shard[] {
    const asked = [...runs.keys()].flatMap((name) =>
      name.startsWith(`${task} `) ? [name.slice(task.length + 1)] : [],
    );
    return [...new Set([...named, ...asked])].map((shard) => ({ shard, isNamed: named.includes(shard) }));
  }

  async function lookForWork(task: ShardedTask, stop: AbortSignal): Promise<void> {
    const running = new Map<string, Promise<void>>();
    while (!stop.aborted) {
      const named = await task.shards().catch((error: unknown) => {
        if (!stop.aborted) logger.error({ task: task.name, error }, "The shards could not be read.");
        return [];
      });
      for (const one of shardsOf(task, named)) {
        const { shard } = one;
        if (stop.aborted || running.has(shard)) continue;
        running.set(
          shard,
          take(task, one, stop).finally(() => running.delete(shard)),
        );
      }
      await clock.sleep(lookedAtEveryMs, { signal: stop }).catch(() => {});
    }
    await Promise.allSettled(running.values());
  }

  return {
    leaseMs,
    async start(task): Promise<RunningTask> {
      const stop = new AbortController();
      const looking = lookForWork(task, stop.signal);
      return {
        request: async (shard) => ask(`${task.name} ${shard}`, 0),
        async stop() {
          stop.abort();
          await looking;
        },
      };
    },
    async enqueue({ task, shard, afterMs = 0 }) {
      ask(`${task} ${shard}`, afterMs);
    },
  };
}

interface Shard {
  readonly shard: string;
  readonly isNamed: boolean;
}

interface HeldLease {
  readonly lease: Lease;
  extend(deadline: number): void;
  lose(): void;
}

/** A lease that ends by itself unless it is extended. */
function newLease(
  first: number,
  { clock, stop }: { readonly clock: Runtime["clock"]; readonly stop: AbortSignal },
): HeldLease {
  const lost = new AbortController();
  let deadline = first;
  const watch = async () => {
    while (!lost.signal.aborted && clock.monotonic() < deadline)
      await clock.sleep(deadline - clock.monotonic(), { signal: lost.signal }).catch(() => {});
    lost.abort();
  };
  void watch();
  return {
    lease: {
      get deadline() {
        return deadline;
      },
      signal: AbortSignal.any([stop, lost.signal]),
    },
    extend(until) {
      deadline = until;
    },
    lose: () => lost.abort(),
  };
}
