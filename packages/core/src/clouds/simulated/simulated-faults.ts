import { invalid } from "../../contract/invalid.ts";
import { LiveplaneError } from "../../errors.ts";
import { isObject } from "../../json-pointer.ts";
import type { CloudCredentials, ProviderFailure } from "../../ports/cloud.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Json, Key, Store } from "../../ports/store.ts";

/** What may go wrong: the call fails, is throttled, succeeds but its answer is lost, or comes late. */
export type Fault = "fail" | "throttle" | "lose-answer" | { readonly delayMs: number };

/** The calls that faults apply to. `write` creates, changes and deletes. */
export type SimulatedOperation = "read" | "bulk" | "write" | "removeTag";

/** The active faults. */
export interface SimulatedFaults {
  readonly read?: Fault;
  readonly bulk?: Fault;
  readonly write?: Fault;
  readonly removeTag?: Fault;
  /** A step of an initialization fails or takes this long. Without a step, all of them do. */
  readonly initialize?: { readonly step: string | null; readonly fault: "fail" | { readonly delayMs: number } };
  /** Writes are accepted and take time. */
  readonly slow?: Slowness;
}

/** The writes that can take time. */
export type SlowOperation = "create" | "update" | "remove" | "removeTag";

/** How long writes take, and how they end. */
export interface Slowness {
  readonly takesMs: number;
  /** Which writes. @default all except removing a tag */
  readonly of?: readonly SlowOperation[];
  /** How they fail. @default they succeed */
  readonly fails?: ProviderFailure;
  /**
   * Whether a failed resource says so when it is read. If not, only the operation does, and a failed creation leaves nothing.
   * @default true
   */
  readonly marksFailed?: boolean;
  /** No read shows a resource until its creation is done. @default false */
  readonly hidden?: boolean;
  /** How long the cloud asks callers to wait between polls. @default a tenth of the time, between 1 and 30 s */
  readonly pollAfterMs?: number;
}

/** The faults of a simulated cloud, stored so that every process of an installation sees them. */
export interface FaultSettings {
  /** The active faults. */
  get(): Promise<SimulatedFaults>;
  /** Replaces the active faults. Setting none also ends this process's delays. */
  set(faults: SimulatedFaults): Promise<void>;
  /** Aborts when the active faults end. */
  readonly over: AbortSignal;
}

/** Stores the faults of a simulated cloud. */
export function faultSettings(store: Store, provider: string): FaultSettings {
  const key: Key = ["simulated-cloud", provider, "faults"];
  let inForce = new AbortController();
  return {
    get over() {
      return inForce.signal;
    },
    async get() {
      const [entry] = await store.get([key]);
      return (entry?.value ?? {}) as SimulatedFaults;
    },
    async set(faults) {
      await store.commit({ sets: [{ key, value: faults as Json }] });
      if (Object.keys(faults).length > 0) return;
      inForce.abort();
      inForce = new AbortController();
    },
  };
}

const operations: readonly string[] = ["read", "bulk", "write", "removeTag"] satisfies SimulatedOperation[];

/** Parses faults. `initialize` is `{step, fail: true}`, `{step, delayMs}` or `{step, fault}`. */
export function parseFaults(value: unknown): SimulatedFaults {
  if (!isObject(value)) throw refused("", "Type", "Faults must be an object.");
  const faults: Record<string, unknown> = {};
  for (const [name, fault] of Object.entries(value)) {
    if (fault === null) continue;
    if (name === "initialize") faults.initialize = parseInitialize(fault);
    else if (name === "slow") faults.slow = parseSlowness(fault);
    else if (operations.includes(name)) faults[name] = parseFault(fault, name);
    else
      throw refused(
        name.slice(0, 64),
        "Unknown",
        "A fault must be named read, write, removeTag, bulk, initialize or slow.",
      );
  }
  return faults as SimulatedFaults;
}

function parseInitialize(value: Json): SimulatedFaults["initialize"] {
  if (!isObject(value)) return { step: null, fault: parseStepFault(value) };
  const { step = null, ...rest } = value;
  if (step !== null && typeof step !== "string")
    throw refused("initialize/step", "Type", "A step's name must be a string.");
  if (rest.delayMs !== undefined) return { step, fault: parseStepFault({ delayMs: rest.delayMs }) };
  if (rest.fail !== undefined) return { step, fault: "fail" };
  const [fault = "fail"] = Object.values(rest);
  return { step, fault: parseStepFault(fault) };
}

