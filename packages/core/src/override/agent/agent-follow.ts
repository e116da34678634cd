import { fromUtf8, nowText, utf8 } from "../../encoding.ts";
import type {
  Cloud,
  CloudCall,
  CloudOperation,
  OperationReading,
  ProviderFailure,
  Reading,
  SeenResource,
} from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { Sealer } from "../../ports/secrets.ts";
import { isResting } from "../../records/rest.ts";
import { type ComponentRecord, operationPlace, type PendingOperation } from "../records/component-record.ts";
import type { AgentDeps, PassOptions } from "./agent-deps.ts";

/** What is known about the write that a cloud has accepted for a component. */
export interface Followed {
  /** The running operation; `null` if there is none or it has ended. */
  readonly pending: PendingOperation | null;
  /** It has just ended. A failure is in the cloud's own words. */
  readonly ended: {
    readonly operation: PendingOperation;
    readonly failure: ProviderFailure | null;
    /** The resource as shown by the operation's own result. */
    readonly shown?: SeenResource;
  } | null;
}

/** No write is running. */
const nothingFollowed: Followed = { pending: null, ended: null };

/** Bounds of the time between two polls of an operation. */
const shortestPollMs = 1_000;
const longestPollMs = 120_000;
const defaultPollMs = 10_000;

/** Records the accepted operation, sealed, for whichever process polls it. */
export async function begunOperation(
  { address, pollAfterMs }: CloudOperation,
  record: Pick<ComponentRecord, "liveSystemId" | "path">,
  facts: Pick<PendingOperation, "kind" | "changes" | "sent">,
  deps: Pick<AgentDeps, "sealer" | "runtime">,
): Promise<PendingOperation> {
  const sealed = await sealedAddress(address, record, deps.sealer);
  return { ...facts, sealed, since: nowText(deps), progress: null, ...paced(pollAfterMs, deps) };
}

/** Asks about the running write, if there is one and the cloud may be asked again. */
export async function followed(
  record: ComponentRecord,
  { cloud, call, deps, lane }: { cloud: Cloud; call: CloudCall; deps: AgentDeps; lane: PassOptions["lane"] },
): Promise<Followed> {
  const { operation = null, type, resource } = record;
  if (operation === null) return nothingFollowed;
  if (!mayBeAsked(operation, deps.runtime.clock.now())) return { pending: operation, ended: null };
  const ref = { type, resourceId: resource.id ?? "" };
  const address = fromUtf8(await deps.sealer.open(operation.sealed, operationPlace(record)));
  await deps.calls.turn(cloud, { resourceId: ref.resourceId, sort: "read", lane, signal: call.signal });
  const reading: OperationReading = (await cloud.follow?.(ref, { address }, call)) ?? { state: "gone" };
  switch (reading.state) {
    case "working": {
      const { progress = operation.progress, pollAfterMs, address: moved = address } = reading;
      const sealed = moved === address ? operation.sealed : await sealedAddress(moved, record, deps.sealer);
      return { pending: { ...operation, sealed, progress, ...paced(pollAfterMs, deps) }, ended: null };
    }
    case "unreadable":
      return { pending: { ...operation, ...paced(reading.retryAfterMs, deps) }, ended: null };
    case "done": {
      const { shown } = reading;
      return { pending: null, ended: { operation, failure: null, ...(shown && { shown }) } };
    }
    case "gone":
      return { pending: null, ended: { operation, failure: null } };
    case "failed":
      return { pending: null, ended: { operation, failure: reading } };
  }
}

/** Whether the cloud may be asked about an operation now. */
export function mayBeAsked({ nextAt, restMs }: PendingOperation, now: number): boolean {
  return !isResting(nextAt, restMs, now);
}

/** A reading combined with the running write, because the cloud may show the resource as if there were none. */
export function withOperation(reading: Reading, { pending, ended }: Followed, now: number): Reading {
  if (reading.state === "unreadable") return reading;
  const resource = resourceOf(reading);
  if (pending !== null) {
    const progress = pending.progress ?? (reading.state === "working" ? reading.progress : undefined);
    return {
      state: "working",
      since: pending.since,
      pollAfterMs: Math.max(0, Math.min(pending.nextAt - now, pending.restMs)),
      ...(progress !== undefined && { progress }),
      ...(resource && { resource }),
    };
  }
  // By now the cloud may be at work for somebody else.
  if (ended === null || ended.failure === null || reading.state === "working") return reading;
  const { code, message, requestId } = ended.failure;
  return {
    state: "failed",
    code,
    message,
    ...(requestId !== undefined && { requestId }),
    ...(resource && { resource }),
  };
}

function paced(pollAfterMs: number | undefined, { runtime }: Pick<AgentDeps, "runtime">) {
  const restMs = Math.min(Math.max(pollAfterMs ?? defaultPollMs, shortestPollMs), longestPollMs);
  return { nextAt: runtime.clock.now() + restMs, restMs };
}

function sealedAddress(address: string, record: Pick<ComponentRecord, "liveSystemId" | "path">, sealer: Sealer) {
  return sealer.seal(utf8(address), operationPlace(record));
}
