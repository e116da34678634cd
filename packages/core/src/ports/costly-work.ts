/** Who costly work is for, and how long it is wanted. */
export interface CostlyWork {
  /**
   * Whose share it uses: a principal's name, or an address if nobody is known yet. Waiting shares take turns, however much each asks for.
   * @default one share for all calls without a name
   */
  readonly share?: string | undefined;
  /** Aborts when nobody waits for it: it isn't started, or is abandoned, and rejects with `Aborted`. */
  readonly signal?: AbortSignal | undefined;
}
