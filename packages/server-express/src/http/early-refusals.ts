import { randomUUID } from "node:crypto";
import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { LiveplaneError, toProblem } from "@liveplane/core/errors";
import { sendProblem } from "./answers.ts";
import { setCommonHeaders } from "./headers.ts";

/** The most headers of a request; browsers and proxies send about forty. */
const mostHeaders = 100;

/** Why a request is refused, whoever sent it and whatever it asks for; `null` if it isn't. */
export function refusalOf(
  { headers, rawHeaders, httpVersion }: IncomingMessage,
  { isStopping, isSurplus }: { readonly isStopping: boolean; readonly isSurplus: boolean },
): LiveplaneError | null {
  if (isStopping) return unavailable("This server is stopping. Try again, over another connection.");
  if (isSurplus) return unavailable("The server has too many open connections. Try again later.");
  if (rawHeaders.length > 2 * mostHeaders)
    return new LiveplaneError("ValidationFailed", `There are more than ${mostHeaders} headers.`, { status: 431 });
  if (headers.host !== undefined || httpVersion === "1.0") return null;
  const detail = "The request has no Host header.";
  return new LiveplaneError("ValidationFailed", detail, {
    details: { errors: [{ header: "Host", code: "Required", detail }] },
  });
}

function unavailable(detail: string): LiveplaneError {
  return new LiveplaneError("Unavailable", detail, { details: { retryAfterSeconds: 1 } });
}

const refusals: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: "The headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: "The request took too long." },
};

/** Node's error for an unreadable request, with the bytes where parsing stopped, if any. */
interface BrokenRequest extends NodeJS.ErrnoException {
  readonly rawPacket?: Uint8Array;
}

/** Answers what Node refuses before any handler runs, in the form of every other refusal. */
export function answerBroken(error: BrokenRequest, socket: Socket): void {
  const { status, detail } = refusals[error.code ?? ""] ?? { status: 400, detail: "The request is not valid HTTP." };
  const refusal = new LiveplaneError("ValidationFailed", detail, { status });
  const owed: unknown = Reflect.get(socket, "_httpMessage");
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  // A late body: whoever waits for it finds the connection closed.
  if (isLate && owed instanceof ServerResponse && !owed.headersSent && !owed.req.complete)
    return void sendProblem(owed.req, owed, refusal, setCommonHeaders(owed.req, owed));
  // A started answer can't be undone, and a second one would count as the answer to another request.
  const answered = owed != null || (isLate && socket.bytesWritten > 0);
  if (error.code === "ECONNRESET" || !socket.writable || answered) return void socket.destroy();
  const requestId = randomUUID();
  const title = STATUS_CODES[status];
  const problem = toProblem(refusal, requestId);
  const body = JSON.stringify(problem);
  const headers = [
    `HTTP/1.1 ${status} ${title}`,
    "Content-Type: application/problem+json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Cache-Control: no-store",
    "Api-Version: 1",
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ];
  // The method is unknown: a HEAD answer has no body, which would be read as another answer.
  const isHead =
    Buffer.from(error.rawPacket ?? [])
      .subarray(0, 5)
      .toString("latin1") === "HEAD ";
  socket.end(`${headers.join("\r\n")}\r\n\r\n${isHead ? "" : body}`);
}
