import type { RequestHandler } from "express";

const shown =
  "ETag, Location, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, Link, Api-Version";

/** Lets pages of these origins (`*`: of any) call and read what they need of the headers. No cookies are involved. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const known = new Set(origins);
  return (request, response, next) => {
    const { origin } = request.headers;
    response.vary("Origin");
    if (origin !== undefined && (known.has("*") || known.has(origin))) {
      response.set({ "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": shown });
      if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
        response.set({
          "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
          "Access-Control-Allow-Headers": request.headers["access-control-request-headers"] ?? "",
          "Access-Control-Max-Age": "600",
        });
        response.status(204).end();
        return;
      }
    }
    next();
  };
}
