import { isLiveplaneError } from "../errors.ts";
import type { Cloud, CloudCall, Reading, ResourceRef } from "../ports/cloud.ts";
import type { Runtime } from "../ports/runtime.ts";

/** How much of a cloud the agent uses. */
export interface CloudCallOptions {
  /** Calls a second in one scope (a subscription, a project). @default 100 */
  readonly callsPerSecond?: number;
  /** Calls at once in one scope. @default 200 */
  readonly burst?: number;
}

/** The clouds as the agent calls them: counted, paced by scope, and left alone for as long as they ask for. */
export interface CloudCalls {
  /** A cloud whose calls are counted and whose `Retry-After` is remembered. */
  over(cloud: Cloud): Cloud;
  /** Waits for its turn in a scope. A person's call goes first: it takes what comes next. */
  turn(cloud: Cloud, resourceId: string, lane: "people" | "sweep", signal?: AbortSignal): Promise<void>;
  /** How long a scope asks to be left alone. */
  pausedForMs(cloud: Cloud, resourceId: string): number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
  pausedUntil: number;
}

/** A person waits no longer than this for a scope that asks to be left alone; then the cloud may refuse them itself. */
const patienceMs = 5_000;

/** Builds the token buckets and the counting around all clouds. */
export function createCloudCalls(
  { clock, metrics }: Pick<Runtime, "clock" | "metrics">,
  { callsPerSecond = 100, burst = 200 }: CloudCallOptions = {},
): CloudCalls {
  const buckets = new Map<string, Bucket>();
  const wrapped = new WeakMap<Cloud, Cloud>();

  const bucketOf = (cloud: Cloud, resourceId: string): Bucket => {
    const scope = `${cloud.provider} ${cloud.throttleScope(resourceId)}`;
    const now = clock.monotonic();
    const bucket = buckets.get(scope) ?? { tokens: burst, filledAt: now, pausedUntil: 0 };
    buckets.set(scope, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * callsPerSecond);
    bucket.filledAt = now;
    return bucket;
  };
  const pause = (cloud: Cloud, resourceId: string, ms: number) => {
    const bucket = bucketOf(cloud, resourceId);
    bucket.pausedUntil = Math.max(bucket.pausedUntil, clock.monotonic() + ms);
    metrics.observe("liveplane_cloud_throttled_seconds", ms / 1000, { provider: cloud.provider });
  };
  const metered = createMeter({ clock, metrics }, pause);

  return {
    over(cloud) {
      const known = wrapped.get(cloud) ?? metered(cloud);
      wrapped.set(cloud, known);
      return known;
    },
    pausedForMs: (cloud, resourceId) => Math.max(0, bucketOf(cloud, resourceId).pausedUntil - clock.monotonic()),
    async turn(cloud, resourceId, lane, signal) {
      const bucket = bucketOf(cloud, resourceId);
      bucket.tokens -= 1;
      const wait = lane === "sweep" && bucket.tokens < 0 ? (-bucket.tokens / callsPerSecond) * 1000 : 0;
      const paused = Math.max(0, bucket.pausedUntil - clock.monotonic());
      const ms = Math.max(wait, lane === "people" ? Math.min(paused, patienceMs) : paused);
      if (ms > 0) await clock.sleep(ms, signal && { signal });
    },
  };
}

type Pause = (cloud: Cloud, resourceId: string, ms: number) => void;

function createMeter({ clock, metrics }: Pick<Runtime, "clock" | "metrics">, pause: Pause): (cloud: Cloud) => Cloud {
  return (cloud) => {
    const count = (kind: string, outcome: string, startedAt: number) => {
      metrics.count("liveplane_cloud_calls_total", { provider: cloud.provider, kind, outcome });
      metrics.observe("liveplane_cloud_call_seconds", (clock.monotonic() - startedAt) / 1000, {
        provider: cloud.provider,
        kind,
      });
    };
    const read = async <R>(
      kind: string,
      resourceId: string,
      call: () => Promise<R>,
      readings: (answer: R) => readonly Reading[],
    ) => {
      const startedAt = clock.monotonic();
      const answer = await call();
      const [first] = readings(answer);
      count(kind, first?.state === "unreadable" ? "unreadable" : "ok", startedAt);
      if (first?.state === "unreadable" && first.retryAfterMs !== undefined)
        pause(cloud, resourceId, first.retryAfterMs);
      return answer;
    };
    const write = async <R>(kind: string, resourceId: string, call: () => Promise<R>) => {
      const startedAt = clock.monotonic();
      try {
        const answer = await call();
        count(kind, "ok", startedAt);
        return answer;
      } catch (error) {
        count(kind, isLiveplaneError(error) ? error.code : "InternalError", startedAt);
        if (isLiveplaneError(error, "RateLimited"))
          pause(cloud, resourceId, (error.details.retryAfterSeconds ?? 1) * 1000);
        throw error;
      }
    };
    return {
      provider: cloud.provider,
      capabilities: cloud.capabilities,
      resourceType: (type) => cloud.resourceType(type),
      resourceIdFor: (type, name, target) => cloud.resourceIdFor(type, name, target),
      throttleScope: (resourceId) => cloud.throttleScope(resourceId),
      locations: (scope, tenantId, call) => cloud.locations(scope, tenantId, call),
      initializationSteps: (target, name) => cloud.initializationSteps(target, name),
      runStep: (step, request, call) => cloud.runStep(step, request, call),
      read: (ref, call) =>
        read(
          "read",
          ref.resourceId,
          () => cloud.read(ref, call),
          (reading) => [reading],
        ),
      readMany: (refs, call) =>
        read(
          "bulk",
          firstId(refs),
          () => cloud.readMany(refs, call),
          (readings) => readings,
        ),
      create: (resource, call) =>
        write("create", resource.resourceId ?? resource.target.scope, () => cloud.create(resource, call)),
      update: (ref, change, condition, call) =>
        write("update", ref.resourceId, () => cloud.update(ref, change, condition, call)),
      remove: (ref, condition, call) => write("remove", ref.resourceId, () => cloud.remove(ref, condition, call)),
      removeTag: (ref, key, condition, call) =>
        write("removeTag", ref.resourceId, () => cloud.removeTag(ref, key, condition, call)),
      findCreated: (intent, target, call: CloudCall) =>
        write("find", target.scope, () => cloud.findCreated(intent, target, call)),
    };
  };
}

function firstId(refs: readonly ResourceRef[]): string {
  return refs[0]?.resourceId ?? "";
}
