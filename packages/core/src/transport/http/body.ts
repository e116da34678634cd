import { invalid } from "../../contract/invalid.ts";
import { bodyLimitKiB, type Operation } from "../../contract/row.ts";
import { LiveplaneError } from "../../errors.ts";
import { fragmentOf } from "../../json-pointer.ts";
import type { IncomingRequest } from "./incoming-request.ts";

export interface ReadBody {
  readonly bytes: Uint8Array;
  /** `undefined` if there is none. */
  readonly value: unknown;
}

const formPaths: ReadonlySet<string> = new Set(["tokens.create", "tokens.revoke"]);
const nothing: ReadBody = { bytes: new Uint8Array(), value: undefined };
const json = "application/json";
const form = "application/x-www-form-urlencoded";
/** A merge patch may use its own media type (RFC 7396). */
const patchTypes: ReadonlySet<string | null> = new Set([json, "application/merge-patch+json"]);

/** Reads the body of a request, with refusals in order: media type, size, JSON. */
export function readBody(request: IncomingRequest, row: Operation): ReadBody | Promise<ReadBody> {
  return row.body === undefined || request.bodyLength === 0 ? nothing : readWhole(request, row);
}

async function readWhole(request: IncomingRequest, row: Operation): Promise<ReadBody> {
  const type = mediaTypeOf(request);
  if (type !== json && !(type === form && formPaths.has(row.id))) throw notJson();
  const limitKiB = bodyLimitKiB(row);
  const bytes = whole(await readBytes(request, limitKiB), limitKiB);
  if (bytes.length === 0) return nothing;
  return { bytes, value: type === form && !request.isBodyParsed ? parseForm(bytes) : parseJson(bytes) };
}

/** Reads a body that must be JSON; `undefined` if there is none. */
export async function readJson(request: IncomingRequest, limitKiB: number): Promise<unknown> {
  if (request.bodyLength === 0) return undefined;
  if (!patchTypes.has(mediaTypeOf(request))) throw notJson();
  const bytes = whole(await readBytes(request, limitKiB), limitKiB);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

function notJson(): LiveplaneError {
  return new LiveplaneError("UnsupportedMediaType", "The body must be application/json in UTF-8.");
}

/** The media type in lower case; `null` if it isn't UTF-8. */
function mediaTypeOf(request: IncomingRequest): string | null {
  const encoding = request.header("content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new LiveplaneError("UnsupportedMediaType", "Compressed bodies are not accepted.");
  }
  const sent = request.header("content-type");
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

function readBytes(request: IncomingRequest, limitKiB: number): Promise<Uint8Array | null> | null {
  const most = limitKiB * 1024;
  return (request.bodyLength ?? 0) > most ? null : request.readBody(most);
}

function whole(bytes: Uint8Array | null, limitKiB: number): Uint8Array {
  if (bytes === null) throw new LiveplaneError("PayloadTooLarge", `The body must have at most ${limitKiB} KiB.`);
  return bytes;
}

/** Drops a leading U+FEFF, as RFC 8259 allows JSON readers; it can't be part of a value. */
const strict = new TextDecoder("utf-8", { fatal: true });
/** A form is decoded as usual: invalid UTF-8 becomes U+FFFD. */
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strict.decode(bytes));
  } catch {
    // The cause would quote the body.
    throw new LiveplaneError("InvalidJson");
  }
}

/** No member of a form may be repeated (RFC 6749, section 3.2). */
function parseForm(bytes: Uint8Array): Record<string, string> {
  const members = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(lenient.decode(bytes))) {
    if (members.has(name))
      throw invalid([{ pointer: fragmentOf([name]), code: "Duplicate", detail: "This occurs more than once." }]);
    members.set(name, value);
  }
  return Object.fromEntries(members);
}
