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
  /** Behind its service's address. */
  readonly path: string;
}

/** The operation that a write's answer names; `null`: the answer is the resource itself, or nothing. */
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
  return isLongRunning(name) ? { service, path: `/${version}/${encoded(name)}` } : null;
}

function isLongRunning(name: string): boolean {
  return /^projects\/[^/]+\/locations\/[^/]+\/operations\/[^/]+$/.test(name);
}

/** Whether an operation has come to its end already, as its own answer says. */
export function isDone({ status, done }: JsonObject): boolean {
  return done === true || status === "DONE";
}

/** An operation as it is kept: its service and its path. */
function addressOf({ service, path }: WatchedOperation): string {
  return `${service} ${path}`;
}

const paths =
  /^\/(compute\/)?v\d+\/projects\/([^/]+)\/((global|(zones|regions|locations)\/[a-z0-9-]+)\/)?operations\/[A-Za-z0-9._-]+$/;

/** An address, judged again: of one of the services, an operation's, in the project that the resource is in. */
export function watchedAt(address: string, resourceId: string): WatchedOperation {
  const [service = "", path = "", ...more] = address.split(" ");
  const project = paths.exec(path)?.[2] ?? null;
  const isOwn = resourceId === "" || project === encodeURIComponent(projectOf(resourceId));
  if (more.length > 0 || !knownServices.has(service) || project === null || !isOwn) throw elsewhere();
  return { service, path };
}

const shortestPollMs = 2_000;
const longestPollMs = 30_000;

/** What a finished operation made of its resource, where it holds that: those of Compute Engine and Cloud SQL don't. */
export function resultOf({ response }: JsonObject, placed: PlacedResource): { readonly shown?: SeenResource } {
  return isObject(response) ? googleShown(response, placed) : {};
}

/** How long an operation is left alone: a tenth of the time that it has taken. */
function pollAfter({ insertTime, startTime, metadata }: JsonObject, now: number): number {
  const created = isObject(metadata) ? metadata.createTime : undefined;
  const [since] = [insertTime, startTime, created].map((at) => (typeof at === "string" ? Date.parse(at) : Number.NaN));
  const elapsed = since === undefined || Number.isNaN(since) ? 0 : now - since;
  return Math.min(Math.max(elapsed / 10, shortestPollMs), longestPollMs);
}

/** What an operation's body says of how far it is. */
export function operationReading(body: JsonObject, now: number): OperationReading {
  if (isDone(body)) return failureOf(body) ?? { state: "done" };
  const { progress } = body;
  return {
    state: "working",
    pollAfterMs: pollAfter(body, now),
    ...(typeof progress === "number" && { progress }),
  };
}

/** An operation that was begun, as the agent follows it. */
export function begun(operation: WatchedOperation, body: JsonObject, now: number): CloudOperation {
  return { address: addressOf(operation), pollAfterMs: pollAfter(body, now) };
}

/** How gRPC numbers what goes wrong. */
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

/** What an operation ended in; `null`: well. Compute Engine and Cloud SQL have words of their own, the others those of gRPC by number. */
export function failureOf({ error, id }: JsonObject): Extract<OperationReading, { state: "failed" }> | null {
  if (!isObject(error)) return null;
  const [first] = Array.isArray(error.errors) ? error.errors : [];
  const said = isObject(first) ? first : error;
  const code = reasonIn(said) ?? wordOf(said.code) ?? "UNKNOWN";
  const message = typeof said.message === "string" ? said.message : "Google gave no reason.";
  return { state: "failed", code, message, ...(typeof id === "string" && { requestId: id }) };
}

/** The reason of an `ErrorInfo`, which is finer than the code. */
function reasonIn({ details }: JsonObject): string | null {
  if (!Array.isArray(details)) return null;
  const found = details.find((one) => isObject(one) && String(one["@type"]).endsWith("google.rpc.ErrorInfo"));
  return isObject(found) && typeof found.reason === "string" ? found.reason : null;
}

function wordOf(code: unknown): string | null {
  if (typeof code === "number") return grpcCodes[code] ?? String(code);
  return typeof code === "string" ? code : null;
}
