const firstPauseMs = 250;

/** Longer after each failure, and never the same for all: a service that was away isn't met by everybody at once. */
export function backoffMs(failures: number, longestMs: number): number {
  return Math.min(firstPauseMs * 2 ** failures, longestMs) * (0.5 + Math.random() / 2);
}

/** Passes time, or ends at once when the signal fires. */
export function passTime(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
  });
}
