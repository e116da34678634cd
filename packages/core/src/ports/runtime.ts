import type { ErrorCode } from "../errors.ts";

/** Time and waiting. Tests and the simulator provide their own. */
export interface Clock {
  /** Epoch milliseconds. May jump. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never goes back: for deadlines and durations. */
  monotonic(): number;
  /** Resolves after this time; rejects with code `Aborted` if the signal aborts first. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/** The cryptography that the core needs. All methods are async except `random` and `equal`, like Web Crypto. */
export interface Crypto {
  /** Unpredictable bytes. */
  random(bytes: number): Uint8Array;
  /** SHA-256. */
  digest(data: Uint8Array): Promise<Uint8Array>;
  /** HMAC-SHA-256. */
  hmac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array>;
  /** HMAC-SHA-1, which authenticator apps use (RFC 6238). */
  hmacSha1(key: Uint8Array, data: Uint8Array): Promise<Uint8Array>;
  /** Compares in time that depends only on the lengths. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
}

/** A line for the people who run the service. Fields never hold a secret. */
export interface Logger {
  /** Details that help to find a fault. */
  debug(fields: LogFields, message: string): void;
  /** Normal events. */
  info(fields: LogFields, message: string): void;
  /** Something went wrong and was handled. */
  warn(fields: LogFields, message: string): void;
  /** Something went wrong and needs a person. */
  error(fields: LogFields, message: string): void;
}

/** The structured part of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Counters, gauges and durations by their full name, such as `liveplane_checks_total`. Label values come from small closed sets. */
export interface Metrics {
  /** Adds to a counter. @default by 1 */
  count(name: string, labels?: MetricLabels, by?: number): void;
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: MetricLabels): void;
  /** Adds a duration to a histogram. */
  observe(name: string, seconds: number, labels?: MetricLabels): void;
}

/** The dimensions of a metric. */
export type MetricLabels = Readonly<Record<string, string>>;

/** The attributes of a span: IDs, and words from small closed sets. Never a value or a name that somebody chose. */
export interface SpanFields {
  /** The request that it belongs to. */
  readonly requestId?: string;
  readonly operation?: string;
  readonly componentId?: string;
  /** For a task: the name or ID of the shard. */
  readonly shard?: string;
  readonly lane?: "people" | "sweep";
  readonly provider?: string;
  /** The number of the attempt, starting at 1. */
  readonly attempt?: number;
  /** The number of resources involved. */
  readonly resources?: number;
}

/** What is known when a span begins. */
export interface SpanBegin {
  /** One of a few names: the kind of work, not its subject. */
  readonly name: string;
  /** `server`: it answers a remote caller. `client`: it waits for a remote service. @default neither */
  readonly kind?: "server" | "client";
  readonly fields: SpanFields;
  /** The remote parent span as W3C's `traceparent`, valid or not. A local span in progress takes precedence. */
  readonly parent?: string | undefined;
  /** It has no parent, whatever span is active: work requested by a call outlives the call. @default false */
  readonly isRoot?: boolean;
}

/** What is known when a span ends. */
export interface SpanEnd {
  /** The result, as one word. */
  readonly outcome?: string;
  /** The code of a failure that still produced a result; `null` if there was none. */
  readonly code?: ErrorCode | null;
}

/** Spans of the work in progress, for tracing it across processes. */
export interface Tracer {
  /**
   * Runs work once, immediately, in a span; its result or error passes through unchanged. Spans begun inside are its children, across every
   * `await`; sibling spans are independent. Of an error, only the code MUST be recorded, a foreign one's as `InternalError`; of the result,
   * only what `endOf` returns.
   */
  during<T>(begin: SpanBegin, work: () => Promise<T>, endOf?: (given: T) => SpanEnd): Promise<T>;
}

/** Time, randomness, logging and tracing, as the core uses them. */
export interface Runtime {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** A new uuid (version 4). */
  newId(): string;
  /** Lets other work run before a long computation continues. */
  yield(): Promise<void>;
}
