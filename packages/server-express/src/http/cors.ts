import type { IncomingMessage, ServerResponse } from "node:http";

const shown =
  "ETag, Location, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, Link, Api-Version";

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";

/**
 * Lets pages of these origins (`*`: of any) call and read what they need of the headers. No cookies are involved.
 * The function answers whether the request was a page's question beforehand, and is answered.
 */
export function allowOrigins(
  origins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const known = new Set(origins);
  if (known.size === 0) return () => false;
  return ({ method, headers }, response) => {
    const { origin } = headers;
    response.setHeader("Vary", "Origin");
    if (origin === undefined || !(known.has("*") || known.has(origin))) return false;
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Expose-Headers", shown);
    if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return false;
    response.setHeader("Access-Control-Allow-Methods", methods);
    response.setHeader("Access-Control-Allow-Headers", headers["access-control-request-headers"] ?? "");
    response.setHeader("Access-Control-Max-Age", "600");
    response.statusCode = 204;
    response.end();
    return true;
  };
}
