import type { IncomingMessage, ServerResponse } from "node:http";
import type { Reply } from "@liveplane/core";
import { isLiveplaneError, toProblem } from "@liveplane/core/errors";
import { partIfUnread } from "./lingering-close.ts";

/** Answers a success. */
export function sendReply(request: IncomingMessage, response: ServerResponse, { status, value, row }: Reply): void {
  if (row.id === "tokens.keys") response.setHeader("Cache-Control", "public, max-age=300");
  send(request, response, { status, type: "application/json; charset=utf-8", body: JSON.stringify(value) });
}

/** Answers a failure as a problem document, and gives back its code. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  requestId: string,
): string {
  const problem = toProblem(error, requestId);
  if (response.headersSent) {
    response.destroy();
    return problem.code;
  }
  const retryAfter = isLiveplaneError(error) ? error.details.retryAfterSeconds : undefined;
  if (problem.status === 401) response.setHeader("WWW-Authenticate", "Bearer");
  if (retryAfter !== undefined) response.setHeader("Retry-After", String(retryAfter));
  const type = "application/problem+json; charset=utf-8";
  send(request, response, { status: problem.status, type, body: JSON.stringify(problem) });
  return problem.code;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body }: { readonly status: number; readonly type: string; readonly body: string },
): void {
  const length = Buffer.byteLength(body);
  partIfUnread(request, response);
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", length);
  if (request.method === "HEAD") response.end();
  // Text that is all ASCII is the same bytes in both, and Node writes the latter faster.
  else response.end(body, length === body.length ? "latin1" : "utf8");
}
