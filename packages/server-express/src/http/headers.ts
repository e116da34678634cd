import type { IncomingMessage, ServerResponse } from "node:http";
import { requestIdOf } from "@liveplane/core/http";

/** Sets headers given as names and values in turn. */
export function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
}

/** Sets the common headers, and returns the request's ID: the caller's own if it is well formed. */
export function setCommonHeaders({ headers }: IncomingMessage, response: ServerResponse): string {
  const sent = headers["x-request-id"];
  const requestId = requestIdOf(typeof sent === "string" ? sent : undefined);
  response.setHeader("X-Request-Id", requestId);
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Api-Version", "1");
  return requestId;
}
