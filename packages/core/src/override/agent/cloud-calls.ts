import { isLiveplaneError } from "../../errors.ts";
import type { Cloud, OperationReading, Reading, ResourceRef } from "../../ports/cloud.ts";
import type { CallPace, CallSort } from "../../ports/cloud-capabilities.ts";
import { isLeftUnread } from "../../ports/readings.ts";
import type { Runtime } from "../../ports/runtime.ts";

/** Limits on the agent's use of a cloud. */
export interface CloudCallOptions {
  /** Calls per second in one scope (a subscription, a project). @default the cloud's own value, otherwise 100 */
  readonly callsPerSecond?: number;
  /** Calls at once in one scope. @default the cloud's own value, otherwise 200 */
  readonly burst?: number;
}

/** The clouds as the agent calls them: counted, paced by scope, and left alone as long as they ask for. */
export interface CloudCalls {
  /** A cloud whose calls are counted and whose `Retry-After` is honoured. */
  over(cloud: Cloud): Cloud;
  /** Waits for a turn in a scope. A person's call goes first. */
  turn(cloud: Cloud, call: CallTurn): Promise<void>;
  /** How long a scope asks to be left alone. */
  pausedForMs(cloud: Cloud, resourceId: string): number;
}

/** A call to be made. */
export interface CallTurn {
  readonly resourceId: string;
  readonly sort: CallSort;
  readonly lane: "people" | "sweep";
  readonly signal?: AbortSignal | undefined;
}

interface Bucket {
  tokens: number;
  filledAt: number;
  /** When the cloud last reported its remaining calls. */
  heardAt: number | null;
}

/** How long a person waits for a scope that asks to be left alone; after that, the cloud may refuse the call itself. */
const patienceMs = 5_000;

