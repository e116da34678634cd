import { type IncomingMessage, ServerResponse } from "node:http";
import { type HttpAnswer, type HttpStream, heartbeat, problemOf } from "@liveplane/core/http";
import { setHeaders } from "./headers.ts";
import { partIfUnread, takeIn } from "./lingering-close.ts";
import type { NodeRequest } from "./node-request.ts";

/** Writes an answer of the core: at once where the request has come whole. Of a stream it resolves when that has ended. */
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

/** Answers a failure next to the contract as a problem document, and gives back its code. */
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
  // Text that is all ASCII is the same bytes in both, and Node writes the latter faster.
  else response.end(body, length === body.length ? "latin1" : "utf8");
}

/** Writes the head at once, which is fastest; one by one where something of the host's stands between and looks at each. */
function writeHead(response: ServerResponse, status: number, headers: readonly string[]): void {
  if (response.writeHead === ServerResponse.prototype.writeHead) {
    response.writeHead(status, headers as string[]);
    return;
  }
  response.statusCode = status;
  setHeaders(response, headers);
}

const keepAliveMs = 15_000;

/** Sends the pieces of a stream as fast as they are taken. */
async function pour(stream: HttpStream, response: ServerResponse): Promise<void> {
  response.socket?.setKeepAlive(true, keepAliveMs);
  response.once("close", stream.cancel);
  stream.abandoned.addEventListener("abort", () => response.destroy());
  if (response.destroyed) stream.cancel();
  try {
    for (let piece = await stream.next(); piece !== null; piece = await stream.next()) await send(piece, response);
    response.end();
  } catch {
    // An answer that has begun can only be broken off; what failed was told where it did.
    response.destroy();
  }
}

/** Resolves when there is room for another piece, or the reader is gone; after a heartbeat, when that is out. */
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
