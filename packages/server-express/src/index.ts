export type { Answered, RateLimits } from "@liveplane/core/http";
export { createMetrics, type RunningBuild, type ServerMetrics } from "./observing/observability.ts";
export { type LiveplaneRouterOptions, liveplaneRouter } from "./router.ts";
export { createServer, type LiveplaneServer, type ServerOptions } from "./server.ts";
export type { Site, SiteAnswer, SiteRequest } from "./site.ts";
