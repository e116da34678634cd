import type { Access } from "../../access/access.ts";
import { actorName } from "../../contract/target.ts";
import { forStrangers, isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Tracer } from "../../ports/runtime.ts";
import type { IssuerSignIn } from "../../sessions/issuer-sign-in.ts";
import type { SessionHandles } from "../../sessions/session-handles.ts";
import type { Dispatch } from "../dispatch.ts";
import type { Follow } from "../follow.ts";
import { createSessionEndpoint, sessionPath } from "../session-endpoint.ts";
import type { SharedCounts } from "../shared-counts.ts";
import { createSignInVisits, type SignInVisit, type SignInVisited, startPath } from "../sign-in-visits.ts";
import { type Answers, createAnswers, type Exchange } from "./answers.ts";
import { documentPath, type SentDocument, writeDocument } from "./document.ts";
import { openStream } from "./event-stream.ts";
import { addDeprecationHeaders, requestIdOf } from "./headers.ts";
import { HttpCall } from "./http-call.ts";
import type { Answered, HttpAnswer, IncomingRequest } from "./incoming-request.ts";
import { queryOf, splitTarget } from "./negotiation.ts";
import { createRateGate, type RateLimits } from "./rate-gate.ts";
import { createRouting } from "./routing.ts";

/** What an edge serves of a control plane, which is one such. */
export interface ServedPlane {
  /** The one way into every operation. */
  readonly dispatch: Dispatch;
  /** The stream of events. */
  readonly follow: Follow;
  /** Says who calls. */
  readonly access: Access;
  /** What rate limits are settled by with other processes. @default each counts for itself */
  readonly sharedCounts?: SharedCounts | null;
  /** What browsers get access tokens by. */
  readonly sessionHandles: SessionHandles;
  /** The sign-in at the host's issuer. @default there is none */
  readonly signIn?: IssuerSignIn | null;
  /** Follows what isn't dispatched: streams of events as they open, and visits of browsers. @default nobody follows that */
  readonly tracer?: Tracer;
  /** Fires when it begins to stop: long answers end. */
  readonly stopping: AbortSignal;
}

/** What the exchanges of one edge need. */
export interface ExchangeOptions {
  readonly liveplane: ServedPlane;
  /** @default the documented quotas */
  readonly rateLimits?: RateLimits;
  /** Origins that browsers may call from; `*`: any. @default none */
  readonly corsOrigins?: readonly string[];
  /** What stands on every answer beside its own: names and values in turn. @default nothing */
  readonly standing?: readonly string[];
  /** Told of every answer, for logs and metrics. */
  readonly onAnswer?: (answered: Answered) => void;
  /** Ends the streams of events when it fires. @default they end when the control plane stops */
  readonly stopping?: AbortSignal;
}

/** Answers requests. */
export interface Exchanges extends Pick<Answers, "preflight" | "standing"> {
  /** Answers a request to the contract; `null`: it has no such path, and somebody else may have it. */
  answer(request: IncomingRequest): Promise<HttpAnswer> | null;
  /** Answers a request for the document of the contract; `null`: it is for something else. */
  describe(request: IncomingRequest): Promise<HttpAnswer> | null;
  /** Answers a page of that origin that wants to stay signed in; `null`: the request is for something else. */
  keepSignedIn(request: IncomingRequest, origin: string): Promise<HttpAnswer> | null;
  /**
   * Answers a browser on its way to the host's issuer or back; `null`: the request is for something else. `origin`: where the server is
   * reached, as the browser has it.
   */
  visit(request: IncomingRequest, origin: string): Promise<HttpAnswer> | null;
  /** Refuses a path that nobody has. */
  refuse(request: IncomingRequest): HttpAnswer;
  /** Refuses a request for a reason of the edge's own: nothing of it is read, and it counts for nobody. */
  turnAway(request: IncomingRequest, reason: unknown): HttpAnswer;
}

const longestTarget = 8 * 1024;

