/** What the time is, and how to wait for it. Tests and the simulator bring their own. */
export interface Clock {
  /** Milliseconds of the epoch. May jump. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never goes back: for deadlines and durations. */
  monotonic(): number;
  /** Resolves after so many milliseconds; rejects with code `Aborted` when the signal fires first. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/** The cryptography that the core itself needs. All methods are asynchronous but `random` and `equal`, as Web Crypto has it. */
export interface Crypto {
  /** So many bytes, unpredictable. */
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

/** Time, chance and logging, as the core sees them. */
export interface Runtime {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A new uuid (version 4). */
  newId(): string;
  /** Lets others run before a long computation goes on. */
  yield(): Promise<void>;
}
