import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import type { FetchHandler } from "@liveplane/core/fetch";
import type { RawAnswer } from "../raw-http.ts";
import type { HostileRequest } from "./hostile-cases.ts";

/** A stream of events is left after so long, and half a request is. */
const glanceMs = 15;

/** Sends a request in its manner. `null`: nobody waited for an answer. */
export function sendHostile(
  url: string,
  request: HostileRequest,
  token: string | undefined,
): Promise<RawAnswer | null> {
  const headers = token === undefined ? request.headers : { authorization: `Bearer ${token}`, ...request.headers };
  return request.manner === "whole" ? whole(url, { ...request, headers }) : brokenOff(url, { ...request, headers });
}

/**
 * Hands a request to a fetch handler in its manner, with the address that it had by then. `undefined`: no `Request` of the web can be such
 * a one.
 */
export async function handHostile(
  handle: FetchHandler,
  url: string,
  request: HostileRequest,
  token: string | undefined,
): Promise<{ readonly path: string; readonly answer: RawAnswer | null } | undefined> {
  const leaving = new AbortController();
  const asked = requestOf(url, request, { token, signal: leaving.signal });
  if (asked === undefined) return undefined;
  const { pathname: path } = new URL(asked.url);
  const answering = handle(asked);
  if (request.manner !== "whole") {
    setTimeout(() => leaving.abort(), request.manner === "half" ? glanceMs : 0);
    await (await answering).body?.cancel();
    return { path, answer: null };
  }
  const response = await answering;
  const headers = Object.fromEntries(response.headers);
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  return { path, answer: { status: response.status, headers, text, json: jsonOf(text) } };
}

function requestOf(
  url: string,
  { method, path, headers: own, body, manner }: HostileRequest,
  { token, signal }: { readonly token: string | undefined; readonly signal: AbortSignal },
): Request | undefined {
  try {
    const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
    for (const [name, values] of Object.entries(own)) {
      headers.delete(name);
      for (const value of [values].flat()) headers.append(name, value);
    }
    const sent = manner === "half" && body !== undefined ? brokenBody(body) : body;
    const streamed = sent instanceof ReadableStream ? { duplex: "half" } : {};
    return new Request(`${url}${path}`, { method, headers, signal, ...(sent && { body: sent }), ...streamed });
  } catch {
    return undefined;
  }
}

/** Half of a body, after which the line breaks. */
function brokenBody(body: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes.subarray(0, bytes.length / 2)),
    pull: (controller) => controller.error(new TypeError("The line broke.")),
  });
}

function whole(url: string, { method, path, headers, body }: HostileRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent: false, hostname, port, method, path, headers: { ...length, ...headers } });
    request.once("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      const done = () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const sent = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(sent), text, json: jsonOf(text) });
        request.off("error", reject).on("error", () => {});
        request.destroy();
      };
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", done);
      if (response.headers["content-type"]?.startsWith("text/event-stream")) setTimeout(done, glanceMs);
    });
    request.end(body);
  });
}

/** Writes a request, or half of it, and is gone. */
function brokenOff(url: string, { method, path, headers, body = "", manner }: HostileRequest): Promise<null> {
  const { hostname, port } = new URL(url);
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  const head = [`${method} ${path} HTTP/1.1`, "Host: x", `Content-Length: ${Buffer.byteLength(body)}`, ...lines];
  const text = `${head.join("\r\n")}\r\n\r\n${body}`;
  const sent = manner === "half" ? text.slice(0, text.length / 2) : text;
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => {});
    socket.once("close", () => resolve(null));
    socket.once("connect", () => {
      socket.write(sent, () => setTimeout(() => socket.destroy(), manner === "half" ? glanceMs : 0));
    });
  });
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
