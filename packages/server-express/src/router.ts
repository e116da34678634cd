import type { Liveplane } from "@liveplane/core";
import { toOpenApi } from "@liveplane/core/contract";
import { Router } from "express";
import { docsPage } from "./docs-page.ts";
import { type Answered, createExchanges } from "./exchange.ts";
import { createRateGate, type RateLimits } from "./rate-gate.ts";

/** Options of the router. */
export interface LiveplaneRouterOptions {
  /** Quotas by bucket, or `off`. @default the documented quotas */
  readonly rateLimits?: RateLimits;
  /** How many proxies in front are trusted to name the caller's address. @default 0 */
  readonly trustedProxies?: number;
  /** Told of every answer, for logs and metrics. */
  readonly onAnswer?: (answered: Answered) => void;
}

/** Mounts the whole contract into an Express 5 app: `app.use("/control-plane", liveplaneRouter(liveplane))`. */
export function liveplaneRouter(liveplane: Liveplane, options: LiveplaneRouterOptions = {}): Router {
  const { rateLimits = {}, trustedProxies = 0, onAnswer = () => {} } = options;
  const gate = createRateGate({ limits: rateLimits, trustedProxies });
  const exchange = createExchanges({ liveplane, gate, onAnswer });
  const router = Router();
  let document: string | undefined;
  router.get("/openapi.json", ({ baseUrl }, response) => {
    document ??= JSON.stringify(toOpenApi({ serverUrl: baseUrl === "" ? "/" : baseUrl }));
    response.type("json").set("Cache-Control", "public, max-age=300").send(document);
  });
  router.get("/docs", (_request, response) => {
    response.type("html").set("Cache-Control", "public, max-age=300").send(docsPage());
  });
  router.use((request, response) => exchange({ request, response, url: request.url, base: request.baseUrl }));
  return router;
}
