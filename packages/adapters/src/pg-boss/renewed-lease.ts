import type { Clock, Lease } from "@liveplane/core";

/** The clock of a lease, and the signal that ends it. */
export interface RenewedLeaseOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly stop: AbortSignal;
}

/** A lease that each renewal extends, and that ends by itself without one. */
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

  /** Extends it, unless it was lost and somebody else may have it. */
  renew(deadline: number): void {
    if (!this.isLost) this.#deadline = Math.max(this.#deadline, deadline);
  }

  lose(): void {
    this.#lost.abort();
    this.#ended.abort();
  }

  /** The work is done. */
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
