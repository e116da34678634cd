import type { IncomingMessage } from "node:http";
import type { Operation } from "@liveplane/core";
import { bodyLimitKiB } from "@liveplane/core/contract";
import { LiveplaneError } from "@liveplane/core/errors";

/** A body that is read once, when it is wanted. */
export interface LazyBody {
  /** The parsed body; `undefined` where there is none. Throws `UnsupportedMediaType`, `PayloadTooLarge` or `InvalidJson`. */
  read(): Promise<unknown>;
  /** The bytes that were read. */
  bytes(): Uint8Array;
}

const formPaths: ReadonlySet<string> = new Set(["tokens.create", "tokens.revoke"]);
const empty = new Uint8Array();
const json = "application/json";
const form = "application/x-www-form-urlencoded";
/** A merge patch may also go by its own name (RFC 7396). */
const consoleTypes: ReadonlySet<string | null> = new Set([json, "application/merge-patch+json"]);

/** Takes the body of a request, in the order in which it is refused: media type, size, JSON. */
export function lazyBody(request: IncomingMessage, row: Operation): LazyBody {
  let raw: Uint8Array = empty;
  return {
    bytes: () => raw,
    async read() {
      if (row.body === undefined || declaredLength(request) === 0) return undefined;
      const type = mediaTypeOf(request);
      if (type !== json && !(type === form && formPaths.has(row.id))) throw notJson();
      const left = leftByHost(request);
      raw = left?.bytes ?? (await readBytes(request, bodyLimitKiB(row)));
      if (raw.length === 0) return undefined;
      return type === form && left?.isParsed !== true ? parseForm(raw) : parseJson(raw);
    },
  };
}

/** Reads a body that can be nothing but JSON; `undefined`: there is none. */
export async function readJson(request: IncomingMessage, limitKiB: number): Promise<unknown> {
  if (declaredLength(request) === 0) return undefined;
  if (!consoleTypes.has(mediaTypeOf(request))) throw notJson();
  const raw = await readBytes(request, limitKiB);
  return raw.length === 0 ? undefined : parseJson(raw);
}

/** What a parser that the host has mounted before left of the body, as JSON where it parsed it; `null`: nobody has read it. */
function leftByHost(request: IncomingMessage): { readonly bytes: Uint8Array; readonly isParsed: boolean } | null {
  if (!request.readableEnded) return null;
  const body: unknown = Reflect.get(request, "body");
  if (body instanceof Uint8Array) return { bytes: body, isParsed: false };
  return { bytes: Buffer.from(JSON.stringify(body) ?? ""), isParsed: true };
}

function notJson(): LiveplaneError {
  return new LiveplaneError("UnsupportedMediaType", "The body must be application/json in UTF-8.");
}

/** The length that is announced; `null` for one that is not known beforehand. */
function declaredLength({ headers }: IncomingMessage): number | null {
  if (headers["transfer-encoding"] !== undefined) return null;
  return Number(headers["content-length"] ?? 0);
}

/** The media type in lower case; `null` where the text isn't UTF-8. */
function mediaTypeOf({ headers }: IncomingMessage): string | null {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new LiveplaneError("UnsupportedMediaType", "Compressed bodies are not taken.");
  }
  const sent = headers["content-type"];
  if (sent === json) return json;
  const [type = "", ...parameters] = (sent ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset =
    parameters
      .find((part) => part.startsWith("charset="))
      ?.slice(8)
      .replaceAll('"', "") ?? "utf-8";
  return charset === "utf-8" || charset === "utf8" ? type : null;
}

/** Reads a body up to its limit. What comes after that is dropped: its connection ends with the answer. */
function readBytes(request: IncomingMessage, limitKiB: number): Promise<Uint8Array> {
  const limit = limitKiB * 1024;
  const tooLarge = () => new LiveplaneError("PayloadTooLarge", `The body must have at most ${limitKiB} KiB.`);
  if ((declaredLength(request) ?? 0) > limit) return Promise.reject(tooLarge());
  if (request.destroyed) return Promise.reject(new LiveplaneError("Aborted"));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      chunks.length = 0;
      reject(tooLarge());
    });
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once("error", (cause) => reject(new LiveplaneError("Aborted", undefined, { cause })));
    request.once("close", () => {
      if (!request.complete) reject(new LiveplaneError("Aborted"));
    });
  });
}

/** Drops a mark at the beginning (U+FEFF), as RFC 8259 lets readers of JSON do; no value can lie there. */
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
