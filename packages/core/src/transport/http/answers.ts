import { isLiveplaneError, toProblem } from "../../errors.ts";
import { jsonOf } from "../../records/shown-once.ts";
import type { Reply } from "../dispatch.ts";
import { refusalPage, signInPolicy, type WaysOn } from "../sign-in-pages.ts";
import { allowOrigins, type OriginGate } from "./cors.ts";
import { isKnown, type SentDocument } from "./document.ts";
import { addRateHeaders, addRecordHeaders } from "./headers.ts";
import type { HttpAnswer, IncomingRequest } from "./incoming-request.ts";
import type { RateTicket } from "./rate-gate.ts";

/** One request on its way to its answer. */
export interface Exchange extends RateTicket {
  readonly request: IncomingRequest;
  readonly requestId: string;
  /** By a clock that never goes back. */
  readonly startedAt: number;
  /** Further headers of the answer, whatever its result: names and values in turn. */
  readonly headers: string[];
}

/** Shared options of one edge's answers. */
export interface AnswersOptions {
  /** Headers of every answer besides its own: names and values in turn. */
  readonly standing: readonly string[];
  readonly corsOrigins: readonly string[];
}

/** Creates answers as plain data. */
export interface Answers extends Pick<OriginGate, "preflight"> {
  /** The headers of every answer, except the request's own. */
  standing(request: IncomingRequest): readonly string[];
  success(exchange: Exchange, reply: Reply): HttpAnswer;
  opened(exchange: Exchange, body: HttpAnswer["body"]): HttpAnswer;
  /** The API document, or 304 for whoever has it. */
  described(exchange: Exchange, document: SentDocument): HttpAnswer;
  /** A success outside the contract. */
  json(exchange: Exchange, value: object): HttpAnswer;
  /** A redirect for a browser. */
  moved(exchange: Exchange, location: string): HttpAnswer;
  /** A page for a browser. `policy`: its content security policy, if it isn't the usual one. */
  page(exchange: Exchange, body: string, policy?: string): HttpAnswer;
  /** A failure as such a page, with its code. */
  failedPage(exchange: Exchange, error: unknown, ways: WaysOn): HttpAnswer & { readonly code: string };
  /** An answer without a body. */
  empty(exchange: Exchange): HttpAnswer;
  /** A failure as a problem document, with its code. */
  problem(exchange: Exchange, error: unknown): HttpAnswer & { readonly code: string };
}

const uncached = ["Api-Version", "1", "Cache-Control", "no-store"];
const cached = ["Api-Version", "1", "Cache-Control", "public, max-age=300"];

export function createAnswers({ standing, corsOrigins }: AnswersOptions): Answers {
  const origins = allowOrigins(corsOrigins);
  const usual = [...standing, ...uncached];
  const cacheable = [...standing, ...cached];
  const isPolicy = (at: number) => standing[at - (at % 2)] === "Content-Security-Policy";
  const ofPages = [...standing.filter((_, at) => !isPolicy(at)), ...uncached];

  function headersOf({ request, requestId, verdict, headers }: Exchange, always = usual): string[] {
    const all = always.slice();
    all.push("X-Request-Id", requestId);
    if (corsOrigins.length > 0) all.push(...origins.headers(request));
    if (verdict !== null) addRateHeaders(all, verdict);
    all.push(...headers);
    return all;
  }

  const pageHeaders = (exchange: Exchange, policy = signInPolicy()) => [
    ...headersOf(exchange, ofPages),
    ...["Content-Security-Policy", policy, "Content-Type", "text/html; charset=utf-8"],
  ];

  return {
    standing: (request) => [...standing, ...origins.headers(request)],
    preflight(request) {
      const answer = origins.preflight(request);
      return answer && { ...answer, headers: [...standing, ...answer.headers] };
    },
    success(exchange, reply) {
      const headers = headersOf(exchange, reply.row.id === "tokens.keys" ? cacheable : usual);
      addRecordHeaders(headers, reply, exchange.request.base);
      headers.push("Content-Type", "application/json; charset=utf-8");
      return { status: reply.status, headers, body: jsonOf(reply.value) };
    },
    opened(exchange, body) {
      const headers = headersOf(exchange);
      headers.push("Content-Type", "text/event-stream; charset=utf-8", "X-Accel-Buffering", "no");
      return { status: 200, headers, body };
    },
    described(exchange, { text, etag }) {
      const headers = [...headersOf(exchange, cacheable), "ETag", etag];
      if (isKnown(exchange.request.header("if-none-match"), etag)) return { status: 304, headers, body: null };
      return { status: 200, headers: [...headers, "Content-Type", "application/json; charset=utf-8"], body: text };
    },
    json(exchange, value) {
      const headers = [...headersOf(exchange), "Content-Type", "application/json; charset=utf-8"];
      return { status: 200, headers, body: JSON.stringify(value) };
    },
    moved: (exchange, location) => ({
      status: 303,
      headers: [...headersOf(exchange), "Location", location],
      body: null,
    }),
    page: (exchange, body, policy) => ({ status: 200, headers: pageHeaders(exchange, policy), body }),
    failedPage(exchange, error, ways) {
      const problem = toProblem(error, exchange.requestId);
      const headers = pageHeaders(exchange);
      const { retryAfterSeconds: seconds } = problem;
      if (seconds !== undefined) headers.push("Retry-After", String(seconds));
      return { status: problem.status, code: problem.code, headers, body: refusalPage(problem, ways) };
    },
    empty: (exchange) => ({ status: 204, headers: headersOf(exchange), body: null }),
    problem(exchange, error) {
      const { status, code, headers, body } = problemOf(error, exchange.requestId);
      return { status, code, headers: [...headersOf(exchange), ...headers], body };
    },
  };
}

/** A failure as a problem document, with the headers that its status needs. */
export function problemOf(
  error: unknown,
  requestId: string,
): HttpAnswer & { readonly body: string; readonly code: string } {
  const problem = toProblem(error, requestId);
  const retryAfter = isLiveplaneError(error) ? error.details.retryAfterSeconds : undefined;
  const headers: string[] = [];
  if (problem.status === 401) headers.push("WWW-Authenticate", "Bearer");
  if (retryAfter !== undefined) headers.push("Retry-After", String(retryAfter));
  headers.push("Content-Type", "application/problem+json; charset=utf-8");
  return { status: problem.status, code: problem.code, headers, body: JSON.stringify(problem) };
}
