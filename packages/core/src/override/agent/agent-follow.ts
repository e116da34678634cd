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

/** What is known of the write that a cloud has accepted for a component. */
export interface Followed {
  /** It continues; `null`: there is none, or it came to its end. */
  readonly pending: PendingOperation | null;
  /** It came to its end just now. A failure is the cloud's own words. */
  readonly ended: {
    readonly operation: PendingOperation;
    readonly failure: ProviderFailure | null;
    /** The resource as the operation's own result shows it. */
    readonly shown?: SeenResource;
  } | null;
}

/** No write is under way. */
const nothingFollowed: Followed = { pending: null, ended: null };

/** No cloud is asked after an operation more often, and none is left alone longer. */
const shortestPollMs = 1_000;
const longestPollMs = 120_000;
const defaultPollMs = 10_000;

/** Writes down what a write answered with, sealed, for whichever process follows it. */
export async function begunOperation(
  { address, pollAfterMs }: CloudOperation,
  record: Pick<ComponentRecord, "liveSystemId" | "path">,
  facts: Pick<PendingOperation, "kind" | "changes" | "sent">,
  deps: Pick<AgentDeps, "sealer" | "runtime">,
): Promise<PendingOperation> {
  const sealed = await sealedAddress(address, record, deps.sealer);
  return { ...facts, sealed, since: nowText(deps), progress: null, ...paced(pollAfterMs, deps) };
}

/** Asks what became of the write that is under way, if one is and the cloud may be asked again. */
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

/** Whether the cloud may be asked after an operation. */
export function mayBeAsked({ nextAt, restMs }: PendingOperation, now: number): boolean {
  return !isResting(nextAt, restMs, now);
}

/** A reading, with what is known of the write under way: the cloud may show the resource as if nothing were. */
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
  if (ended === null || ended.failure === null) return reading;
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
