import { LiveplaneError } from "@liveplane/core/errors";

/** Stops waiting when the caller does. */
export function whileWanted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new LiveplaneError("Aborted", undefined, { cause: signal.reason }));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Whether a provider took too long. */
export function isTimeout(error: unknown): boolean {
  const name = error instanceof Error ? error.name : "";
  return name === "TimeoutError" || failureCode(error) === "OAUTH_TIMEOUT";
}

/** An answer that isn't an OAuth error has the whole response as its cause. */
export function isServerError(error: unknown): boolean {
  const response = error instanceof Error && error.cause instanceof Response ? error.cause : error;
  const status =
    typeof response === "object" && response !== null && "status" in response ? response.status : undefined;
  return typeof status === "number" && status >= 500;
}

/** The code of a library's or the system's failure. */
export function failureCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** OAuth's error words are from closed lists; descriptions may contain anything and are not passed on. */
export function reasonOf(error: unknown): { reason?: string } {
  const word = typeof error === "object" && error !== null && "error" in error ? error.error : failureCode(error);
  return typeof word === "string" && /^[\w-]{1,64}$/.test(word) ? { reason: word } : {};
}
