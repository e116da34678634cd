import { LiveplaneError } from "../../errors.ts";
import type {
  CloudCall,
  CloudOperation,
  OperationReading,
  ProviderFailure,
  SeenResource,
  Written,
} from "../../ports/cloud.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Json, Key, Store } from "../../ports/store.ts";
import type { CloudFacts } from "../facts/cloud-facts.ts";
import type { FaultSettings, Slowness, SlowOperation } from "./simulated-faults.ts";
import { type Gate, readableUnlessFaulty, signalOf } from "./simulated-gate.ts";
import type { Landing, SimulatedEdit, SimulatedResource, SimulatedWrite, Underway } from "./simulated-resources.ts";
import { correctedResource, progressOf, withoutTag } from "./simulated-rules.ts";

/** A write that starts: the resource it changes, and the change. */
export interface SlowWrite {
  readonly operation: SlowOperation;
  readonly resourceId: string;
  readonly type: string;
  readonly lands: Landing;
  /** Validates the write and computes its result, which is stored at once unless the write is slow. */
  readonly edit: SimulatedEdit;
}

/** Carries out writes: at once, or as an operation to poll. */
export interface SimulatedSlowness {
  write(write: SlowWrite): Promise<Written>;
  /** A resource after its pending write, if that is done by now. */
  settle(resourceId: string, resource: SimulatedResource | null): Promise<SimulatedResource | null>;
  follow(resourceId: string, address: string, call: CloudCall): Promise<OperationReading>;
}

export interface SlownessOptions {
  readonly provider: string;
  readonly facts: CloudFacts;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly faults: FaultSettings;
  readonly gate: Gate;
  /** @default as set at the console */
  readonly slownessOf?: ((write: Pick<SlowWrite, "operation" | "resourceId" | "type">) => Slowness | null) | undefined;
  /** A resource as reads show it. */
  readonly seen: (resource: SimulatedResource) => SeenResource;
  readonly get: (resourceId: string) => Promise<SimulatedResource | null>;
  readonly change: (
    by: "caller" | "cloud",
    operation: SlowOperation,
    resourceId: string,
    work: SimulatedEdit,
  ) => Promise<SimulatedWrite>;
}

interface OperationRecord {
  readonly since: number;
  readonly until: number;
  readonly pollAfterMs: number;
  readonly fails: ProviderFailure | null;
}

/** How long a finished operation can still be queried. */
const rememberedMs = 3_600_000;

/** Makes the writes of a simulated cloud take time. Operations are stored, so any process can read them. */
export function simulatedSlowness(options: SlownessOptions): SimulatedSlowness {
  const { provider, facts, store, runtime, faults, gate, slownessOf, seen, get, change } = options;
  const operationKey = (id: string): Key => ["simulated-cloud", provider, "operation", id];
  const { clock } = runtime;

  async function slownessFor(write: SlowWrite): Promise<Slowness | null> {
    const own = slownessOf?.(write) ?? (await faults.get()).slow ?? null;
    if (own === null) return null;
    const { of = ["create", "update", "remove"] } = own;
    return of.includes(write.operation) ? own : null;
  }

  async function begin(write: SlowWrite, { takesMs, ...shows }: Slowness): Promise<CloudOperation> {
    const { operation, resourceId, edit, lands } = write;
    const since = clock.now();
    const fails = shows.fails ?? null;
    const pollAfterMs = shows.pollAfterMs ?? Math.max(1_000, Math.min(takesMs / 10, 30_000));
    const kept: OperationRecord = { since, until: since + takesMs, pollAfterMs, fails };
    const operationId = runtime.newId();
    const underway: Underway = {
      operationId,
      operation,
      since,
      until: kept.until,
      fails,
      marksFailed: shows.marksFailed ?? true,
      hidden: operation === "create" && (shows.hidden ?? false),
      lands,
    };
    await change("caller", operation, resourceId, (current) => {
      const judged = edit(current);
      if (operation === "create") return judged && { ...judged, underway };
      if (current === null || judged === current) return current;
      const tags = operation === "update" ? (judged?.tags ?? current.tags) : current.tags;
      return { ...withoutFailure(current), tags, revision: current.revision + 1, underway };
    });
    const expiresAt = kept.until + rememberedMs;
    await store.commit({ sets: [{ key: operationKey(operationId), value: kept as unknown as Json, expiresAt }] });
    return { address: `operations/${operationId}`, pollAfterMs };
  }

  async function written(write: SlowWrite): Promise<Written> {
    const slowness = await slownessFor(write);
    if (slowness !== null) return { operation: await begin(write, slowness) };
    const { after } = await change("caller", write.operation, write.resourceId, (current) => {
      const next = write.edit(current);
      return next === current || next === null || write.operation === "removeTag" ? next : withoutFailure(next);
    });
    return after === null || after.failed !== undefined ? {} : { shown: seen(after) };
  }

  async function settle(resourceId: string, resource: SimulatedResource | null): Promise<SimulatedResource | null> {
    const { underway } = resource ?? {};
    if (underway === undefined || underway.until > clock.now()) return resource;
    const { after } = await change("cloud", underway.operation, resourceId, (current) =>
      current === null ? null : landed(facts, current, clock.now()),
    );
    return after;
  }

  return {
    settle,
    async write(write) {
      try {
        return await written(write);
      } catch (error) {
        const before = await get(write.resourceId);
        if ((await settle(write.resourceId, before)) === before) throw error;
        return written(write);
      }
    },
    follow: (resourceId, address, call) =>
      readableUnlessFaulty<OperationReading>(() =>
        gate("read", resourceId, call, async () => {
          const [entry] = await store.get([operationKey(address.replace(/^operations\//, ""))], signalOf(call));
          if (!entry) return { state: "gone" };
          const { since, until, pollAfterMs, fails } = entry.value as unknown as OperationRecord;
          const now = clock.now();
          if (now < until) return { state: "working", progress: progressOf({ since, until }, now), pollAfterMs };
          return fails === null ? { state: "done" } : { state: "failed", ...fails };
        }),
      ),
  };
}

/** Refuses a write while another write of the same resource is running. */
export function refuseUnderway({ underway }: SimulatedResource): void {
  if (underway !== undefined)
    throw new LiveplaneError("InvalidState", "The cloud is still processing another change to this resource.");
}

function withoutFailure({ failed: _, ...resource }: SimulatedResource): SimulatedResource {
  return resource;
}

/** The resource after its pending write has finished; `null` if it is gone. */
function landed(facts: CloudFacts, resource: SimulatedResource, now: number): SimulatedResource | null {
  const { underway, ...own } = resource;
  if (underway === undefined || underway.until > now) return resource;
  const { fails, lands, marksFailed } = underway;
  const next = { ...own, revision: own.revision + 1 };
  if (fails !== null) {
    if (marksFailed) return { ...next, failed: fails };
    return lands.what === "made" ? null : next;
  }
  switch (lands.what) {
    case "made":
      return next;
    case "removed":
      return null;
    case "changed":
      return correctedResource(facts, own, { ...lands.change, tags: {} });
    case "untagged":
      return withoutTag(facts, own, lands.key);
  }
}
