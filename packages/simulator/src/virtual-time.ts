import { LiveplaneError } from "@liveplane/core/errors";
import { taskTurns } from "@liveplane/core/testing/internal";

/** Time that moves only from one sleeper to the next. Between two of them, everything that can run does. */
export interface VirtualTime {
  /** Milliseconds since the simulation began. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Moves to the next sleeper due by then; false if there is none and the instant is reached. */
  step(until: number): Promise<boolean>;
  /** Wakes everything that still sleeps. */
  end(): void;
}

/** A sleeper: it waits for an instant, or until it is cancelled. */
export interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
  isGone: boolean;
}

/** A sleeper in a heap: equal times wake in the order of insertion. */
interface OrderedSleeper extends Sleeper {
  readonly order: number;
}

/** Sleeps until woken by the sleeper's holder, or cancelled. */
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

/** Sleepers with the same instant wake in the order in which they were added. */
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

/** The sleepers as a heap, earliest first. A cancelled one stays until its time. */
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
