import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Actor, Liveplane, Operation, Reply } from "@liveplane/core";
import { operationsById, type Preconditions, parseEntityTags } from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError, toProblem } from "@liveplane/core/errors";
import { lazyBody } from "./body.ts";
import { basicCredentials, callerOf, providerCredentials } from "./credentials.ts";
import { streamEvents } from "./event-stream.ts";
import { setCommonHeaders, setDeprecationHeaders, setRecordHeaders } from "./headers.ts";
import type { RateGate } from "./rate-gate.ts";
import { createRouting } from "./routing.ts";

/** A request that was answered, for logs and metrics. No header, body or query: they hold secrets. */
export interface Answered {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string;
  readonly seconds: number;
  /** Only with status 500 and above. */
  readonly cause?: unknown;
}

/** What every exchange needs. */
export interface ExchangeOptions {
  readonly liveplane: Liveplane;
  readonly gate: RateGate;
  readonly onAnswer: (answered: Answered) => void;
}

/** One request and its answer, below the place where the contract is mounted. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path and query below the mount, as they were sent. */
  readonly url: string;
  /** The path of the mount: goes before every path that an answer names. */
  readonly base: string;
}

const requestIds = /^[A-Za-z0-9._-]{8,128}$/;
const longestUrl = 8 * 1024;

/** Answers requests to the contract: the one place where HTTP becomes a call and a reply becomes HTTP. */
export function createExchanges({ liveplane, gate, onAnswer }: ExchangeOptions): (exchange: Exchange) => Promise<void> {
  const route = createRouting();

  async function answer(exchange: Exchange, requestId: string): Promise<string> {
    const { request, response, base } = exchange;
    const [path = "", search = ""] = splitUrl(exchange.url);
    const { id, params } = routed(route(request.method ?? "", path), response);
    const row = operationsById[id];
    refuseUnacceptable(request, row);
    const query = queryOf(search);
    const admit = (actor: Actor, called: Operation) => gate.admit(request, response, actor, called);
    if (id === "events.follow") {
      await streamEvents({ liveplane, request, response, query, admit });
      return id;
    }
    const body = lazyBody(request, row);
    const reply = await liveplane.dispatch({
      operation: id,
      caller: callerOf(request),
      params,
      query,
      credentials: row.credentials === undefined ? {} : providerCredentials(request),
      body: async () => withBasic(request, row, await body.read()),
      bodyBytes: body.bytes,
      path: `${request.method} ${path}`,
      preconditions: preconditionsOf(request),
      requestId,
      from: { address: gate.addressOf(request), userAgent: request.headers["user-agent"] ?? null, remote: true },
      admit,
      authorized: (called, target) => gate.count(response, called, target),
      ...idempotencyOf(request),
    });
    setDeprecationHeaders(response, row, base);
    setRecordHeaders(response, reply, base);
    sendJson(request, response, reply);
    return id;
  }

  return async (exchange) => {
    const { request, response } = exchange;
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    setCommonHeaders(response, requestId);
    let operation = "unknown";
    let failure: unknown = null;
    try {
      refuseUnversioned(request, exchange.url);
      operation = await answer(exchange, requestId);
    } catch (error) {
      failure = gate.judge(request, response, error);
      sendProblem(request, response, failure, requestId);
    }
    onAnswer({
      operation,
      method: request.method ?? "",
      status: response.statusCode,
      code: failure === null ? null : toProblem(failure, requestId).code,
      requestId,
      seconds: (performance.now() - startedAt) / 1000,
      ...(response.statusCode >= 500 && { cause: failure }),
    });
  };
}

/** The caller's own id when it has the right form, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && requestIds.test(sent) ? sent : randomUUID();
}

function splitUrl(url: string): [string, string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

function refuseUnversioned({ headers }: IncomingMessage, url: string): void {
  if (url.length > longestUrl) throw new LiveplaneError("UriTooLong");
  const version = headers["api-version"];
  if (version === undefined || version === "1") return;
  const detail = "This server speaks version 1.";
  throw new LiveplaneError("UnsupportedApiVersion", detail, {
    details: { errors: [{ header: "Api-Version", code: "UnsupportedApiVersion", detail }] },
  });
}

type Routed = ReturnType<ReturnType<typeof createRouting>>;

function routed(found: Routed, response: ServerResponse): Extract<Routed, { kind: "operation" }> {
  if (found.kind === "operation") return found;
  if (found.kind === "unknown") throw new LiveplaneError("NotFound", "There is nothing at this path.");
  response.setHeader("Allow", found.allow.join(", "));
  throw new LiveplaneError("MethodNotAllowed");
}

function refuseUnacceptable({ headers }: IncomingMessage, row: Operation): void {
  const { accept } = headers;
  if (accept === undefined || accept === "") return;
  const wanted = row.id === "events.follow" ? "text/event-stream" : "application/json";
  const [kind = ""] = wanted.split("/");
  const ranges = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()));
  const takes = ranges.some(
    ([range, ...weights]) =>
      [wanted, `${kind}/*`, "*/*"].includes(range ?? "") && !weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight)),
  );
  if (!takes) throw new LiveplaneError("NotAcceptable", `This answers ${wanted}.`);
}

function queryOf(search: string): Record<string, string | string[]> {
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(search)) {
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return query;
}

function preconditionsOf({ headers }: IncomingMessage): Preconditions {
  const ifMatch = entityTags(headers["if-match"], "If-Match");
  const ifNoneMatch = entityTags(headers["if-none-match"], "If-None-Match");
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) };
}

function entityTags(value: string | undefined, header: string): "*" | readonly string[] | undefined {
  if (value === undefined) return undefined;
  const tags = parseEntityTags(value);
  if (tags !== undefined) return tags;
  const detail = "The header must be * or a list of quoted versions.";
  throw new LiveplaneError("ValidationFailed", detail, { details: { errors: [{ header, code: "Format", detail }] } });
}

function idempotencyOf({ headers, method }: IncomingMessage): { idempotencyKey?: string } {
  const key = headers["idempotency-key"];
  return typeof key === "string" && method === "POST" ? { idempotencyKey: key } : {};
}

function withBasic(request: IncomingMessage, row: Operation, body: unknown): unknown {
  if (row.id !== "tokens.create" || typeof body !== "object" || body === null) return body;
  return { ...body, ...basicCredentials(request) };
}

function sendJson(request: IncomingMessage, response: ServerResponse, { status, value, row }: Reply): void {
  if (row.id === "tokens.keys") response.setHeader("Cache-Control", "public, max-age=300");
  const text = JSON.stringify(value);
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(request.method === "HEAD" ? undefined : text);
}

/** Answers a failure as a problem document. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  requestId: string,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const problem = toProblem(error, requestId);
  const text = JSON.stringify(problem);
  const retryAfter = isLiveplaneError(error) ? error.details.retryAfterSeconds : undefined;
  if (problem.status === 401) response.setHeader("WWW-Authenticate", "Bearer");
  if (retryAfter !== undefined) response.setHeader("Retry-After", String(retryAfter));
  // What is left of a body that nobody reads would be taken for the next request.
  if (!request.complete) response.setHeader("Connection", "close");
  response.statusCode = problem.status;
  response.setHeader("Content-Type", "application/problem+json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(request.method === "HEAD" ? undefined : text);
}
