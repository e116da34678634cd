import type { Logger, Metrics } from "@liveplane/core";
import pino, { type DestinationStream, type Logger as Pino } from "pino";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Answered } from "./exchange.ts";

/** Names under which a secret could stand in a log line, however deep a mistake puts it. */
const secretNames = [
  "password",
  "oldPassword",
  "newPassword",
  "value",
  "secret",
  "token",
  "accessToken",
  "refreshToken",
  "challenge",
  "authorization",
  "sshPrivateKeyData",
  "sshPrivateKeyPassphrase",
];
const redact = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** A structured log on standard error, so that standard output stays free for what starts the server. */
export function createLog(level: string, destination: DestinationStream = pino.destination(2)): Pino {
  return pino(
    { level, redact: { paths: redact, censor: "[redacted]" }, serializers: { cause: shownCause } },
    destination,
  );
}

/** The log behind the core's port. */
export function loggerOver(log: Pino): Logger {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

/** A failure's code, name and stack: no member that a library may have hung on it. */
function shownCause(cause: unknown): unknown {
  if (!(cause instanceof Error)) return typeof cause;
  const { name, message, stack } = cause;
  return {
    name,
    code: Reflect.get(cause, "code"),
    message,
    stack,
    ...(cause.cause !== undefined && { cause: shownCause(cause.cause) }),
  };
}

/** Metrics of the server and of what the core counts. */
export interface ServerMetrics {
  readonly port: Metrics;
  /** Counts an answer. */
  readonly onAnswer: (answered: Answered) => void;
  /** All of them, as Prometheus reads them. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Builds metrics in the form that Prometheus reads. */
export function createMetrics(): ServerMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "liveplane_http_request_seconds",
    help: "Requests by operation and status.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  const known = new Map<string, Counter | Gauge | Histogram>();
  function metric<M extends Counter | Gauge | Histogram>(
    name: string,
    labels: readonly string[],
    make: (options: object) => M,
  ): M {
    const full = `liveplane_${name.replaceAll(/[^a-zA-Z0-9_]/g, "_")}`;
    const found = known.get(full) ?? make({ name: full, help: name, labelNames: labels, registers: [registry] });
    known.set(full, found);
    return found as M;
  }
  const port: Metrics = {
    count: (name, labels = {}, by = 1) =>
      metric(`${name}_total`, Object.keys(labels), (options) => new Counter(options as never)).inc(labels, by),
    gauge: (name, value, labels = {}) =>
      metric(name, Object.keys(labels), (options) => new Gauge(options as never)).set(labels, value),
    observe: (name, seconds, labels = {}) =>
      metric(name, Object.keys(labels), (options) => new Histogram(options as never)).observe(labels, seconds),
  };
  return {
    port,
    onAnswer: ({ operation, status, seconds }) => requests.observe({ operation, status: String(status) }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
