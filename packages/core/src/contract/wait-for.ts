import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { Api } from "./api.ts";
import type { EnvironmentId } from "./schemas/environment-schemas.ts";
import type { InitializationRun } from "./schemas/initialization-schemas.ts";
import type { Component, LiveSystemDefinition, Mutation } from "./schemas/live-system-schemas.ts";

/** Options of `deployAndWait`, `waitFor`, `waitForMutation` and `waitForInitialization`. */
export interface WaitOptions<Record> {
  /** Aborting rejects with the code `Aborted`: `AbortSignal.timeout(60_000)` waits for at most a minute. */
  readonly signal?: AbortSignal;
  /** Called after each poll except the last. */
  readonly onProgress?: (record: Record) => void;
  /** The longest time between two polls. The first ones are closer together, because most waits are short. @default 2000 */
  readonly intervalMs?: number;
  /** Waits, or rejects when the signal aborts. @default a timer */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** After the first poll; each pause is twice the last, up to the longest. */
const firstPauseMs = 250;

/** The parts of the API that waiting needs. */
export interface WaitApi {
  readonly liveSystems: {
    readonly components: Pick<Api["liveSystems"]["components"], "get">;
    readonly mutations: Pick<Api["liveSystems"]["mutations"], "get">;
  };
}

/**
 * Waits until a component has a status, for ever unless a signal aborts.
 * @throws {NotFound} if there is no such component.
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

/** The parts of the API that deploying needs. */
export interface DeployApi extends WaitApi {
  readonly liveSystems: WaitApi["liveSystems"] & Pick<Api["liveSystems"], "create" | "deploy">;
}

/**
 * Deploys a live system and waits until the deploy has succeeded or failed; its `status` says which. Without an `id` it creates the live
 * system, whose ID is the mutation's `livesystemId`.
 */
export async function deployAndWait(
  api: DeployApi,
  { id, ...definition }: LiveSystemDefinition & { readonly id?: string | undefined },
  options: WaitOptions<Mutation> = {},
): Promise<Mutation> {
  const started =
    id === undefined
      ? await api.liveSystems.create(definition, withSignal(options))
      : await api.liveSystems.deploy({ id }, definition, withSignal(options));
  return waitForMutation(api, started, options);
}

/** The parts of the API that waiting for an initialization needs. */
export interface InitializationWaitApi {
  readonly environments: {
    readonly providerA: Pick<Api["environments"]["providerA"], "status">;
    readonly providerB: Pick<Api["environments"]["providerB"], "status">;
  };
}

/**
 * Waits until the latest initialization run in a cloud has ended; its `status` says how.
 * @throws {NotFound} if there is no such environment, or no run in that cloud.
 */
export async function waitForInitialization(
  api: InitializationWaitApi,
  { type, ownerId, shortName }: EnvironmentId,
  provider: "provider-a" | "provider-b",
  options: WaitOptions<InitializationRun> = {},
): Promise<InitializationRun> {
  const cloud = provider === "provider-a" ? api.environments.providerA : api.environments.providerB;
  const look = async () => (await cloud.status({ type, ownerId, shortName }, withSignal(options))).initializationRun;
  return repeat(look, ({ status }) => status !== "InProgress", options);
}

async function repeat<T>(look: () => Promise<T>, isThere: (seen: T) => boolean, options: WaitOptions<T>): Promise<T> {
  const { signal, onProgress, intervalMs = 2000, sleep = timer } = options;
  for (let nextMs = firstPauseMs; ; nextMs *= 2) {
    if (signal?.aborted) throw ended(signal);
    const { seen, pauseMs } = await tryTo(look, Math.min(nextMs, intervalMs));
    if (seen !== undefined) {
      if (isThere(seen)) return seen;
      onProgress?.(seen);
    }
    await sleep(pauseMs, signal);
  }
}

/** One poll; a retryable failure only makes the pause longer. */
async function tryTo<T>(look: () => Promise<T>, pauseMs: number): Promise<{ seen?: T; pauseMs: number }> {
  try {
    return { seen: await look(), pauseMs };
  } catch (error) {
    if (!isLiveplaneError(error) || !error.retryable) throw error;
    return { pauseMs: Math.max(pauseMs, (error.details.retryAfterSeconds ?? 0) * 1000) };
  }
}

function withSignal({ signal }: { readonly signal?: AbortSignal }): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function ended({ reason }: AbortSignal): LiveplaneError {
  return new LiveplaneError("Aborted", "Waiting was aborted.", { cause: reason });
}

function timer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(id);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(ended(signal));
      else resolve();
    };
    const id = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
