import { LiveplaneError } from "../../errors.ts";

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

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Builds a virtual time. What sleeps until the same instant wakes in the order in which it lay down. */
export function virtualTime(): VirtualTime {
  const sleepers = new Set<Sleeper>();
  const turns = taskTurns();
  let now = 0;

  function earliest(): Sleeper | null {
    let first: Sleeper | null = null;
    for (const sleeper of sleepers) if (first === null || sleeper.at < first.at) first = sleeper;
    return first;
  }

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const aborted = () => reject(new LiveplaneError("Aborted", undefined, { cause: signal?.reason }));
        if (signal?.aborted) return aborted();
        const onAbort = () => sleepers.delete(sleeper) && aborted();
        const sleeper: Sleeper = {
          at: now + Math.max(0, ms),
          wake() {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    async step(until) {
      await turns.next();
      const first = earliest();
      if (first === null || first.at > until) {
        now = Math.max(now, until);
        return false;
      }
      sleepers.delete(first);
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

/** Turns of the event loop: one is over when everything that waited for nothing but promises has run. */
function taskTurns(): { next(): Promise<void>; end(): void } {
  const { port1, port2 } = new MessageChannel();
  let go: () => void = () => {};
  port1.onmessage = () => go();
  return {
    next: () =>
      new Promise((resolve) => {
        go = resolve;
        port2.postMessage(null);
      }),
    end() {
      port1.close();
      port2.close();
    },
  };
}
