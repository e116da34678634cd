import {
  type CloudOperation,
  isObject,
  type JsonObject,
  type OperationReading,
  type SeenResource,
} from "@liveplane/core/clouds";
import { elsewhere } from "../cloud-http/cloud-http.ts";
import { ownNameOf, type PlacedResource, projectOf } from "./google-ids.ts";
import { knownServices } from "./google-kinds.ts";
import { googleShown } from "./google-reading.ts";
import { encoded } from "./google-requests.ts";

export interface WatchedOperation {
  readonly service: string;
  /** Below its service's URL. */
  readonly path: string;
}

/** The operation in a write's answer; `null` if the answer is the resource itself, or empty. */
export function operationIn(placed: PlacedResource, body: JsonObject): WatchedOperation | null {
  const { kind, resourceId } = placed;
  const { service, version } = kind;
  const name = typeof body.name === "string" ? body.name : "";
  if (!kind.operations) return isLongRunning(name) ? { service, path: `/${version}/${encoded(name)}` } : null;
  if (service === "compute" && body.kind === "compute#operation") {
    const place = /^projects\/[^/]+\/(global|(zones|regions)\/[^/]+)/.exec(ownNameOf(placed))?.[0] ?? "";
    return { service, path: `/compute/${version}/${encoded(place)}/operations/${encodeURIComponent(name)}` };
  }
  if (service === "sqladmin" && body.kind === "sql#operation")
    return {
      service,
      path: `/${version}/projects/${encodeURIComponent(projectOf(resourceId))}/operations/${encodeURIComponent(name)}`,
    };
  if (service === "container" && typeof body.operationType === "string") {
    const place = /^projects\/[^/]+\/locations\/[^/]+/.exec(ownNameOf(placed))?.[0] ?? "";
    return { service, path: `/${version}/${encoded(place)}/operations/${encodeURIComponent(name)}` };
  }
  return isLongRunning(name) ? { service, path: `/${version}/${encoded(name)}` } : null;
}

function isLongRunning(name: string): boolean {
  return /^projects\/[^/]+\/locations\/[^/]+\/operations\/[^/]+$/.test(name);
}

/** Whether an operation had already ended when it was returned. */
export function isDone({ status, done }: JsonObject): boolean {
  return done === true || status === "DONE";
}

/** An operation as stored: its service and path. */
function addressOf({ service, path }: WatchedOperation): string {
  return `${service} ${path}`;
}

const paths =
  /^\/(compute\/)?v\d+\/projects\/([^/]+)\/((global|(zones|regions|locations)\/[a-z0-9-]+)\/)?operations\/[A-Za-z0-9._-]+$/;

/** A stored address, validated again: an operation of a known service, in the resource's project. */
export function watchedAt(address: string, resourceId: string): WatchedOperation {
  const [service = "", path = "", ...more] = address.split(" ");
  const project = paths.exec(path)?.[2] ?? null;
  const isOwn = resourceId === "" || project === encodeURIComponent(projectOf(resourceId));
  if (more.length > 0 || !knownServices.has(service) || project === null || !isOwn) throw elsewhere();
  return { service, path };
}

const shortestPollMs = 2_000;
const longestPollMs = 30_000;

/** The resource in a finished operation, if it has one: those of Compute Engine and Cloud SQL don't. */
export function resultOf({ response }: JsonObject, placed: PlacedResource): { readonly shown?: SeenResource } {
  return isObject(response) ? googleShown(response, placed) : {};
}

/** How long to wait before the next poll: a tenth of the time so far. */
function pollAfter({ insertTime, startTime, metadata }: JsonObject, now: number): number {
  const created = isObject(metadata) ? metadata.createTime : undefined;
  const [since] = [insertTime, startTime, created].map((at) => (typeof at === "string" ? Date.parse(at) : Number.NaN));
  const elapsed = since === undefined || Number.isNaN(since) ? 0 : now - since;
  return Math.min(Math.max(elapsed / 10, shortestPollMs), longestPollMs);
}

/** The state in an operation's body. */
export function operationReading(body: JsonObject, now: number): OperationReading {
  if (isDone(body)) return failureOf(body) ?? { state: "done" };
  const { progress } = body;
  return {
    state: "working",
    pollAfterMs: pollAfter(body, now),
    ...(typeof progress === "number" && { progress }),
  };
}

/** A started operation, in the form that the agent follows. */
export function begun(operation: WatchedOperation, body: JsonObject, now: number): CloudOperation {
  return { address: addressOf(operation), pollAfterMs: pollAfter(body, now) };
}

/** The names of gRPC's status codes, in order. */
const grpcCodes: readonly string[] = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/** The failure of an operation; `null` if it succeeded. Compute Engine and Cloud SQL have their own words, the others gRPC's numbers. */
export function failureOf({ error, id }: JsonObject): Extract<OperationReading, { state: "failed" }> | null {
  if (!isObject(error)) return null;
  const [first] = Array.isArray(error.errors) ? error.errors : [];
  const said = isObject(first) ? first : error;
  const code = reasonIn(said) ?? wordOf(said.code) ?? "UNKNOWN";
  const message = typeof said.message === "string" ? said.message : "Google gave no reason.";
  return { state: "failed", code, message, ...(typeof id === "string" && { requestId: id }) };
}

/** The reason of an `ErrorInfo`, which is more specific than the code. */
function reasonIn({ details }: JsonObject): string | null {
  if (!Array.isArray(details)) return null;
  const found = details.find((one) => isObject(one) && String(one["@type"]).endsWith("google.rpc.ErrorInfo"));
  return isObject(found) && typeof found.reason === "string" ? found.reason : null;
}

function wordOf(code: unknown): string | null {
  if (typeof code === "number") return grpcCodes[code] ?? String(code);
  return typeof code === "string" ? code : null;
}
