import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation, RateVerdict, Reply } from "@liveplane/core";
import { isRequestId, parseRoute } from "@liveplane/core/routes";

/** Sets what stands on every answer, and gives the request's id: the caller's own where it has the right form. */
export function setCommonHeaders({ headers }: IncomingMessage, response: ServerResponse): string {
  const sent = headers["x-request-id"];
  const requestId = typeof sent === "string" && isRequestId(sent) ? sent : randomUUID();
  response.setHeader("X-Request-Id", requestId);
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Api-Version", "1");
  return requestId;
}

/** What a rate limit says, in the syntax of the IETF's draft. */
export function setRateHeaders(
  response: ServerResponse,
  { bucket, policy, remaining, resetSeconds }: RateVerdict,
): void {
  response.setHeader("RateLimit-Policy", `"${bucket}";q=${policy.quota};w=${policy.windowSeconds}`);
  response.setHeader("RateLimit", `"${bucket}";r=${remaining};t=${resetSeconds}`);
}

/** Deprecation (RFC 9745), Sunset (RFC 8594) and the successor's link. */
export function setDeprecationHeaders(
  response: ServerResponse,
  { deprecated }: Operation,
  base: string,
  params: Readonly<Record<string, string>>,
): void {
  if (deprecated === undefined) return;
  const path = parseRoute(deprecated.successor).path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  response.setHeader("Deprecation", `@${Math.floor(Date.parse(deprecated.since) / 1000)}`);
  response.setHeader("Sunset", new Date(deprecated.sunset).toUTCString());
  response.setHeader("Link", `<${base}${path}>; rel="successor-version"`);
}

/** The version and the place of what was answered. */
export function setRecordHeaders(response: ServerResponse, { row, value, location }: Reply, base: string): void {
  const version = row.versioned === true ? Reflect.get(Object(value), "version") : undefined;
  if (typeof version === "string") response.setHeader("ETag", `"${version}"`);
  if (location !== undefined) response.setHeader("Location", base + location);
}
