import type { Job, Lease, RunningTask, Scheduler, ShardedTask } from "@liveplane/core";
import { taskTurns } from "@liveplane/core/testing/internal";
import { type Chance, chanceOf } from "../chance.ts";
import type { Stage } from "../stage.ts";
import { asleep, type Sleeper } from "../virtual-time.ts";

/** A longer sleep is a wait for time to pass, not a call. */
const longestCallMs = 150;

/** A waiting call of a process, or -1 for none. */
interface Caller extends Sleeper {
  readonly slot: number;
}

/** A stage where nothing continues by itself: calls wait in their process's queue, everything else waits for time. */
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
    // Without randomness: each call takes its longest time, and the last running process is asked.
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

  /** Lets everything run that waits only for promises. */
  settle(): Promise<void> {
    return this.#engine.next();
  }

  /** The number of a process's waiting calls. */
  waiting(slot: number): number {
    return this.#calls[slot]?.length ?? 0;
  }

  /** Continues the oldest waiting call of a process. */
  go(slot: number): void {
    this.#calls[slot]?.shift()?.wake();
  }

  /** A dead process makes no more calls. */
  forget(slot: number): void {
    this.#calls[slot]?.splice(0);
    const gone = this.#timers.filter((timer) => timer.slot === slot);
    this.#timers = this.#timers.filter((timer) => !gone.includes(timer));
  }

  /** Runs all periodic work of a process once. */
  turn(slot: number): Promise<void> {
    return this.#schedulers[slot]?.turn() ?? Promise.resolve();
  }

  /** When the next timer wakes; `null` if there is none. */
  nextTimer(): number | null {
    const waiting = this.#timers.filter(({ isGone }) => !isGone);
    return waiting.length === 0 ? null : Math.min(...waiting.map(({ at }) => at));
  }

  /** Passes time until an instant, waking timers in order, one at a time. False: the instant is reached without one. */
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

  /** The remaining time of each timer, for comparing moments. */
  timersFrom(now: number): number[] {
    return this.#timers.filter(({ isGone }) => !isGone).map(({ at }) => at - now);
  }

  #sleep(line: Caller[], { slot, ms, signal }: { slot: number; ms: number; signal: AbortSignal | undefined }) {
    return asleep(this.#now + Math.max(0, ms), signal, (sleeper) => line.push(Object.assign(sleeper, { slot })));
  }
}

/** Runs tasks when told to, every shard once; requested shards run at once. */
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
        // A failed run is repeated at its next turn.
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
