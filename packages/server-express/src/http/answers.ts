import { type IncomingMessage, ServerResponse } from "node:http";
import { type HttpAnswer, type HttpStream, heartbeat, problemOf } from "@liveplane/core/http";
import { setHeaders } from "./headers.ts";
import { partIfUnread, takeIn } from "./lingering-close.ts";
import type { NodeRequest } from "./node-request.ts";

/** Writes an answer of the core, at once if the request is complete. For a stream it resolves when that has ended. */
export function writeAnswer(asked: NodeRequest, answer: HttpAnswer): Promise<void> | undefined {
  return asked.incoming.complete ? write(asked, answer) : takeIn().then(() => write(asked, answer));
}

function write({ incoming, response }: NodeRequest, { status, headers, body }: HttpAnswer): Promise<void> | undefined {
  if (typeof body === "string") writeText(incoming, response, { status, headers, body });
  else {
    writeHead(response, status, headers);
    if (body !== null) return pour(body, response);
    response.end();
  }
  return undefined;
}

/** Sends an error outside the contract as a problem document, and returns its code. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  requestId: string,
): string {
  const { code, ...answer } = problemOf(error, requestId);
  if (response.headersSent) response.destroy();
  else writeText(request, response, answer);
  return code;
}

interface TextAnswer extends HttpAnswer {
  readonly body: string;
}

function writeText(request: IncomingMessage, response: ServerResponse, { status, headers, body }: TextAnswer): void {
  const length = Buffer.byteLength(body);
  partIfUnread(request, response);
  const all = headers.slice();
  all.push("Content-Length", String(length));
  writeHead(response, status, all);
  if (request.method === "HEAD") response.end();
  // ASCII text has the same bytes in both encodings, and Node writes latin1 faster.
  else response.end(body, length === body.length ? "latin1" : "utf8");
}

/** Writes the head at once, which is fastest; header by header if middleware of the host's observes them. */
function writeHead(response: ServerResponse, status: number, headers: readonly string[]): void {
  if (response.writeHead === ServerResponse.prototype.writeHead) {
    response.writeHead(status, headers as string[]);
    return;
  }
  response.statusCode = status;
  setHeaders(response, headers);
}

const keepAliveMs = 15_000;

/** Sends the pieces of a stream as fast as they are read. */
async function pour(stream: HttpStream, response: ServerResponse): Promise<void> {
  response.socket?.setKeepAlive(true, keepAliveMs);
  response.once("close", stream.cancel);
  stream.abandoned.addEventListener("abort", () => response.destroy());
  if (response.destroyed) stream.cancel();
  try {
    for (let piece = await stream.next(); piece !== null; piece = await stream.next()) await send(piece, response);
    response.end();
  } catch {
    // A started answer can only be cut off; its failure was reported where it happened.
    response.destroy();
  }
}

/** Resolves when there is room for another piece, or the reader is gone; for a heartbeat, when it was sent. */
function send(piece: string, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    if (response.destroyed) return resolve();
    if (piece === heartbeat) response.on("close", done).write(piece, done);
    else if (response.write(piece)) resolve();
    else response.on("drain", done).on("close", done);
  });
}
