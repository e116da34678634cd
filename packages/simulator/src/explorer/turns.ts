import type { Job, Lease, RunningTask, Scheduler, ShardedTask } from "@liveplane/core";
import { taskTurns } from "@liveplane/core/testing/internal";
import { type Chance, chanceOf } from "../chance.ts";
import type { Stage } from "../stage.ts";
import { asleep, type Sleeper } from "../virtual-time.ts";

/** What takes longer than any call is a wait for time to pass. */
const longestCallMs = 150;

/** Somebody of a process who waits; of none: -1. */
interface Caller extends Sleeper {
  readonly slot: number;
}

/** A stage on which nothing continues until it is told to: calls wait in their process's line, everything else for time. */
export class Turns implements Stage {
  readonly chance: Chance;
  readonly time;
  readonly #calls: Caller[][];
  readonly #schedulers: TurnScheduler[] = [];
  readonly #engine = taskTurns();
  #timers: Caller[] = [];
  #now = 0;

  constructor(slots: number) {
    this.#calls = Array.from({ length: slots }, () => []);
    const { bytes } = chanceOf(1);
    // Nothing is left to chance: each call takes its longest, who is asked is the last process that is there.
    this.chance = {
      bytes,
      below: (limit) => Math.max(0, limit - 1),
      between: (_least, most) => most,
      happens: () => false,
      pick: ([first]) => first,
    };
    this.time = {
      now: () => this.#now,
      sleep: (ms: number, signal?: AbortSignal) => this.#sleep(this.#timers, { slot: -1, ms, signal }),
      step: async () => false,
      end: () => this.#engine.end(),
    };
  }

  wireOf(slot: number) {
    return {
      sleep: (ms: number, signal?: AbortSignal) =>
        this.#sleep(ms > longestCallMs ? this.#timers : (this.#calls[slot] ?? []), { slot, ms, signal }),
    };
  }

  schedulerOf(slot: number): Scheduler {
    const scheduler = new TurnScheduler();
    this.#schedulers[slot] = scheduler;
    return scheduler;
  }

  /** Lets everything run that waits for nothing but promises. */
  settle(): Promise<void> {
    return this.#engine.next();
  }

  /** How many calls of a process wait. */
  waiting(slot: number): number {
    return this.#calls[slot]?.length ?? 0;
  }

  /** Lets the call of a process continue that has waited longest. */
  go(slot: number): void {
    this.#calls[slot]?.shift()?.wake();
  }

  /** A dead process calls nobody any more. */
  forget(slot: number): void {
    this.#calls[slot]?.splice(0);
    const gone = this.#timers.filter((timer) => timer.slot === slot);
    this.#timers = this.#timers.filter((timer) => !gone.includes(timer));
  }

  /** All that a process does from time to time, once. */
  turn(slot: number): Promise<void> {
    return this.#schedulers[slot]?.turn() ?? Promise.resolve();
  }

  /** When the next one wakes who waits for time; `null`: nobody does. */
  nextTimer(): number | null {
    const waiting = this.#timers.filter(({ isGone }) => !isGone);
    return waiting.length === 0 ? null : Math.min(...waiting.map(({ at }) => at));
  }

  /** Time passes until an instant; who wakes by then wakes in order, one at a time. False: it is then, and nobody does. */
  passTo(instant: number): boolean {
    const first = this.#timers.filter(({ isGone }) => !isGone).sort((a, b) => a.at - b.at)[0];
    if (first === undefined || first.at > instant) {
      this.#now = Math.max(this.#now, instant);
      return false;
    }
    this.#now = Math.max(this.#now, first.at);
    this.#timers.splice(this.#timers.indexOf(first), 1);
    first.wake();
    return true;
  }

  /** How far away each is that waits for time, for who compares moments. */
  timersFrom(now: number): number[] {
    return this.#timers.filter(({ isGone }) => !isGone).map(({ at }) => at - now);
  }

  #sleep(line: Caller[], { slot, ms, signal }: { slot: number; ms: number; signal: AbortSignal | undefined }) {
    return asleep(this.#now + Math.max(0, ms), signal, (sleeper) => line.push(Object.assign(sleeper, { slot })));
  }
}

/** Runs tasks when told to, every shard once; what is asked for by name at once. */
class TurnScheduler implements Scheduler {
  readonly #tasks: (() => Promise<void>)[] = [];
  readonly #running = new Map<string, RunningTask>();
  readonly #stop = new AbortController();

  async start(task: ShardedTask): Promise<RunningTask> {
    const running = new Map<string, { again: boolean; ended: Promise<void> }>();
    const lease: Lease = { deadline: Number.POSITIVE_INFINITY, signal: this.#stop.signal };
    const repeated = async (shard: string, state: { again: boolean }) => {
      do {
        state.again = false;
        // A run that fails comes back at its next turn.
        await task.run(shard, lease).catch(() => {});
      } while (state.again && !this.#stop.signal.aborted);
      running.delete(shard);
    };
    const run = (shard: string): Promise<void> => {
      const state = running.get(shard) ?? { again: false, ended: Promise.resolve() };
      if (running.get(shard) === undefined && !this.#stop.signal.aborted) {
        running.set(shard, state);
        state.ended = repeated(shard, state);
      }
      return state.ended;
    };
    this.#tasks.push(async () => {
      for (const shard of await task.shards().catch(() => [])) await run(shard);
    });
    const started: RunningTask = {
      request: async (shard) => {
        const state = running.get(shard);
        if (state === undefined) void run(shard);
        else state.again = true;
      },
      stop: async () => {
        this.#stop.abort();
        await Promise.allSettled([...running.values()].map(({ ended }) => ended));
      },
    };
    this.#running.set(task.name, started);
    return started;
  }

  async enqueue({ task, shard }: Job): Promise<void> {
    await this.#running.get(task)?.request(shard);
  }

  async turn(): Promise<void> {
    for (const task of this.#tasks) if (!this.#stop.signal.aborted) await task();
  }
}
