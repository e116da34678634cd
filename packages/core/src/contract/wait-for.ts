import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { Api } from "./api.ts";
import type { Component, Mutation } from "./schemas/live-system-schemas.ts";

/** Options of `waitFor` and `waitForMutation`. */
export interface WaitOptions<Record> {
  /** Ends the waiting with code `Aborted`: `AbortSignal.timeout(60_000)` waits a minute at most. */
  readonly signal?: AbortSignal;
  /** Called with each look that isn't the last. */
  readonly onProgress?: (record: Record) => void;
  /** The time between two looks. @default 2000 */
  readonly intervalMs?: number;
  /** Passes time, or rejects when the signal ends it. @default a timer */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** The parts of the API that waiting needs. */
export interface WaitApi {
  readonly liveSystems: {
    readonly components: Pick<Api["liveSystems"]["components"], "get">;
    readonly mutations: Pick<Api["liveSystems"]["mutations"], "get">;
  };
}

/**
 * Waits until a component, named by its id, has a status; without end unless a signal ends it.
 * @throws {NotFound} when there is no such component.
 */
export async function waitFor(
  api: WaitApi,
  componentId: string,
  status: Component["status"],
  options: WaitOptions<Component> = {},
): Promise<Component> {
  const [id = ""] = componentId.split("/", 1);
  const look = () => api.liveSystems.components.get({ id, componentId }, withSignal(options));
  return repeat(look, (component) => component.status === status, options);
}

/** Waits until a mutation has succeeded or failed; its `status` says which. */
export async function waitForMutation(
  api: WaitApi,
  { livesystemId, id: mutationId }: Pick<Mutation, "livesystemId" | "id">,
  options: WaitOptions<Mutation> = {},
): Promise<Mutation> {
  const look = () => api.liveSystems.mutations.get({ id: livesystemId, mutationId }, withSignal(options));
  return repeat(look, ({ status }) => status === "Succeeded" || status === "Failed", options);
}

async function repeat<T>(look: () => Promise<T>, isThere: (seen: T) => boolean, options: WaitOptions<T>): Promise<T> {
  const { signal, onProgress, intervalMs = 2000, sleep = timer } = options;
  for (;;) {
    throwIfAborted(signal);
    const { seen, pauseMs } = await tryTo(look, intervalMs);
    if (seen !== undefined) {
      if (isThere(seen)) return seen;
      onProgress?.(seen);
    }
    await sleep(pauseMs, signal);
  }
}

/** One look; a failure that trying again can help is no more than a longer pause. */
async function tryTo<T>(look: () => Promise<T>, intervalMs: number): Promise<{ seen?: T; pauseMs: number }> {
  try {
    return { seen: await look(), pauseMs: intervalMs };
  } catch (error) {
    if (!isLiveplaneError(error) || !error.retryable) throw error;
    return { pauseMs: Math.max(intervalMs, (error.details.retryAfterSeconds ?? 0) * 1000) };
  }
}

function withSignal({ signal }: { readonly signal?: AbortSignal }): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new LiveplaneError("Aborted", "The waiting was ended.", { cause: signal.reason });
}

function timer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(id);
      reject(new LiveplaneError("Aborted", "The waiting was ended.", { cause: signal?.reason }));
    };
    const id = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
