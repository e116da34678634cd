import type { Clock, Lease } from "@liveplane/core";

/** What a lease is watched by, and what ends it as well. */
export interface RenewedLeaseOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly stop: AbortSignal;
}

/** A lease that each renewal prolongs, and that is over by itself when none comes. */
export class RenewedLease implements Lease {
  readonly signal: AbortSignal;
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  #deadline: number;

  constructor(deadline: number, { clock, stop }: RenewedLeaseOptions) {
    this.#clock = clock;
    this.#deadline = deadline;
    this.signal = AbortSignal.any([stop, this.#lost.signal]);
    void this.#watch();
  }

  get deadline(): number {
    return this.#deadline;
  }

  get isLost(): boolean {
    return this.#lost.signal.aborted;
  }

  /** Prolongs it, unless it was lost: then somebody else may be at it. */
  renew(deadline: number): void {
    if (!this.isLost) this.#deadline = Math.max(this.#deadline, deadline);
  }

  lose(): void {
    this.#lost.abort();
    this.#ended.abort();
  }

  /** The work is done: nobody watches it any more. */
  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const leftMs = this.#deadline - this.#clock.monotonic();
      if (leftMs <= 0) return this.lose();
      await this.#clock.sleep(leftMs, { signal }).catch(() => {});
    }
  }
}
