import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { toAsyncApi, toOpenApi } from "@liveplane/core/contract";
import { type Request, type RequestHandler, Router } from "express";
import { setCommonHeaders } from "./http/headers.ts";
import { serveReadOnly } from "./http/read-only.ts";
import { pageElsewhere } from "./page-elsewhere.ts";

const mostMounts = 8;

export interface DocumentsOptions {
  readonly hasConsole: boolean;
  /** Where to report a vulnerability of this installation. @default no security.txt */
  readonly securityContact?: string;
}

/** Serves the OpenAPI and AsyncAPI documents and security.txt, and redirects from `/docs` to the reference for people. */
export function documents({ hasConsole, securityContact }: DocumentsOptions): Router {
  const router = Router();
  const documentAt = byMount((serverUrl) => sendable(JSON.stringify(toOpenApi({ serverUrl }))));
  let events: Sendable | undefined;
  serveReadOnly(
    router,
    "/openapi.json",
    sent(({ baseUrl }) => documentAt(baseUrl || "/")),
  );
  serveReadOnly(
    router,
    "/asyncapi.json",
    sent(() => (events ??= sendable(JSON.stringify(toAsyncApi())))),
  );
  serveReadOnly(
    router,
    "/docs",
    pageElsewhere({
      page: hasConsole ? "api" : null,
      instead: "openapi.json in the same path describes the API. With @liveplane/console it has a page.",
    }),
  );
  if (securityContact !== undefined) serveReadOnly(router, "/.well-known/security.txt", securityTxt(securityContact));
  return router;
}

function sent(documentFor: (request: Request) => Sendable): RequestHandler {
  return (request, response) => {
    const { text, zipped, etag } = documentFor(request);
    setCommonHeaders(request, response);
    response.type("json").set({ "Cache-Control": "public, max-age=300", ETag: etag }).vary("Accept-Encoding");
    if (request.acceptsEncodings("gzip") !== "gzip") response.send(text);
    else response.set("Content-Encoding", "gzip").send(zipped);
  };
}

/** RFC 9116 requires an expiry of less than a year. */
function securityTxt(contact: string): RequestHandler {
  return (request, response) => {
    const expires = new Date(Date.now() + 180 * 86_400_000).toISOString();
    setCommonHeaders(request, response);
    response.type("text/plain").send(`Contact: ${contact}\r\nExpires: ${expires}\r\nPreferred-Languages: en\r\n`);
  };
}

/** A text to send, plain and compressed, with its etag. */
interface Sendable {
  readonly text: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

function sendable(text: string): Sendable {
  const bytes = Buffer.from(text);
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
  return { text: bytes, zipped: gzipSync(bytes), etag: `W/"${digest}"` };
}

/** Caches the documents of the latest mounts: a mount with a path parameter can have any number. */
function byMount<T>(make: (mount: string) => T): (mount: string) => T {
  const made = new Map<string, T>();
  return (mount) => {
    const known = made.get(mount) ?? make(mount);
    made.delete(mount);
    made.set(mount, known);
    const [oldest] = made.keys();
    if (made.size > mostMounts && oldest !== undefined) made.delete(oldest);
    return known;
  };
}
