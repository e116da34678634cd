import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { toOpenApi } from "@liveplane/core/contract";
import { pagePolicy } from "@liveplane/core/http";
import { type Request, type Response, Router } from "express";
import { setCommonHeaders } from "../http/headers.ts";
import { serveReadOnly } from "../http/read-only.ts";
import { apiPage } from "./api-page.ts";

/** What the browser loads for the page. A build copies the folder beside the code that reads it. */
const assetTypes = {
  "icon.svg": "svg",
  "page.css": "css",
  "page.js": "js",
  "request.js": "js",
  "search.js": "js",
  "session.js": "js",
  "try-out.js": "js",
} as const;

const mostMounts = 8;

/** A text to send, as it is and compressed, with the name of its content. */
interface Sendable {
  readonly type: string;
  readonly text: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

/** Serves the OpenAPI document, and a page to read it and try it out. */
export function documents(): Router {
  const router = Router();
  const assets = once(readAssets);
  const page = once(() => sendable("html", apiPage(toOpenApi(), `docs/${assets().version}`)));
  const documentAt = byMount((serverUrl) => sendable("json", JSON.stringify(toOpenApi({ serverUrl }))));
  serveReadOnly(router, "/openapi.json", (request, response) => {
    send(request, response, documentAt(request.baseUrl || "/"), "public, max-age=300");
  });
  serveReadOnly(router, "/docs", (request, response) => {
    // The page's links are relative to the folder that it lies in.
    if (request.path.endsWith("/")) return response.redirect(308, `${request.baseUrl}/docs`);
    send(request, response, page(), "no-cache");
  });
  serveReadOnly(router, "/docs/:version/:asset", (request, response, next) => {
    const { version, files } = assets();
    const asset = request.params.version === version ? files.get(String(request.params.asset)) : undefined;
    if (asset === undefined) return next("route");
    send(request, response, asset, "public, max-age=31536000, immutable");
  });
  return router;
}

function send(request: Request, response: Response, { type, text, zipped, etag }: Sendable, caching: string): void {
  setCommonHeaders(request, response);
  // In a host's own app there may be no policy yet: what takes a password isn't served without one.
  if (!response.hasHeader("Content-Security-Policy")) response.set("Content-Security-Policy", pagePolicy);
  response.type(type).set({ "Cache-Control": caching, ETag: etag }).vary("Accept-Encoding");
  if (request.acceptsEncodings("gzip") !== "gzip") response.send(text);
  else response.set("Content-Encoding", "gzip").send(zipped);
}

/** The assets by name; `version` is that of them all, so that an address stands for one content for ever. */
function readAssets(): { readonly version: string; readonly files: ReadonlyMap<string, Sendable> } {
  const read = ([name, type]: readonly [string, string]) =>
    [name, sendable(type, readFileSync(new URL(`./browser/${name}`, import.meta.url), "utf8"))] as const;
  const files = new Map(Object.entries(assetTypes).map(read));
  return { version: digestOf([...files.values()].map(({ etag }) => etag).join("")), files };
}

function sendable(type: string, text: string): Sendable {
  const bytes = Buffer.from(text);
  return { type, text: bytes, zipped: gzipSync(bytes), etag: `W/"${digestOf(text)}"` };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** Keeps what is made for the mounts asked for last: one with a parameter in it is as many as somebody asks for. */
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

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
