/** What an index shows that lags behind: the newest of what was kept so long ago. */
export interface LateIndex<Kept> {
  /** Something has changed. */
  note(): void;
  shown(): Kept;
}

/** Keeps what there was for as long as the index may show it. */
export function lateIndex<Kept>({
  now,
  lagMs,
  all,
}: {
  readonly now: () => number;
  readonly lagMs: number;
  readonly all: () => Kept;
}): LateIndex<Kept> {
  const past = [{ at: Number.NEGATIVE_INFINITY, kept: all() }];
  const forget = () => {
    while (past[1] !== undefined && past[1].at <= now() - lagMs) past.shift();
  };
  return {
    note() {
      if (lagMs === 0) return;
      forget();
      past.push({ at: now(), kept: all() });
    },
    shown() {
      // What has come to its end by now is noted first, whether or not somebody has looked at it directly.
      const now = all();
      if (lagMs === 0) return now;
      forget();
      return past[0]?.kept ?? now;
    },
  };
}
