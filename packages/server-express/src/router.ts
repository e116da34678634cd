import type { IncomingMessage, ServerResponse } from "node:http";
import type { Liveplane } from "@liveplane/core";
import { type RequestHandler, Router } from "express";
import { documents } from "./api-page/documents.ts";
import { type Answered, createExchanges } from "./http/exchange.ts";
import { createRateGate, type RateLimits } from "./http/rate-gate.ts";

/** Options of the router. */
export interface LiveplaneRouterOptions {
  /** Quotas by bucket, or `off`. @default the documented quotas */
  readonly rateLimits?: RateLimits;
  /** How many proxies in front are trusted to name the caller's address. @default 0 */
  readonly trustedProxies?: number;
  /** Told of every answer, for logs and metrics. */
  readonly onAnswer?: (answered: Answered) => void;
  /** Ends the streams of events when it fires. @default they end when the control plane stops */
  readonly stopping?: AbortSignal;
}

/** Mounts the whole contract into an Express 5 app: `app.use("/control-plane", liveplaneRouter(liveplane))`. */
export function liveplaneRouter(liveplane: Liveplane, options: LiveplaneRouterOptions = {}): Router {
  const { operations, documents, nobody } = contractHandlers(liveplane, options);
  const mounted: RequestHandler = (request, response, next) =>
    operations(request, response, request.url, request.baseUrl) ?? next();
  return Router().use(mounted, documents, nobody);
}

/** The contract in parts, for an app that has paths of its own beside it. */
export interface ContractHandlers {
  /** Answers the contract's paths; `null`: the path is none of them. The URL is the one below the base. */
  readonly operations: (
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    base: string,
  ) => Promise<void> | null;
  /** The OpenAPI document, and a page to read. */
  readonly documents: Router;
  /** Refuses a path that nobody has. */
  readonly nobody: RequestHandler;
}

/** Builds the handlers of the contract. */
export function contractHandlers(liveplane: Liveplane, options: LiveplaneRouterOptions): ContractHandlers {
  const { rateLimits = {}, trustedProxies = 0, onAnswer = () => {}, stopping = liveplane.stopping } = options;
  const gate = createRateGate({ limits: rateLimits, trustedProxies });
  const exchanges = createExchanges({ liveplane, gate, onAnswer, stopping });
  return {
    operations: (request, response, url, base) => exchanges.answer({ request, response, url, base, isCounted: false }),
    documents: documents(),
    nobody: (request, response) =>
      exchanges.refuse({ request, response, url: request.url, base: request.baseUrl, isCounted: false }),
  };
}
