import { isRequestId } from "../../contract/call-arguments.ts";
import { parseRoute } from "../../contract/routes.ts";
import type { Operation } from "../../contract/row.ts";
import type { Reply } from "../dispatch.ts";
import type { RateVerdict } from "../rate-limits.ts";

/** The ID of a request: the caller's own if it is well formed. */
export function requestIdOf(sent: string | undefined): string {
  return sent !== undefined && isRequestId(sent) ? sent : globalThis.crypto.randomUUID();
}

/** Adds the rate-limit headers, in the syntax of the IETF draft. */
export function addRateHeaders(headers: string[], { bucket, policy, remaining, resetSeconds }: RateVerdict): void {
  headers.push("RateLimit-Policy", `"${bucket}";q=${policy.quota};w=${policy.windowSeconds}`);
  headers.push("RateLimit", `"${bucket}";r=${remaining};t=${resetSeconds}`);
}

/** Adds Deprecation (RFC 9745), Sunset (RFC 8594) and the successor's link. */
export function addDeprecationHeaders(
  headers: string[],
  { deprecated }: Operation,
  base: string,
  params: Readonly<Record<string, string>>,
): void {
  if (deprecated === undefined) return;
  const path = parseRoute(deprecated.successor).path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  headers.push("Deprecation", `@${Math.floor(Date.parse(deprecated.since) / 1000)}`);
  headers.push("Sunset", new Date(deprecated.sunset).toUTCString());
  headers.push("Link", `<${base}${path}>; rel="successor-version"`);
}

/** Adds the version and the location of the answer. */
export function addRecordHeaders(headers: string[], { row, value, location }: Reply, base: string): void {
  const version = row.versioned === true ? Reflect.get(Object(value), "version") : undefined;
  if (typeof version === "string") headers.push("ETag", `"${version}"`);
  if (location !== undefined) headers.push("Location", base + location);
}
