import { LiveplaneError } from "@liveplane/core/errors";

/** Waits by a timer; throws `Aborted` at once when the caller goes. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", gone);
      resolve();
    }, ms);
    function gone(): void {
      clearTimeout(timer);
      reject(new LiveplaneError("Aborted", undefined, { cause: signal?.reason }));
    }
    if (signal?.aborted) gone();
    signal?.addEventListener("abort", gone, { once: true });
  });
}