/** Creates the token buckets and counters around all clouds. */
export function createCloudCalls(
  { clock, metrics, tracer }: Pick<Runtime, "clock" | "metrics" | "tracer">,
  { callsPerSecond, burst }: CloudCallOptions = {},
): CloudCalls {
  const buckets = new Map<string, Bucket>();
  /** Until when each scope asks to be left alone, for all kinds of calls. */
  const pauses = new Map<string, number>();
  const wrapped = new WeakMap<Cloud, Cloud>();
  const isTold = callsPerSecond !== undefined || burst !== undefined;
  const together: CallPace = { perSecond: callsPerSecond ?? 100, burst: burst ?? 200 };

  const scopeOf = (cloud: Cloud, resourceId: string) => `${cloud.provider} ${cloud.throttleScope(resourceId)}`;
  /** If a cloud says how many calls of each kind it accepts, they are counted apart; a host's own limit counts all together. */
  const paceOf = ({ capabilities: { pace } }: Cloud, sort: CallSort) =>
    isTold || pace === undefined ? { ...together, bucket: "" } : { ...pace[sort], bucket: ` ${sort}` };
  const pausedForMs = (cloud: Cloud, resourceId: string) =>
    Math.max(0, (pauses.get(scopeOf(cloud, resourceId)) ?? 0) - clock.monotonic());
  const pause = (cloud: Cloud, resourceId: string, ms: number) => {
    const scope = scopeOf(cloud, resourceId);
    pauses.set(scope, Math.max(pauses.get(scope) ?? 0, clock.monotonic() + ms));
    metrics.observe("liveplane_cloud_throttled_seconds", ms / 1000, { provider: cloud.provider });
  };
  /** Takes a call from its bucket; returns how long it must wait. */
  const taken = (cloud: Cloud, { resourceId, sort }: Pick<CallTurn, "resourceId" | "sort">): number => {
    const { perSecond, burst: most, bucket: apart } = paceOf(cloud, sort);
    const key = scopeOf(cloud, resourceId) + apart;
    const now = clock.monotonic();
    const bucket = buckets.get(key) ?? { tokens: most, filledAt: now, heardAt: null };
    buckets.set(key, bucket);
    bucket.tokens = Math.min(most, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    const said = cloud.remaining?.(resourceId, sort) ?? null;
    if (said !== null && said.at !== bucket.heardAt) {
      // The cloud's own count includes other callers, so the bucket never holds more; from there it fills at its pace.
      bucket.tokens = Math.min(bucket.tokens, said.calls);
      bucket.heardAt = said.at;
    }
    bucket.tokens -= 1;
    return bucket.tokens < 0 ? (-bucket.tokens / perSecond) * 1000 : 0;
  };
  const metered = createMeter({ clock, metrics, tracer }, pause);

  return {
    over(cloud) {
      const known = wrapped.get(cloud) ?? metered(cloud);
      wrapped.set(cloud, known);
      return known;
    },
    pausedForMs,
    async turn(cloud, call) {
      const { resourceId, lane, signal } = call;
      const due = taken(cloud, call);
      const wait = lane === "sweep" ? due : 0;
      const paused = pausedForMs(cloud, resourceId);
      const ms = Math.max(wait, lane === "people" ? Math.min(paused, patienceMs) : paused);
      if (ms > 0) await clock.sleep(ms, signal && { signal });
    },
  };
}

type Pause = (cloud: Cloud, resourceId: string, ms: number) => void;

/** Counts a call by kind, outcome and duration, in a span. */
type Metered = <R>(call: MeteredCall, run: () => Promise<R>, outcomeOf?: (answer: R) => string) => Promise<R>;

interface MeteredCall {
  readonly cloud: Cloud;
  readonly kind: string;
  readonly resourceId: string;
  /** @default 1 */
  readonly resources?: number;
}

type MeterDeps = Pick<Runtime, "clock" | "metrics" | "tracer">;

function createMeter({ clock, metrics, tracer }: MeterDeps, pause: Pause): (cloud: Cloud) => Cloud {
  const metered: Metered = ({ cloud, kind, resourceId, resources = 1 }, run, outcomeOf = () => "ok") => {
    const { provider } = cloud;
    let came = "ok";
    const carriedOut = async () => {
      const startedAt = clock.monotonic();
      const count = (outcome: string) => {
        came = outcome;
        metrics.count("liveplane_cloud_calls_total", { provider, kind, outcome });
        metrics.observe("liveplane_cloud_call_seconds", (clock.monotonic() - startedAt) / 1000, { provider, kind });
      };
      try {
        const answer = await run();
        count(outcomeOf(answer));
        return answer;
      } catch (error) {
        count(isLiveplaneError(error) ? error.code : "InternalError");
        const seconds = isLiveplaneError(error, "RateLimited") ? (error.details.retryAfterSeconds ?? 1) : 0;
        if (seconds > 0) pause(cloud, resourceId, seconds * 1000);
        throw error;
      }
    };
    const begin = { name: `cloud.${kind}`, kind: "client", fields: { provider, resources } } as const;
    return tracer.during(begin, carriedOut, () => ({ outcome: came }));
  };
  return (cloud) => {
    const outcomeOf = (resourceId: string) => (reading: Reading | OperationReading | undefined) => {
      if (reading?.state !== "unreadable" || isLeftUnread(reading)) return "ok";
      if (reading.retryAfterMs !== undefined) pause(cloud, resourceId, reading.retryAfterMs);
      return "unreadable";
    };
    return { ...untouched(cloud), ...meteredReads(cloud, metered, outcomeOf), ...meteredWrites(cloud, metered) };
  };
}

function untouched(cloud: Cloud) {
  const remaining = cloud.remaining?.bind(cloud);
  const typeOf = cloud.typeOf?.bind(cloud);
  const parseScope = cloud.parseScope?.bind(cloud);
  return {
    ...(remaining && { remaining }),
    ...(typeOf && { typeOf }),
    ...(parseScope && { parseScope }),
    provider: cloud.provider,
    capabilities: cloud.capabilities,
    resourceType: cloud.resourceType.bind(cloud),
    resourceIdFor: cloud.resourceIdFor.bind(cloud),
    parseResourceId: cloud.parseResourceId.bind(cloud),
    throttleScope: cloud.throttleScope.bind(cloud),
    locations: cloud.locations.bind(cloud),
    initializationSteps: cloud.initializationSteps.bind(cloud),
    runStep: cloud.runStep.bind(cloud),
  };
}

function meteredReads(
  cloud: Cloud,
  metered: Metered,
  outcomeOf: (resourceId: string) => (reading: Reading | OperationReading | undefined) => string,
): Pick<Cloud, "read" | "readMany" | "discover" | "findCreated" | "follow" | "whoChanged"> {
  const discover = cloud.discover?.bind(cloud);
  const follow = cloud.follow?.bind(cloud);
  const whoChanged = cloud.whoChanged?.bind(cloud);
  return {
    ...(discover && {
      discover: (target, page, call) =>
        metered({ cloud, kind: "discover", resourceId: target.scope }, () => discover(target, page, call)),
    }),
    ...(whoChanged && {
      whoChanged: (ref, within, call) =>
        metered({ cloud, kind: "record", ...ref }, () => whoChanged(ref, within, call)),
    }),
    ...(follow && {
      follow: (ref, operation, call) => {
        const run = () => follow(ref, operation, call);
        return metered({ cloud, kind: "follow", ...ref }, run, outcomeOf(ref.resourceId));
      },
    }),
    read: (ref, call) => {
      const { resourceId } = ref;
      return metered({ cloud, kind: "read", resourceId }, () => cloud.read(ref, call), outcomeOf(resourceId));
    },
    readMany: (refs, call) => {
      const resourceId = firstId(refs);
      const outcome = outcomeOf(resourceId);
      return metered(
        { cloud, kind: "bulk", resourceId, resources: refs.length },
        () => cloud.readMany(refs, call),
        ([first]) => outcome(first),
      );
    },
    findCreated: (intent, target, call) =>
      metered({ cloud, kind: "find", resourceId: target.scope }, () => cloud.findCreated(intent, target, call)),
  };
}

function meteredWrites(cloud: Cloud, metered: Metered): Pick<Cloud, "create" | "update" | "remove" | "removeTag"> {
  return {
    create: (resource, call) => {
      const resourceId = resource.resourceId ?? resource.target.scope;
      return metered({ cloud, kind: "create", resourceId }, () => cloud.create(resource, call));
    },
    update: (ref, change, condition, call) =>
      metered({ cloud, kind: "update", ...ref }, () => cloud.update(ref, change, condition, call)),
    remove: (ref, condition, call) =>
      metered({ cloud, kind: "remove", ...ref }, () => cloud.remove(ref, condition, call)),
    removeTag: (ref, key, condition, call) =>
      metered({ cloud, kind: "removeTag", ...ref }, () => cloud.removeTag(ref, key, condition, call)),
  };
}

function firstId(refs: readonly ResourceRef[]): string {
  return refs[0]?.resourceId ?? "";
}
