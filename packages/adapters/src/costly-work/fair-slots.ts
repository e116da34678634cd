import { availableParallelism } from "node:os";
import type { CostlyWork } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { createFairLine } from "./fair-line.ts";

/** Bounds of costly work. */
export interface FairSlotsOptions {
  /** How many pieces may be under way at once; of one share half of them, rounded up. */
  readonly atOnce: number;
  /** How long a piece waits while nothing of its share is under way. @default 15000 */
  readonly waitMs?: number;
  /** How many pieces wait in all. @default 1024 */
  readonly mostWaiting?: number;
  /** How many pieces of one share wait. @default 128 */
  readonly mostWaitingOfOne?: number;
}

/**
 * Does costly work, a few pieces at once, share by share in turn. What can't be begun in time is refused as `Unavailable`. Who
 * is gone is answered `Aborted` at once; their piece gives its place back when it ends.
 */
export type FairSlots = <T>(work: () => Promise<T>, whose?: CostlyWork) => Promise<T>;

/** How many password hashes may be under way: more only fill memory and slow each other. */
export const defaultHashSlots: number = 2 * availableParallelism();

/** A piece of work that waits for its turn. */
interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
  readonly patience: NodeJS.Timeout;
}

/** Creates places for costly work. */
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
    // One's own work isn't a reason to give up: anyone who waits behind it is as patient as if they had just come.
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

/** What anyone who left is answered. */
export function abortedBy(signal: AbortSignal | undefined): LiveplaneError {
  return new LiveplaneError("Aborted", undefined, { cause: signal?.reason });
}
