import type { Liveplane } from "@liveplane/core";
import { type Answered, createExchanges, type Exchanges, type RateLimits } from "@liveplane/core/http";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { documents } from "./documents.ts";
import { writeAnswer } from "./http/answers.ts";
import { NodeRequest } from "./http/node-request.ts";
import { judgeRouter } from "./option-judges.ts";

/** Options of the router. */
export interface LiveplaneRouterOptions {
  /** Quotas by bucket, or `off`. @default the documented quotas */
  readonly rateLimits?: RateLimits;
  /** How many proxies in front are trusted for the caller's address. @default 0 */
  readonly trustedProxies?: number;
  /** Called with every answer, for logs and metrics. */
  readonly onAnswer?: (answered: Answered) => void;
  /** Ends the event streams when it aborts. @default they end when the control plane stops */
  readonly stopping?: AbortSignal;
}

/**
 * Mounts the whole contract into an Express 5 app: `app.use("/control-plane", liveplaneRouter(liveplane))`.
 *
 * @throws {ConfigurationInvalid} naming each unknown or invalid option, with an example.
 */
export function liveplaneRouter(liveplane: Liveplane, options: LiveplaneRouterOptions = {}): Router {
  judgeRouter(liveplane, options);
  const { trustedProxies = 0 } = options;
  const exchanges = createExchanges({ liveplane, ...options });
  const operations: RequestHandler = (request, response, next) =>
    answerContract(exchanges, requestOf(request, response, trustedProxies)) ?? next();
  return Router().use(operations, documents({ hasConsole: false }), nobody(exchanges, trustedProxies));
}

/** Answers the contract's paths; `null` for other paths. */
export function answerContract(exchanges: Exchanges, asked: NodeRequest): Promise<void> | null {
  const answered = exchanges.answer(asked) ?? exchanges.visit(asked, asked.origin);
  return answered?.then((answer) => writeAnswer(asked, answer)) ?? null;
}

/** Answers an unknown path. */
export function nobody(exchanges: Exchanges, trustedProxies: number): RequestHandler {
  return (request, response) => {
    const asked = requestOf(request, response, trustedProxies);
    return writeAnswer(asked, exchanges.refuse(asked));
  };
}

function requestOf(request: Request, response: Response, trustedProxies: number): NodeRequest {
  return new NodeRequest({ request, response, target: request.url, base: request.baseUrl, trustedProxies });
}
