import type { Runtime } from "../../src/ports/runtime.ts";
import type { Lease, RunningTask, Scheduler, ShardedTask } from "../../src/ports/scheduler.ts";

/** What schedulers of several processes can get wrong. */
export const fleetFlaws = [
  "each process runs everything",
  "what is asked for stays in the process",
  "a stop keeps what it holds",
  "takes over what is held",
  "never takes over",
  "the lease outlives the taking",
  "leases aren't renewed",
  "what is lost isn't told",
] as const;
type FleetFlaw = (typeof fleetFlaws)[number];

/** A shard that is to be run, or is. */
interface Slot {
  dueAt: number;
  holder: Lease | null;
  /** When others may take it. */
  freeAt: number;
}

const leaseMs = 20_000;
const never = Number.POSITIVE_INFINITY;

/** Schedulers of several processes that share in memory what there is to do: as small as they can be, and right but for the flaw. */
export function memoryFleet({ clock }: Pick<Runtime, "clock">, flaw: FleetFlaw | null = null) {
  const shared = new Map<string, Slot>();
  const quietly = (ms: number, signal: AbortSignal) => clock.sleep(ms, { signal }).catch(() => {});

  function openProcess(isCut: () => boolean): Scheduler {
    const slots = flaw === "each process runs everything" ? new Map<string, Slot>() : shared;
    const own = new Set<string>();

    function ask(task: string, shard: string, afterMs: number): void {
      if (flaw === "what is asked for stays in the process" && !own.has(task)) return;
      const name = `${task} ${shard}`;
      const slot = slots.get(name) ?? { dueAt: never, holder: null, freeAt: 0 };
      slots.set(name, { ...slot, dueAt: Math.min(slot.dueAt, clock.monotonic() + afterMs) });
    }

    /** Runs a shard under a lease that is renewed, and says when it is to run next. */
    async function hold(task: ShardedTask, shard: string, stop: AbortSignal): Promise<void> {
      const [lost, over] = [new AbortController(), new AbortController()];
      const startedAt = clock.monotonic();
      const signal = flaw === "what is lost isn't told" ? stop : AbortSignal.any([stop, lost.signal]);
      const lease = { signal, deadline: startedAt + leaseMs };
      const name = `${task.name} ${shard}`;
      slots.set(name, { dueAt: never, holder: lease, freeAt: lease.deadline });
      const renewing = (async () => {
        while (!over.signal.aborted && !lost.signal.aborted) {
          await quietly(1_000, over.signal);
          const [now, slot] = [clock.monotonic(), slots.get(name)];
          if (now >= lease.deadline) lost.abort();
          else if (flaw === "the lease outlives the taking" && isCut()) lease.deadline = now + leaseMs;
          else if (!isCut() && flaw !== "leases aren't renewed" && slot?.holder === lease)
            slot.freeAt = lease.deadline = now + leaseMs;
        }
      })();
      await task.run(shard, lease).catch(() => {});
      over.abort();
      await renewing;
      const slot = slots.get(name);
      if (slot?.holder !== lease || isCut() || (flaw === "a stop keeps what it holds" && stop.aborted)) return;
      const isNamed = (await task.shards().catch((): readonly string[] => [])).includes(shard);
      const next = stop.aborted ? clock.monotonic() : startedAt + task.everyMs;
      slots.set(name, { dueAt: Math.min(slot.dueAt, isNamed ? next : never), holder: null, freeAt: 0 });
    }

    function isDue({ dueAt, holder, freeAt }: Slot): boolean {
      const now = clock.monotonic();
      if (holder === null) return dueAt <= now;
      return flaw === "takes over what is held" || (flaw !== "never takes over" && freeAt <= now);
    }

    async function start(task: ShardedTask): Promise<RunningTask> {
      const stop = new AbortController();
      const running = new Set<Promise<void>>();
      own.add(task.name);
      const round = async () => {
        const named = (await task.shards().catch((): readonly string[] => [])).map((shard) => `${task.name} ${shard}`);
        for (const name of named) if (!slots.has(name)) slots.set(name, { dueAt: 0, holder: null, freeAt: 0 });
        for (const [name, slot] of [...slots]) {
          if (!name.startsWith(`${task.name} `) || !isDue(slot) || stop.signal.aborted) continue;
          const held: Promise<void> = hold(task, name.slice(task.name.length + 1), stop.signal).finally(() =>
            running.delete(held),
          );
          running.add(held);
        }
      };
      const rounds = (async () => {
        while (!stop.signal.aborted) {
          if (!isCut()) await round();
          await quietly(500, stop.signal);
        }
      })();
      return {
        request: async (shard) => (stop.signal.aborted ? undefined : ask(task.name, shard, 0)),
        async stop() {
          stop.abort();
          await Promise.all([rounds, ...running]);
        },
      };
    }

    return { leaseMs, start, enqueue: async ({ task, shard, afterMs = 0 }) => ask(task, shard, afterMs) };
  }

  let isCut = false;
  return {
    scheduler: openProcess(() => isCut),
    another: async () => openProcess(() => false),
    async cut() {
      isCut = true;
    },
  };
}
