import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readFiles } from "#files";

export interface ConsoleRequest {
  readonly method: string;
  /** The path below the mount. */
  readonly path: string;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
}

/** An answer as plain data, which every host writes in its own way. */
export interface ConsoleAnswer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | null;
}

/** The console's page and its files. */
export interface ConsoleSite {
  /** Answers with one of its files; `null` if there is none at that path. */
  answer(request: ConsoleRequest): Promise<ConsoleAnswer | null>;
}

/** The site's own security headers: a page that takes a password is never served without them. */
const security = [
  "Content-Security-Policy",
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  ...["Cross-Origin-Opener-Policy", "same-origin"],
  ...["Cross-Origin-Resource-Policy", "same-origin"],
  ...["Referrer-Policy", "no-referrer"],
  ...["X-Content-Type-Options", "nosniff"],
  ...["Permissions-Policy", "camera=(), geolocation=(), microphone=()"],
];

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

interface Sendable {
  readonly headers: readonly string[];
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly zipped: Uint8Array;
}

/**
 * The console, for a server to mount at `/` or below. It calls `console/session` beside it, which `createServer` of
 * `@liveplane/server-express` and `fetchHandler` of `@liveplane/core` answer.
 */
export function consoleSite(): ConsoleSite {
  let read: Promise<ReadonlyMap<string, Sendable>> | undefined;
  return {
    async answer({ method, path, header }) {
      const isRead = method === "GET" || method === "HEAD";
      if (!isRead || (path !== "/" && !path.startsWith("/console/"))) return null;
      read ??= readSendables();
      const file = (await read).get(path === "/" ? "index.html" : path.slice(1));
      return file === undefined ? null : answerWith(file, { isHead: method === "HEAD", header });
    },
  };
}

function answerWith(
  file: Sendable,
  { isHead, header }: { isHead: boolean; header: ConsoleRequest["header"] },
): ConsoleAnswer {
  const headers = [...security, ...file.headers, "ETag", file.etag];
  if (header("if-none-match")?.includes(file.etag)) return { status: 304, headers, body: null };
  const isZipped = /\bgzip\b/.test(header("accept-encoding") ?? "");
  if (isZipped) headers.push("Content-Encoding", "gzip");
  const body = isZipped ? file.zipped : file.plain;
  return { status: 200, headers: [...headers, "Content-Length", String(body.length)], body: isHead ? null : body };
}

async function readSendables(): Promise<ReadonlyMap<string, Sendable>> {
  const files = await readFiles();
  return new Map(
    files.map(({ path, bytes }) => {
      const type = types[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      const caching = path === "index.html" ? "no-cache" : "public, max-age=31536000, immutable";
      const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
      const headers = ["Content-Type", type, "Cache-Control", caching, "Vary", "Accept-Encoding"];
      return [path, { headers, etag: `W/"${digest}"`, plain: bytes, zipped: gzipSync(bytes) }] as const;
    }),
  );
}
