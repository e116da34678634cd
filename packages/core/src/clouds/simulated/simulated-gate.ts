import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { CloudCall, Reading } from "../../ports/cloud.ts";
import type { Runtime } from "../../ports/runtime.ts";
import {
  type Fault,
  type FaultSettings,
  refuseRejected,
  type SimulatedOperation,
  throttled,
  underFault,
} from "./simulated-faults.ts";

/** How calls pass the gate. */
export interface GateOptions {
  readonly runtime: Runtime;
  readonly faults: FaultSettings;
  readonly scopeOf: (resourceId: string) => string;
  readonly latencyMs?: number;
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  readonly faultOf?: (call: {
    readonly operation: SimulatedOperation;
    readonly resourceId: string | null;
  }) => Fault | null;
}

/** What every call goes through first: credentials, throttling, latency, faults. */
export type Gate = <T>(
  operation: SimulatedOperation,
  resourceId: string | null,
  call: CloudCall,
  run: () => Promise<T>,
) => Promise<T>;

/** Builds the gate of a simulated cloud. */
export function createFaultGate({ runtime, faults, scopeOf, latencyMs = 0, throttle, faultOf }: GateOptions): Gate {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function take(scope: string): void {
    if (throttle === undefined) return;
    const now = runtime.clock.monotonic();
    const { tokens, at } = buckets.get(scope) ?? { tokens: throttle.burst, at: now };
    const filled = Math.min(throttle.burst, tokens + ((now - at) / 1000) * throttle.perSecond);
    buckets.set(scope, { tokens: filled < 1 ? filled : filled - 1, at: now });
    if (filled < 1) throw throttled(Math.max(1, Math.ceil((1 - filled) / throttle.perSecond)));
  }

  return async (operation, resourceId, call, run) => {
    if (call.signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: call.signal.reason });
    refuseRejected(call.credentials);
    take(scopeOf(resourceId ?? ""));
    if (latencyMs > 0) await runtime.clock.sleep(latencyMs, signalOf(call));
    const { over } = faults;
    const fault = faultOf?.({ operation, resourceId }) ?? (await faults.get())[operation];
    return underFault(fault, runtime, { options: signalOf(call), over, run });
  };
}

/** A read reports what it couldn't see and throws only when the caller aborts. */
export async function readableUnlessFaulty<T>(
  read: () => Promise<T>,
): Promise<T | Extract<Reading, { state: "unreadable" }>> {
  try {
    return await read();
  } catch (error) {
    if (!isLiveplaneError(error) || error.code === "Aborted") throw error;
    const seconds = error.details.retryAfterSeconds;
    return { state: "unreadable", reason: error.code, ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }) };
  }
}

/** The signal that waiting needs. */
export function signalOf({ signal }: CloudCall): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
