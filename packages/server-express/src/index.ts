export type { Answered } from "./exchange.ts";
export { createMetrics, type ServerMetrics } from "./observability.ts";
export type { RateLimits } from "./rate-gate.ts";
export { type LiveplaneRouterOptions, liveplaneRouter } from "./router.ts";
export { createServer, type LiveplaneServer, type ServerOptions } from "./server.ts";
