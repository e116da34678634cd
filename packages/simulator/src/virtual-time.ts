import { LiveplaneError } from "@liveplane/core/errors";
import { taskTurns } from "@liveplane/core/testing/internal";

/** Time that moves only from one sleeper to the next. Between two of them everything that can run does. */
export interface VirtualTime {
  /** Milliseconds since the simulation began. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Moves to the next sleeper that wakes by then; false: there is none, and it is then. */
  step(until: number): Promise<boolean>;
  /** Lets everything go that still sleeps. */
  end(): void;
}

/** Somebody who waits for an instant, or until they are called away. */
export interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
  isGone: boolean;
}

/** Somebody in a heap: of those who wake at once, who lay down first wakes first. */
interface OrderedSleeper extends Sleeper {
  readonly order: number;
}

/** Sleeps until the holder of the sleeper wakes them, or until they are called away. */
export function asleep(at: number, signal: AbortSignal | undefined, lay: (sleeper: Sleeper) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(new LiveplaneError("Aborted", undefined, { cause: signal?.reason }));
    if (signal?.aborted) return aborted();
    const onAbort = () => {
      sleeper.isGone = true;
      aborted();
    };
    const wake = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    const sleeper: Sleeper = { at, wake, isGone: false };
    lay(sleeper);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Builds a virtual time. What sleeps until the same instant wakes in the order in which it lay down. */
export function virtualTime(): VirtualTime {
  const sleepers = new Sleepers();
  const turns = taskTurns();
  let now = 0;
  let order = 0;

  return {
    now: () => now,
    sleep: (ms, signal) =>
      asleep(now + Math.max(0, ms), signal, (sleeper) => sleepers.add(Object.assign(sleeper, { order: ++order }))),
    async step(until) {
      await turns.next();
      const first = sleepers.first();
      if (first === null || first.at > until) {
        now = Math.max(now, until);
        return false;
      }
      sleepers.takeFirst();
      now = Math.max(now, first.at);
      first.wake();
      return true;
    },
    end() {
      sleepers.clear();
      turns.end();
    },
  };
}

/** Who sleeps, as a heap: the earliest is at hand. Who was called away stays in it until it would have woken. */
class Sleepers {
  #heap: OrderedSleeper[] = [];

  add(sleeper: OrderedSleeper): void {
    const heap = this.#heap;
    let at = heap.push(sleeper) - 1;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if (!isBefore(sleeper, heap[above])) break;
      heap[at] = heap[above] as OrderedSleeper;
      at = above;
    }
    heap[at] = sleeper;
  }

  first(): OrderedSleeper | null {
    while (this.#heap[0]?.isGone) this.takeFirst();
    return this.#heap[0] ?? null;
  }

  takeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const least = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!isBefore(heap[least], last)) break;
      heap[at] = heap[least] as OrderedSleeper;
      at = least;
    }
    heap[at] = last;
  }

  clear(): void {
    this.#heap = [];
  }
}

function isBefore(a: OrderedSleeper | undefined, b: OrderedSleeper | undefined): boolean {
  if (a === undefined) return false;
  return b === undefined || a.at < b.at || (a.at === b.at && a.order < b.order);
}