/** Builds the one place where HTTP becomes a call, and a reply becomes an answer. The edge of each host stands before it. */
export function createExchanges(options: ExchangeOptions): Exchanges {
  const { liveplane, rateLimits = {}, corsOrigins = [], standing = [], onAnswer = () => {} } = options;
  const { stopping = liveplane.stopping } = options;
  const route = createRouting();
  const gate = createRateGate(rateLimits, liveplane.sharedCounts);
  const answers = createAnswers({ standing, corsOrigins });
  /** Of what no page of another origin may call, whatever else it may. */
  const ownAnswers = createAnswers({ standing, corsOrigins: [] });

  function fail(exchange: Exchange, error: unknown, by: Answers = answers): HttpAnswer {
    const cause = gate.judge(exchange, error);
    const { code, ...answer } = by.problem(exchange, cause);
    // Nobody waits for the answer: that is no failure of this side.
    if (isLiveplaneError(cause, "Aborted")) onAnswer(told(exchange, { status: 499, code }));
    else onAnswer(told(exchange, { status: answer.status, code, ...(answer.status >= 500 && { cause }) }));
    return answer;
  }

  /** Does what isn't dispatched in a span as dispatch has them. */
  function inSpan<T>({ request, requestId }: Exchange, operation: string, work: () => Promise<T>): Promise<T> {
    const fields = { operation, requestId };
    const parent = request.header("traceparent");
    return liveplane.tracer?.during({ name: operation, kind: "server", fields, parent }, work) ?? work();
  }

  async function stream(call: HttpCall): Promise<HttpAnswer> {
    const onEnd = (cause?: unknown) =>
      onAnswer(told(call, { status: 200, ...(cause !== undefined && { cause, code: forStrangers(cause).code }) }));
    const ends = [liveplane.stopping, stopping];
    // Its opening alone: a span that is told of when a stream ends, hours later, helps nobody.
    const body = await inSpan(call, call.operation, () => openStream(call, { liveplane, ends, onEnd }));
    return answers.opened(call, body);
  }

  async function carryOut(call: HttpCall): Promise<HttpAnswer> {
    try {
      addDeprecationHeaders(call.headers, call.row, call.request.base, call.params);
      if (call.operation === "events.follow") return await stream(call);
      const reply = await liveplane.dispatch(call);
      if (call.operation === "sessions.create") gate.forgiveName(call);
      const answer = answers.success(call, reply);
      onAnswer(told(call, { status: answer.status }));
      return answer;
    } catch (error) {
      return fail(call, error);
    }
  }

  const endpoint = createSessionEndpoint({ ...liveplane, gate, answers: ownAnswers });

  async function keepSignedIn(exchange: Exchange, origin: string): Promise<HttpAnswer> {
    try {
      const answer = await inSpan(exchange, spanOf(sessionPath), () => endpoint(exchange, origin));
      onAnswer(told(exchange, { status: answer.status }));
      return answer;
    } catch (error) {
      return fail(exchange, error, ownAnswers);
    }
  }

  const visits = liveplane.signIn ? createSignInVisits({ ...liveplane, signIn: liveplane.signIn, gate }) : null;

  async function visit(exchange: Exchange, path: string, carryOut: () => ReturnType<SignInVisit>): Promise<HttpAnswer> {
    try {
      const visited = await inSpan(exchange, spanOf(path), carryOut);
      const answer = answerTo(exchange, visited);
      onAnswer(told(exchange, { status: answer.status }));
      return answer;
    } catch (cause) {
      // A script of this server's own page posts there, and no person sees the answer.
      if (path === startPath && exchange.request.method === "POST") return fail(exchange, cause, ownAnswers);
      const { code, ...answer } = ownAnswers.failedPage(exchange, cause, exchange.request.base + startPath);
      onAnswer(told(exchange, { status: answer.status, code, ...(answer.status >= 500 && { cause }) }));
      return answer;
    }
  }

  function answerTo(exchange: Exchange, visited: SignInVisited): HttpAnswer {
    if (visited.kind === "page") return ownAnswers.page(exchange, visited.page, visited.policy);
    const { kind, location } = visited;
    return kind === "told" ? ownAnswers.json(exchange, { location }) : ownAnswers.moved(exchange, location);
  }

  function refuseMethod(exchange: Exchange, allow: readonly string[]): HttpAnswer {
    exchange.headers.push("Allow", allow.join(", "));
    if (exchange.request.method !== "OPTIONS")
      return fail(exchange, new LiveplaneError("MethodNotAllowed", `This path accepts ${allow.join(", ")}.`));
    const answer = answers.empty(exchange);
    onAnswer(told(exchange, { status: answer.status }));
    return answer;
  }

  let written: SentDocument | null = null;

  async function describe(exchange: Exchange): Promise<HttpAnswer> {
    written ??= await writeDocument(exchange.request.base);
    const answer = answers.described(exchange, written);
    onAnswer(told(exchange, { status: answer.status }));
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
      return keepSignedIn(exchangeOf(request), origin);
    },
    visit(request, origin) {
      const { path } = splitTarget(request.target);
      const found = visits?.get(path);
      if (found === undefined) return null;
      const exchange = exchangeOf(request);
      return visit(exchange, path, () => found(exchange, origin));
    },
    refuse: (request) => fail(exchangeOf(request), new LiveplaneError("NotFound", "This path does not exist.")),
    turnAway(request, reason) {
      const exchange = exchangeOf(request);
      const { code, ...answer } = answers.problem(exchange, reason);
      // What an edge says by itself is no failure; what it fails with is.
      onAnswer(told(exchange, { status: answer.status, code, ...(answer.status === 500 && { cause: reason }) }));
      return answer;
    },
  };
}

function exchangeOf(request: IncomingRequest): Exchange {
  const requestId = requestIdOf(request.header("x-request-id"));
  const startedAt = performance.now();
  return { request, requestId, startedAt, headers: [], isCounted: false, verdict: null, tried: null };
}

/** Names a span as operations are named: `/auth/oidc/start` is `auth.oidc.start`. */
function spanOf(path: string): string {
  return path.slice(1).replaceAll("/", ".");
}

interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly cause?: unknown;
}

function told(exchange: Exchange, { status, code, cause }: Outcome): Answered {
  const { request, requestId, startedAt } = exchange;
  const call = exchange instanceof HttpCall ? exchange : null;
  return {
    operation: call?.operation ?? "unknown",
    method: request.method,
    status,
    code: code ?? null,
    caller: call?.actor == null ? null : actorName(call.actor),
    requestId,
    seconds: (performance.now() - startedAt) / 1000,
    ...(cause !== undefined && { cause }),
  };
}
