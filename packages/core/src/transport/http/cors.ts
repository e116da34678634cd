import type { HttpAnswer, IncomingRequest } from "./incoming-request.ts";

const exposed = [
  "Access-Control-Expose-Headers",
  "ETag, Location, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, Link, Api-Version",
];
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
const none: readonly string[] = [];

/** Lets pages of some origins call. */
export interface OriginGate {
  /** The answer's headers for the caller. */
  headers(request: IncomingRequest): readonly string[];
  /** The answer to a preflight request, without the common headers; `null` if it isn't one. */
  preflight(request: IncomingRequest): HttpAnswer | null;
}

/** Lets pages of these origins (`*`: any) call and read the headers they need. No cookies are involved. */
export function allowOrigins(origins: readonly string[]): OriginGate {
  const known = new Set(origins);
  const allowed = (request: IncomingRequest) => {
    const origin = request.header("origin");
    return origin !== undefined && (known.has("*") || known.has(origin)) ? origin : null;
  };

  function headers(request: IncomingRequest): readonly string[] {
    if (known.size === 0) return none;
    const origin = allowed(request);
    return origin === null ? ["Vary", "Origin"] : ["Vary", "Origin", "Access-Control-Allow-Origin", origin, ...exposed];
  }

  return {
    headers,
    preflight(request) {
      const isAsked = request.method === "OPTIONS" && request.header("access-control-request-method") !== undefined;
      if (known.size === 0 || !isAsked || allowed(request) === null) return null;
      const wanted = request.header("access-control-request-headers") ?? "";
      const answer = [
        ...["Access-Control-Allow-Methods", methods],
        ...["Access-Control-Allow-Headers", wanted],
        ...["Access-Control-Max-Age", "600"],
      ];
      return { status: 204, headers: [...headers(request), ...answer], body: null };
    },
  };
}
