import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";

/** What came back for a request. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; `undefined` where it is no JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** A request that is sent as it is written: no client tidies its path, its headers or its body. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly token?: string;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
}

/** Sends one request over a connection of its own. */
export function send(
  url: string,
  { method = "GET", path, headers, token, body, json }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const sent = json === undefined ? body : JSON.stringify(json);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      agent: false,
      hostname,
      port,
      method,
      path,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(sent !== undefined &&
          headers?.["transfer-encoding"] === undefined && { "content-length": Buffer.byteLength(sent) }),
        ...headers,
      },
    });
    request.once("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(headers), text, json: parsed(text) });
      });
    });
    request.end(sent);
  });
}

/** A connection to write bytes to, and the text that has come back. */
export interface RawConnection {
  readonly socket: Socket;
  readonly received: () => string;
  /** Resolves with all that came when the server closes. */
  readonly closed: Promise<string>;
}

/** Opens a connection. One that stays half open goes on writing when the server has ended its side. */
export async function dial(url: string, options: { readonly allowHalfOpen?: boolean } = {}): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...options });
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString("latin1");
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<string>((resolve) => {
    socket.on("error", () => {});
    socket.once("close", () => resolve(received()));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => resolve());
    socket.once("error", reject);
  });
  return { socket, received, closed };
}

/** Writes bytes as they are, and resolves with all that comes until the server closes; after a while the sender does. */
export async function sendBytes(url: string, bytes: string | Uint8Array, patienceMs = 1_000): Promise<string> {
  const { socket, closed } = await dial(url);
  const patience = setTimeout(() => socket.destroy(), patienceMs);
  socket.write(bytes);
  const text = await closed;
  clearTimeout(patience);
  return text;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
