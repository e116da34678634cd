import type { ErrorCode } from "../errors.ts";

/** What the time is, and how to wait for it. Tests and the simulator bring their own. */
export interface Clock {
  /** Milliseconds of the epoch. May jump. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never goes back: for deadlines and durations. */
  monotonic(): number;
  /** Resolves after this many milliseconds; rejects with code `Aborted` when the signal fires first. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/** The cryptography that the core itself needs. All methods are asynchronous but `random` and `equal`, as Web Crypto has it. */
export interface Crypto {
  /** This many bytes, unpredictable. */
  random(bytes: number): Uint8Array;
  /** SHA-256. */
  digest(data: Uint8Array): Promise<Uint8Array>;
  /** HMAC-SHA-256. */
  hmac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array>;
  /** Compares in time that depends on the lengths alone. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
}

/** A line for the people who run the service. Fields never hold a secret. */
export interface Logger {
  /** What helps to find a fault, and is too much for every day. */
  debug(fields: LogFields, message: string): void;
  /** What happened, in its course. */
  info(fields: LogFields, message: string): void;
  /** What went wrong and was coped with. */
  warn(fields: LogFields, message: string): void;
  /** What went wrong and needs a person. */
  error(fields: LogFields, message: string): void;
}

/** The structured part of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Counters, gauges and durations by their whole name, such as `liveplane_checks_total`. Label values come from small closed sets. */
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

/** What a span says of its work: ids, and words from small closed sets. Never a value, nor a name that somebody chose for one. */
export interface SpanFields {
  /** Of the request that it is part of. */
  readonly requestId?: string;
  readonly operation?: string;
  readonly componentId?: string;
  /** Of a task: whose turn it is, by name or id. */
  readonly shard?: string;
  readonly lane?: "people" | "sweep";
  readonly provider?: string;
  /** How often it was tried, this time included. */
  readonly attempt?: number;
  /** How many resources it is about. */
  readonly resources?: number;
}

/** What is known of a span when it begins. */
export interface SpanBegin {
  /** One of few: what is done, and not on what. */
  readonly name: string;
  /** `server`: it answers somebody far away. `client`: it waits for somebody far away. @default neither */
  readonly kind?: "server" | "client";
  readonly fields: SpanFields;
  /** The span far away that it is part of, as W3C's `traceparent` has it, good or bad. Where a span is under way here, that is the parent. */
  readonly parent?: string | undefined;
  /** It is nobody's child, whatever continues around it: work that was asked for in a request outlives it. @default false */
  readonly isRoot?: boolean;
}

/** What is known of a span when its work is done. */
export interface SpanEnd {
  /** How it came out, in a word. */
  readonly outcome?: string;
  /** The code that the work failed with, although it gave something; `null`: it didn't fail. */
  readonly code?: ErrorCode | null;
}

/** Spans of what is under way, for anyone who follows it through all that has a part in it. */
export interface Tracer {
  /**
   * Does work, once and at once, in a span: what it gives, or fails with, comes out unchanged. Each span that is begun in the work is a child of
   * it, over every `await`; spans next to each other have nothing to do with each other. Of a failure its code MUST be told alone, that
   * of a stranger as `InternalError`, and of what the work gives nothing but what `endOf` makes of it.
   */
  during<T>(begin: SpanBegin, work: () => Promise<T>, endOf?: (given: T) => SpanEnd): Promise<T>;
}

/** Time, chance, logging and tracing, as the core sees them. */
export interface Runtime {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** A new uuid (version 4). */
  newId(): string;
  /** Lets others run before a long computation continues. */
  yield(): Promise<void>;
}
