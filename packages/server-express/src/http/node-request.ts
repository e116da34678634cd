import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import type { IncomingRequest } from "@liveplane/core/http";

/** A request's place in a server. */
interface NodeRequestParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path and the query below the mount. */
  readonly target: string;
  /** The path of the mount. */
  readonly base: string;
  /** How many proxies in front set `X-Forwarded-For` truthfully. */
  readonly trustedProxies: number;
}

/** Node's request in the form that the core reads. Rarely used parts are computed on demand. */
export class NodeRequest implements IncomingRequest {
  readonly method: string;
  readonly target: string;
  readonly base: string;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly #trustedProxies: number;
  /** Whether a body parser mounted before has read the body. */
  readonly #isRead: boolean;
  #signal: AbortSignal | null = null;

  constructor({ request, response, target, base, trustedProxies }: NodeRequestParts) {
    this.method = request.method ?? "";
    this.target = target;
    this.base = base;
    this.incoming = request;
    this.response = response;
    this.#trustedProxies = trustedProxies;
    this.#isRead = request.readableEnded;
  }

  get address(): string {
    return addressOf(this.incoming, this.#trustedProxies);
  }

  /** The server's origin as its pages see it: https if a trusted proxy says so. */
  get origin(): string {
    const { headers } = this.incoming;
    const schemes = String(headers["x-forwarded-proto"] ?? "").split(",");
    const scheme = this.#trustedProxies === 0 ? "" : (schemes.at(-this.#trustedProxies) ?? schemes[0] ?? "");
    return `${scheme.trim() === "https" ? "https" : "http"}://${headers.host ?? ""}`;
  }

  get signal(): AbortSignal {
    this.#signal ??= hangUpOf(this.response);
    return this.#signal;
  }

  get bodyLength(): number | null {
    const { headers } = this.incoming;
    if (headers["transfer-encoding"] !== undefined) return null;
    const length = headers["content-length"];
    return length === undefined ? 0 : Number(length);
  }

  get isBodyParsed(): boolean {
    return this.#isRead && !(Reflect.get(this.incoming, "body") instanceof Uint8Array);
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return typeof value === "string" ? value : undefined;
  }

  isRepeated(name: string): boolean {
    const { rawHeaders } = this.incoming;
    return rawHeaders.filter((sent, at) => at % 2 === 0 && sent.toLowerCase() === name).length > 1;
  }

  readBody(mostBytes: number): Promise<Uint8Array | null> {
    return this.#isRead ? Promise.resolve(leftByHost(this.incoming)) : read(this.incoming, mostBytes);
  }
}

/** Aborts when the caller disconnects before the answer, so that costly work stops. */
function hangUpOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on("close", () => response.writableFinished || gone.abort());
  return gone.signal;
}

/** What an earlier body parser left of the body, as JSON if it parsed it. */
function leftByHost(request: IncomingMessage): Uint8Array {
  const body: unknown = Reflect.get(request, "body");
  return body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body) ?? "");
}

/** Reads a body up to its limit. The rest is dropped, and the connection ends with the answer. */
function read(request: IncomingMessage, mostBytes: number): Promise<Uint8Array | null> {
  if (request.destroyed) return Promise.reject(new LiveplaneError("Aborted"));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= mostBytes) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(null);
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on("error", (cause) => reject(new LiveplaneError("Aborted", undefined, { cause })));
    request.on("close", () => {
      if (!request.complete) reject(new LiveplaneError("Aborted"));
    });
  });
}

/** The peer's address; behind trusted proxies, the address that the outermost one saw, if it is one. */
function addressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const peer = socket.remoteAddress ?? "unknown";
  if (trustedProxies === 0) return peer;
  const forwarded = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const seen = forwarded.at(-trustedProxies) ?? forwarded[0];
  return seen !== undefined && networkOf(seen) !== null ? seen : peer;
}
