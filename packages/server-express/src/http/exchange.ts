import type { IncomingMessage, ServerResponse } from "node:http";
import { type Actor, actorName, type Liveplane, type Operation, type Request } from "@liveplane/core";
import { operationsById } from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { sendProblem, sendReply } from "./answers.ts";
import { lazyBody } from "./body.ts";
import { basicCredentials, callerOf, providerCredentials } from "./credentials.ts";
import { streamEvents } from "./event-stream.ts";
import { setCommonHeaders, setDeprecationHeaders, setRecordHeaders } from "./headers.ts";
import { takeIn } from "./lingering-close.ts";
import { preconditionsOf, queryOf, refuseOtherVersions, refuseUnacceptable, splitTarget } from "./negotiation.ts";
import type { RateGate, RateTicket } from "./rate-gate.ts";
import { createRouting, type Routed } from "./routing.ts";

/** A request that was answered, for logs and metrics. No header, body or query: they hold secrets. */
export interface Answered {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly code: string | null;
  /** Who called; `null`: nobody who is known. */
  readonly caller: string | null;
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
  /** Fires when long answers have to end. */
  readonly stopping: AbortSignal;
}

/** One request and its answer, below the place where the contract is mounted. */
export interface Exchange extends RateTicket {
  /** The path and query below the mount, as they were sent. */
  readonly url: string;
  /** The path of the mount: goes before every path that an answer names. */
  readonly base: string;
  /** Set once it is known who calls. */
  actor?: Actor;
}

/** Answers requests. */
export interface Exchanges {
  /** Answers a request to the contract; `null`: it has no such path, and somebody else may have it. */
  answer(exchange: Exchange): Promise<void> | null;
  /** Refuses a path that nobody has. */
  refuse(exchange: Exchange): void;
}

type Found = Extract<Routed, { kind: "operation" }>;

const longestUrl = 8 * 1024;

/** Builds the one place where HTTP becomes a call, and a reply becomes HTTP. */
export function createExchanges({ liveplane, gate, onAnswer, stopping }: ExchangeOptions): Exchanges {
  const route = createRouting();

  /** Carries an operation out. What isn't for strangers to learn is judged by dispatch, through the functions given to it. */
  async function carryOut(exchange: Exchange, { id, params }: Found, search: string, requestId: string): Promise<void> {
    const { request, response, base } = exchange;
    const row = operationsById[id];
    setDeprecationHeaders(response, row, base, params);
    const query = queryOf(search);
    const admit = (actor: Actor, called: Operation) => {
      exchange.actor = actor;
      gate.admit(exchange, actor, called);
    };
    if (id === "events.follow") return streamEvents({ liveplane, request, response, query, admit, stopping });
    const reply = await liveplane.dispatch({
      operation: id,
      caller: callerOf(request),
      params,
      query,
      requestId,
      admit,
      from: { address: gate.addressOf(request), userAgent: request.headers["user-agent"] ?? null, remote: true },
      path: `${request.method} ${splitTarget(exchange.url).path}`,
      signal: hangUpOf(response),
      ...judgedLater(exchange, row, gate),
    });
    if (id === "sessions.create") exchange.forgiveName?.();
    setRecordHeaders(response, reply, base);
    await takeIn(request);
    sendReply(request, response, reply);
  }

  /** Runs the work of one exchange, answers its failure, and tells of it. */
  async function conduct(exchange: Exchange, operation: string, work: (requestId: string) => Promise<void>) {
    const { request, response } = exchange;
    const startedAt = performance.now();
    const requestId = setCommonHeaders(request, response);
    let code: string | null = null;
    let cause: unknown;
    try {
      await work(requestId);
    } catch (error) {
      cause = gate.judge(exchange, error);
      await takeIn(request);
      code = sendProblem(request, response, cause, requestId);
    }
    const left = isLiveplaneError(cause, "Aborted");
    const status = left ? 499 : response.statusCode;
    const seconds = (performance.now() - startedAt) / 1000;
    const method = request.method ?? "";
    const caller = exchange.actor === undefined ? null : actorName(exchange.actor);
    onAnswer({ operation, method, status, code, caller, requestId, seconds, ...(status >= 500 && { cause }) });
  }

  return {
    answer(exchange) {
      const { request, url } = exchange;
      if (url.length > longestUrl) return conduct(exchange, "unknown", () => fail("UriTooLong"));
      const { path, search } = splitTarget(url);
      const found = route(request.method ?? "", path);
      if (found.kind === "unknown") return null;
      if (found.kind === "method") return conduct(exchange, "unknown", () => refuseMethod(exchange, found.allow));
      return conduct(exchange, found.id, (requestId) => carryOut(exchange, found, search, requestId));
    },
    refuse: (exchange) => void conduct(exchange, "unknown", () => fail("NotFound", "There is nothing at this path.")),
  };
}

/** Fires when the caller is gone before they were answered: nobody waits for costly work any more. */
function hangUpOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => response.writableFinished || gone.abort());
  return gone.signal;
}

/** What dispatch asks for in its own order: after the rate the right, then the headers, then the body. */
function judgedLater(
  exchange: Exchange,
  row: Operation,
  gate: RateGate,
): Pick<Request, "authorized" | "body" | "bodyBytes" | "credentials" | "preconditions" | "idempotencyKey"> {
  const { request } = exchange;
  const body = lazyBody(request, row);
  const { preconditions, check } = preconditionsOf(request);
  const credentials = row.credentials === undefined ? null : providerCredentials(request);
  const key = request.headers["idempotency-key"];
  return {
    authorized(called, target) {
      gate.count(exchange, called, target);
      refuseUnacceptable(request, row);
      refuseOtherVersions(request);
    },
    async body() {
      const read = await body.read();
      check();
      credentials?.check();
      gate.countName(exchange, row, read);
      return row.id === "tokens.create" ? withBasic(request, read) : read;
    },
    bodyBytes: body.bytes,
    credentials: credentials?.found ?? {},
    preconditions,
    ...(typeof key === "string" && { idempotencyKey: key }),
  };
}

async function refuseMethod({ request, response }: Exchange, allow: readonly string[]): Promise<void> {
  response.setHeader("Allow", allow.join(", "));
  if (request.method !== "OPTIONS") return fail("MethodNotAllowed", `This path takes ${allow.join(", ")}.`);
  response.statusCode = 204;
  response.end();
}

function fail(code: "UriTooLong" | "NotFound" | "MethodNotAllowed", detail?: string): Promise<never> {
  return Promise.reject(new LiveplaneError(code, detail));
}

function withBasic(request: IncomingMessage, body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  return { ...body, ...basicCredentials(request) };
}
