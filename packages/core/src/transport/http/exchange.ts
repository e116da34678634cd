import { forStrangers, LiveplaneError } from "../../errors.ts";
import { sessionPath } from "../session-endpoint.ts";
import { type Answers, createAnswers, type Exchange } from "./answers.ts";
import { createBrowserEndpoints } from "./browser-endpoints.ts";
import { documentPath, type SentDocument, writeDocument } from "./document.ts";
import { openStream } from "./event-stream.ts";
import { addDeprecationHeaders, requestIdOf } from "./headers.ts";
import { HttpCall } from "./http-call.ts";
import type { Answered, HttpAnswer, IncomingRequest } from "./incoming-request.ts";
import { queryOf, splitTarget } from "./negotiation.ts";
import { createRateGate, type RateLimits } from "./rate-gate.ts";
import { createReports, inSpan } from "./reports.ts";
import { createRouting } from "./routing.ts";
import type { ServedPlane } from "./served-plane.ts";

/** Options of an edge's exchanges. */
export interface ExchangeOptions {
  readonly liveplane: ServedPlane;
  /** @default the documented quotas */
  readonly rateLimits?: RateLimits;
  /** Origins that browsers may call from; `*` for any. @default none */
  readonly corsOrigins?: readonly string[];
  /** Headers of every answer besides its own: names and values in turn. @default none */
  readonly standing?: readonly string[];
  /** Called with every answer, for logs and metrics. */
  readonly onAnswer?: (answered: Answered) => void;
  /** Ends the event streams when it aborts. @default they end when the control plane stops */
  readonly stopping?: AbortSignal;
}

/** Answers requests. */
export interface Exchanges extends Pick<Answers, "preflight" | "standing"> {
  /** Answers a request to the contract; `null` if it has no such path, so that somebody else may handle it. */
  answer(request: IncomingRequest): Promise<HttpAnswer> | null;
  /** Answers a request for the API document; `null` for other requests. */
  describe(request: IncomingRequest): Promise<HttpAnswer> | null;
  /** Answers a page of that origin that wants to stay signed in; `null` for other requests. */
  keepSignedIn(request: IncomingRequest, origin: string): Promise<HttpAnswer> | null;
  /**
   * Answers a browser on its way to the host's issuer or back; `null` for other requests. `origin`: the server's address as the browser
   * knows it.
   */
  visit(request: IncomingRequest, origin: string): Promise<HttpAnswer> | null;
  /** Answers an unknown path. */
  refuse(request: IncomingRequest): HttpAnswer;
  /** Refuses a request for the edge's own reason, without reading or counting it. */
  turnAway(request: IncomingRequest, reason: unknown): HttpAnswer;
}

const longestTarget = 8 * 1024;

/** Creates the one place where HTTP becomes a call, and a reply becomes an answer. Each host's edge is in front of it. */
export function createExchanges(options: ExchangeOptions): Exchanges {
  const { liveplane, rateLimits = {}, corsOrigins = [], standing = [], onAnswer = () => {} } = options;
  const { stopping = liveplane.stopping } = options;
  const route = createRouting();
  const gate = createRateGate(rateLimits, liveplane.sharedCounts);
  const answers = createAnswers({ standing, corsOrigins });
  const reports = createReports({ gate, onAnswer });
  const fail = (exchange: Exchange, error: unknown) => reports.fail(exchange, error, answers);
  const browser = createBrowserEndpoints({
    liveplane,
    gate,
    reports,
    answers: createAnswers({ standing, corsOrigins: [] }),
  });

  async function stream(call: HttpCall): Promise<HttpAnswer> {
    const onEnd = (cause?: unknown) =>
      reports.sent(call, { status: 200, ...(cause !== undefined && { cause, code: forStrangers(cause).code }) });
    const ends = [liveplane.stopping, stopping];
    // Only opening the stream has a span: one reported hours later, when the stream ends, helps nobody.
    const body = await inSpan(liveplane, call, call.operation, () => openStream(call, { liveplane, ends, onEnd }));
    return answers.opened(call, body);
  }

  async function carryOut(call: HttpCall): Promise<HttpAnswer> {
    try {
      addDeprecationHeaders(call.headers, call.row, call.request.base, call.params);
      if (call.operation === "events.follow") return await stream(call);
      const reply = await liveplane.dispatch(call);
      if (call.operation === "sessions.create") gate.forgiveName(call);
      const answer = answers.success(call, reply);
      reports.sent(call, { status: answer.status });
      return answer;
    } catch (error) {
      return fail(call, error);
    }
  }

  function refuseMethod(exchange: Exchange, allow: readonly string[]): HttpAnswer {
    exchange.headers.push("Allow", allow.join(", "));
    if (exchange.request.method !== "OPTIONS")
      return fail(exchange, new LiveplaneError("MethodNotAllowed", `This path accepts ${allow.join(", ")}.`));
    const answer = answers.empty(exchange);
    reports.sent(exchange, { status: answer.status });
    return answer;
  }

  let written: SentDocument | null = null;

  async function describe(exchange: Exchange): Promise<HttpAnswer> {
    written ??= await writeDocument(exchange.request.base);
    const answer = answers.described(exchange, written);
    reports.sent(exchange, { status: answer.status });
    return answer;
  }

  return {
    preflight: answers.preflight,
    standing: answers.standing,
    answer(request) {
      const { method, target } = request;
      if (target.length > longestTarget)
        return Promise.resolve(fail(exchangeOf(request), new LiveplaneError("UriTooLong")));
      const { path, search } = splitTarget(target);
      const found = route(method, path);
      if (found.kind === "unknown") return null;
      if (found.kind === "method") return Promise.resolve(refuseMethod(exchangeOf(request), found.allow));
      const { id: operation, params } = found;
      const requestId = requestIdOf(request.header("x-request-id"));
      const startedAt = performance.now();
      const query = queryOf(search);
      return carryOut(new HttpCall(gate, { request, requestId, startedAt, operation, params, query, path }));
    },
    describe(request) {
      if (splitTarget(request.target).path !== documentPath) return null;
      const exchange = exchangeOf(request);
      if (request.method !== "GET" && request.method !== "HEAD")
        return Promise.resolve(refuseMethod(exchange, ["GET", "HEAD"]));
      return describe(exchange);
    },
    keepSignedIn(request, origin) {
      if (splitTarget(request.target).path !== sessionPath) return null;
      return browser.keepSignedIn(exchangeOf(request), origin);
    },
    visit: (request, origin) => browser.visit(splitTarget(request.target).path, () => exchangeOf(request), origin),
    refuse(request) {
      const found = route(request.method, splitTarget(request.target).path);
      const idless = found.kind === "unknown" ? found.idless : undefined;
      const detail = idless === undefined ? "This path does not exist." : `${idless} must be an ID, such as ${someId}.`;
      return fail(exchangeOf(request), new LiveplaneError("NotFound", detail));
    },
    turnAway(request, reason) {
      const exchange = exchangeOf(request);
      const { code, ...answer } = answers.problem(exchange, reason);
      // An edge's own answer isn't a failure unless it failed.
      reports.sent(exchange, { status: answer.status, code, ...(answer.status === 500 && { cause: reason }) });
      return answer;
    },
  };
}

const someId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

function exchangeOf(request: IncomingRequest): Exchange {
  const requestId = requestIdOf(request.header("x-request-id"));
  const startedAt = performance.now();
  return { request, requestId, startedAt, headers: [], isCounted: false, verdict: null, tried: null };
}
