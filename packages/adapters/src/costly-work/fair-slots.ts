import { availableParallelism } from "node:os";
import type { CostlyWork } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { createFairLine } from "./fair-line.ts";

/** Limits of costly work. */
export interface FairSlotsOptions {
  /** The most concurrent pieces; for one share half of them, rounded up. */
  readonly atOnce: number;
  /** How long a piece waits while nothing of its share is running. @default 15000 */
  readonly waitMs?: number;
  /** How many pieces wait in all. @default 1024 */
  readonly mostWaiting?: number;
  /** How many pieces of one share wait. @default 128 */
  readonly mostWaitingOfOne?: number;
}

/**
 * Runs costly work, a few pieces at once, with shares taking turns. What can't start in time is refused as `Unavailable`. A caller who
 * leaves gets `Aborted` at once; their piece frees its place when it ends.
 */
export type FairSlots = <T>(work: () => Promise<T>, whose?: CostlyWork) => Promise<T>;

/** The most concurrent password hashes: more would only fill memory and slow each other down. */
export const defaultHashSlots: number = 2 * availableParallelism();

/** A waiting piece of work. */
interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
  readonly patience: NodeJS.Timeout;
}

export function fairSlots(options: FairSlotsOptions): FairSlots {
  const { atOnce, waitMs = 15_000, mostWaiting = 1024, mostWaitingOfOne = 128 } = options;
  const atOnceOfOne = Math.ceil(atOnce / 2);
  const line = createFairLine<Waiting>({ atOnce, atOnceOfOne, mostWaiting, mostWaitingOfOne });
  const tooMuch = () => {
    const details = { retryAfterSeconds: Math.ceil(waitMs / 1000) };
    return new LiveplaneError("Unavailable", "The server is too busy. Try again later.", { details });
  };

  function advance(): void {
    for (let next = line.next(); next !== null; next = line.next()) next.begin();
  }

  function end(share: string): void {
    line.end(share);
    // A share's own work isn't a reason to give up: whoever waits behind it starts its patience anew.
    for (const { patience } of line.waiting(share)) patience.refresh();
    advance();
  }

  function turn(share: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (how: () => void) => {
        clearTimeout(waiting.patience);
        signal?.removeEventListener("abort", leave);
        how();
      };
      const giveUp = (reason: LiveplaneError) => {
        if (line.leave(share, waiting)) settle(() => reject(reason));
      };
      const leave = () => giveUp(abortedBy(signal));
      const patience = setTimeout(() => line.isAtWork(share) || giveUp(tooMuch()), waitMs);
      const refuse = () => settle(() => reject(tooMuch()));
      const waiting: Waiting = { patience, refuse, begin: () => settle(resolve) };
      signal?.addEventListener("abort", leave, { once: true });
      line.join(share, waiting)?.refuse();
      advance();
    });
  }

  return async (work, { share = "", signal } = {}) => {
    if (signal?.aborted) throw abortedBy(signal);
    await turn(share, signal);
    const done = (async () => (signal?.aborted ? Promise.reject(abortedBy(signal)) : work()))().finally(() =>
      end(share),
    );
    return signal === undefined ? done : untilAborted(done, signal);
  };
}

function untilAborted<T>(done: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(abortedBy(signal));
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    void done.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}

/** The answer to a caller who left. */
export function abortedBy(signal: AbortSignal | undefined): LiveplaneError {
  return new LiveplaneError("Aborted", undefined, { cause: signal?.reason });
}
