import type { Clock } from "../../ports/runtime.ts";
import type { Lease } from "../../ports/scheduler.ts";
import { type Dependencies, dependentsOf } from "../declarations/dependency-order.ts";

/**
 * Which steps of a run are working, and which wait for a cloud. If other runs need its slot, a run ends once all its remaining steps wait,
 * and continues later.
 */
export interface RestingSteps {
  /** A step has ended; what waited for it may start. */
  ended(path: string): void;
  /** Pauses a step. Returns false if the run is over. */
  rest(afterMs: number): Promise<boolean>;
  /** When the first waiting step continues; `null` if the run didn't end for that reason. */
  readonly afterMs: number | null;
}

/** A shorter wait isn't worth ending one run and starting another. */
const shortestRestMs = 2_000;

/** Watches the steps of a run from its start. */
export function restingSteps(
  order: Dependencies,
  {
    clock,
    lease,
    woken,
    areRunsScarce,
  }: {
    readonly clock: Pick<Clock, "monotonic" | "sleep">;
    readonly lease: Lease | undefined;
    /** Ends the run at its next rest: there is a newer mutation. */
    readonly woken: AbortSignal;
    readonly areRunsScarce: boolean;
  },
): RestingSteps {
  const dependents = dependentsOf(order);
  const waitsFor = new Map([...order].map(([path, needs]) => [path, needs.length]));
  const resting = new Map<symbol, number>();
  const over = new AbortController();
  const ended = AbortSignal.any([over.signal, woken]);
  const signal = lease === undefined ? ended : AbortSignal.any([ended, lease.signal]);
  let atWork = [...waitsFor.values()].filter((needs) => needs === 0).length;
  let afterMs: number | null = null;

  function endIfAllRest(): void {
    if (!areRunsScarce || atWork > 0 || resting.size === 0 || over.signal.aborted) return;
    const firstMs = Math.min(...resting.values()) - clock.monotonic();
    if (firstMs < shortestRestMs) return;
    afterMs = firstMs;
    over.abort();
  }

  return {
    get afterMs() {
      return afterMs;
    },
    ended(path) {
      atWork -= 1;
      for (const dependent of dependents.get(path) ?? []) {
        const left = (waitsFor.get(dependent) ?? 1) - 1;
        waitsFor.set(dependent, left);
        if (left === 0) atWork += 1;
      }
      endIfAllRest();
    },
    async rest(ms) {
      const one = Symbol();
      resting.set(one, clock.monotonic() + ms);
      atWork -= 1;
      endIfAllRest();
      try {
        await clock.sleep(ms, { signal });
        return true;
      } catch (error) {
        if (ended.aborted && lease?.signal.aborted !== true) return false;
        throw error;
      } finally {
        resting.delete(one);
        atWork += 1;
      }
    },
  };
}
