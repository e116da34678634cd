import type { IncomingMessage } from "node:http";
import type { Operation } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";

/** A body that is read once, when it is wanted. */
export interface LazyBody {
  /** The parsed body; `undefined` where there is none. Throws `UnsupportedMediaType`, `PayloadTooLarge` or `InvalidJson`. */
  read(): Promise<unknown>;
  /** The bytes that were read. */
  bytes(): Uint8Array;
}

const formPaths = new Set(["tokens.create", "tokens.revoke"]);
const empty = new Uint8Array();

/** Takes the body of a request, in the order in which it is refused: media type, size, JSON. */
export function lazyBody(request: IncomingMessage, row: Operation): LazyBody {
  let raw: Uint8Array = empty;
  return {
    bytes: () => raw,
    async read() {
      const expected = declaredLength(request) !== 0;
      if (!expected || row.body === undefined) return undefined;
      const type = mediaTypeOf(request, row);
      raw = await readBytes(request, (row.bodyLimitKiB ?? 1024) * 1024);
      if (raw.length === 0) return undefined;
      return type === "form" ? parseForm(raw) : parseJson(raw);
    },
  };
}

/** The length that is announced; `null` for one that is not known beforehand. */
function declaredLength({ headers }: IncomingMessage): number | null {
  if (headers["transfer-encoding"] !== undefined) return null;
  return Number(headers["content-length"] ?? 0);
}

function mediaTypeOf({ headers }: IncomingMessage, row: Operation): "json" | "form" {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new LiveplaneError("UnsupportedMediaType", "Compressed bodies are not taken.");
  }
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters
    .find((part) => part.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  const utf8 = charset === undefined || charset === "utf-8" || charset === "utf8";
  if (type === "application/json" && utf8) return "json";
  if (type === "application/x-www-form-urlencoded" && utf8 && formPaths.has(row.id)) return "form";
  throw new LiveplaneError("UnsupportedMediaType", "The body must be application/json in UTF-8.");
}

function readBytes(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new LiveplaneError("PayloadTooLarge", `The body must have at most ${limit / 1024} KiB.`);
  if ((declaredLength(request) ?? 0) > limit) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.off("data", onData);
        reject(tooLarge());
      } else chunks.push(chunk);
    };
    request.on("data", onData);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", (cause) => reject(new LiveplaneError("Aborted", undefined, { cause })));
    request.once("close", () => reject(new LiveplaneError("Aborted")));
  });
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    // The cause would quote the body.
    throw new LiveplaneError("InvalidJson");
  }
}

function parseForm(bytes: Uint8Array): Record<string, string | string[]> {
  const form = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(Buffer.from(bytes).toString("utf8"))) {
    const known = form[name];
    form[name] = known === undefined ? value : [known, value].flat();
  }
  return { ...form };
}
