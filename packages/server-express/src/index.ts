export type { Answered } from "./http/exchange.ts";
export type { RateLimits } from "./http/rate-gate.ts";
export { createMetrics, type ServerMetrics } from "./observability.ts";
export { type LiveplaneRouterOptions, liveplaneRouter } from "./router.ts";
export { createServer, type LiveplaneServer, type ServerOptions } from "./server.ts";
