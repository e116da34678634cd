import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Fastify's request as a web Request: its body unread, and a signal that aborts when the caller disconnects. */
export function toRequest({ raw, method, url, host, protocol }: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const headers = new Headers();
  for (const [name, values] of Object.entries(raw.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const mayHaveBody = method !== "GET" && method !== "HEAD";
  const hasBody = mayHaveBody && (headers.has("content-length") || headers.has("transfer-encoding"));
  const body = hasBody ? { body: Readable.toWeb(raw) as ReadableStream<Uint8Array>, duplex: "half" as const } : {};
  return new Request(`${protocol}://${host}${url}`, { method, headers, signal: gone.signal, ...body });
}
