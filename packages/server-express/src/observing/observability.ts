import type { Logger, MetricLabels, Metrics } from "@liveplane/core";
import { visible } from "@liveplane/core/errors";
import type { Answered } from "@liveplane/core/http";
import pino, { type DestinationStream, type Logger as Pino } from "pino";
import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricConfiguration, Registry } from "prom-client";
import { version as ownVersion } from "../version.ts";
import { createRequestTimes } from "./request-times.ts";

/** Names that a secret could have in a log line, at any depth, by mistake. */
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

/** A structured log on standard error, which leaves standard output to whatever starts the server. */
export function createLog(level: string, destination: DestinationStream = pino.destination(2)): Pino {
  return pino(
    { level, redact: { paths: redact, censor: "[redacted]" }, serializers: { cause: shownCause, error: shownCause } },
    // Logs are read on terminals, and JSON doesn't escape C1 and bidi characters.
    { write: (line) => destination.write(visible(line)) },
  );
}

/** The log as the core's port. */
export function loggerOver(log: Pino): Logger {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

/** Refusals that matter for detecting attacks. A 404 may hide one too. */
const refusals = new Set([401, 403, 429]);

/** Event streams last as long as their readers want. */
const isLong = (operation: string) => operation === "events.follow";

/** Logs an answer: failures with their cause, security-relevant refusals, slow answers, and everything else at debug level. */
export function logAnswer(log: Pino, { cause, ...answered }: Answered, slowSeconds: number): void {
  if (cause !== undefined) log.error({ ...answered, cause }, "failed");
  else if (refusals.has(answered.status)) log.info(answered, "refused");
  else if (answered.seconds > slowSeconds && !isLong(answered.operation)) log.info(answered, "slow");
  else log.debug(answered, "answered");
}

/** A failure's code, name and stack, without members that a library may have added. */
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

/** The metrics of the server and the core. */
export interface ServerMetrics {
  readonly port: Metrics;
  /** Counts an answer. */
  readonly onAnswer: (answered: Answered) => void;
  /** All metrics in Prometheus's format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** The descriptions of the core's metrics. */
const help: Readonly<Record<string, string>> = {
  liveplane_checks_total: "Checks of a component, in a sweep or on request.",
  liveplane_corrections_total: "Corrections of components, by outcome.",
  liveplane_drifting_components: "Components that differ from their declaration, by cloud.",
  liveplane_components: "Components that this process has checked within the last interval.",
  liveplane_overrides: "Overridden components, of those that this process has checked.",
  liveplane_override_oldest_seconds: "The age of the oldest override in force.",
  liveplane_hand_back_seconds: "Time from a hand-back request until the component is Active.",
  liveplane_cloud_calls_total: "Calls to a cloud, by kind and outcome.",
  liveplane_cloud_call_seconds: "Duration of calls to a cloud.",
  liveplane_cloud_throttled_seconds: "Time that calls were delayed by a cloud's rate limits.",
  liveplane_unopened_values: "Sealed values that the last pass of the key rotation couldn't open.",
  liveplane_unopened_total: "Sealed values that couldn't be opened when read, by location.",
  liveplane_sweep_lag_seconds: "Delay of the last sweep beyond its interval.",
  liveplane_shards_held: "Shards that this process is working on, by task.",
  liveplane_shard_late_seconds: "Delay between a shard's due time and its start, by task.",
  liveplane_leases_lost_total: "Leases that could not be renewed, by task; another process continues.",
  liveplane_housekeeping_lag_seconds: "Age of the oldest overdue housekeeping item, by kind of work.",
  liveplane_webhooks_pending: "Webhooks with unsent events.",
  liveplane_webhooks_held: "Webhooks whose next event could not be delivered yet.",
  liveplane_webhook_oldest_seconds: "The age of the oldest event that could not be delivered yet.",
  liveplane_webhook_attempts_total: "Attempts to deliver to a webhook, by outcome.",
  liveplane_webhook_attempt_seconds: "Response time of webhook endpoints.",
};

/** From a cloud's fast answer to a hand-over of half an hour. */
const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300, 1800];

/** The running build. */
export interface RunningBuild {
  /** @default this package's */
  readonly version?: string;
  /** @default "all" */
  readonly role?: string;
}

/** Creates the metrics in Prometheus's format. */
export function createMetrics({ version = ownVersion, role = "all" }: RunningBuild = {}): ServerMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "liveplane_build_info",
    help: "Always 1; labels name the version, Node and the role of this process.",
    labelNames: ["version", "node", "role"],
    registers: [registry],
  }).set({ version, node: process.version, role }, 1);
  const requests = createRequestTimes();
  const known = new Map<string, Counter | Gauge | Histogram>();
  function metric<M extends Counter | Gauge | Histogram>(
    name: string,
    labels: MetricLabels,
    make: (options: MetricConfiguration<string>) => M,
  ): M {
    const options = { name, help: help[name] ?? name, labelNames: Object.keys(labels), registers: [registry] };
    const found = known.get(name) ?? make(options);
    known.set(name, found);
    return found as M;
  }
  const port: Metrics = {
    count: (name, labels = {}, by = 1) => metric(name, labels, (options) => new Counter(options)).inc(labels, by),
    gauge: (name, value, labels = {}) => metric(name, labels, (options) => new Gauge(options)).set(labels, value),
    observe: (name, seconds, labels = {}) =>
      metric(name, labels, (options) => new Histogram({ ...options, buckets })).observe(labels, seconds),
  };
  return {
    port,
    onAnswer: requests.observe,
    text: async () => `${await registry.metrics()}\n${requests.text()}`,
    contentType: registry.contentType,
  };
}
