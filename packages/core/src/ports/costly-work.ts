/** For whom costly work is done, and for how long it is wanted. */
export interface CostlyWork {
  /**
   * Whose it is: a principal's name, or an address where nobody is known yet. Those who wait take turns, share by share,
   * however much each asks for. @default its own share for all that names none
   */
  readonly share?: string | undefined;
  /** Fires when nobody waits for it any more: it isn't begun then, or given up, and rejects with `Aborted`. */
  readonly signal?: AbortSignal | undefined;
}