/** `{takesMs, fails?: {code, message}, marksFailed?, hidden?}`. */
function parseSlowness(value: Json): Slowness {
  if (!isObject(value)) throw refused("slow", "Type", "slow must be an object.");
  const { takesMs, fails, marksFailed, hidden } = value;
  if (typeof takesMs !== "number" || !(takesMs >= 0 && takesMs <= 86_400_000))
    throw refused("slow/takesMs", "TooBig", "A write must take 0 to 86,400,000 milliseconds.");
  const ends = isObject(fails) ? { code: String(fails.code ?? ""), message: String(fails.message ?? "") } : null;
  return {
    takesMs,
    ...(ends !== null && { fails: ends }),
    ...(typeof marksFailed === "boolean" && { marksFailed }),
    ...(typeof hidden === "boolean" && { hidden }),
  };
}

function parseStepFault(value: Json): "fail" | { readonly delayMs: number } {
  const fault = parseFault(value, "initialize");
  if (fault === "throttle" || fault === "lose-answer")
    throw refused("initialize", "Enum", "A step can fail or be late.");
  return fault;
}

function parseFault(value: Json, at: string): Fault {
  if (value === "fail" || value === "throttle" || value === "lose-answer") return value;
  if (!isObject(value)) throw refused(at, "Enum", "A fault must be fail, throttle, lose-answer or {delayMs}.");
  const { delayMs } = value;
  if (typeof delayMs !== "number" || !(delayMs >= 0 && delayMs <= 3_600_000)) {
    throw refused(`${at}/delayMs`, "TooBig", "A delay must be 0 to 3,600,000 milliseconds.");
  }
  return { delayMs };
}

function refused(at: string, code: "Type" | "Unknown" | "Enum" | "TooBig", detail: string): LiveplaneError {
  return invalid([{ pointer: at === "" ? "#" : `#/${at}`, code, detail }]);
}

/** Makes a call under a fault: late, lost or not at all. */
export async function underFault<T>(
  fault: Fault | null | undefined,
  runtime: Runtime,
  call: FaultyCall<T>,
): Promise<T> {
  if (fault === "fail") throw new LiveplaneError("ProviderError", "The cloud failed.", { retryable: true });
  if (fault === "throttle") throw throttled(1);
  if (typeof fault === "object" && fault !== null) await delay(fault.delayMs, runtime, call);
  const answer = await call.run();
  if (fault === "lose-answer") {
    throw new LiveplaneError("ProviderTimeout", "The cloud's answer was lost.", { details: { outcome: "unknown" } });
  }
  return answer;
}

/** A call that a fault can affect. */
export interface FaultyCall<T> {
  readonly run: () => Promise<T>;
  readonly options: { readonly signal?: AbortSignal };
  /** Ends a delay early. */
  readonly over: AbortSignal;
}

async function delay(ms: number, { clock }: Runtime, { options: { signal }, over }: FaultyCall<unknown>) {
  try {
    await clock.sleep(ms, { signal: signal === undefined ? over : AbortSignal.any([signal, over]) });
  } catch (reason) {
    if (!over.aborted || signal?.aborted) throw reason;
  }
}

/** The refusal of a throttled call. */
export function throttled(retryAfterSeconds: number): LiveplaneError {
  return new LiveplaneError("RateLimited", "The cloud is throttling requests.", { details: { retryAfterSeconds } });
}

/** Refuses the credentials reserved for refusal: the secret `reject`, or a key of the project `reject`. */
export function refuseRejected({ secret }: CloudCredentials): void {
  const value = secret?.reveal();
  if (value !== undefined && (value === "reject" || projectOf(value) === "reject")) {
    throw new LiveplaneError("ProviderCredentialsRejected");
  }
}

function projectOf(key: string): unknown {
  try {
    const parsed: unknown = JSON.parse(key);
    return isObject(parsed) ? parsed.project_id : undefined;
  } catch {
    return undefined;
  }
}
