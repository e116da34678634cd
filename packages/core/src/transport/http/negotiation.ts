import { type Preconditions, parseEntityTags } from "../../contract/preconditions.ts";
import type { Operation } from "../../contract/row.ts";
import { LiveplaneError } from "../../errors.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** The path and the query of a request target, as sent. */
export function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const local = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*(?=[/?]|$)/i, "");
  const at = local.indexOf("?");
  return at < 0 ? { path: local, search: "" } : { path: local.slice(0, at), search: local.slice(at + 1) };
}

const noQuery: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

/** More values than any parameter accepts: further ones are dropped, and the parameter is refused for having too many. */
const mostValues = 101;

/** The members of a query; a repeated one is a list. */
export function queryOf(search: string): Readonly<Record<string, string | readonly string[]>> {
  if (search === "") return noQuery;
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(search)) {
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (typeof known === "string") query[name] = [known, value];
    else if (known.length < mostValues) known.push(value);
  }
  return query;
}

/** Refuses other versions of the API. */
export function refuseOtherVersions(request: IncomingRequest): void {
  const version = request.header("api-version");
  if (version === undefined || version === "1") return;
  const detail = "This server supports version 1.";
  throw new LiveplaneError("UnsupportedApiVersion", detail, {
    details: { errors: [{ header: "Api-Version", code: "UnsupportedApiVersion", detail }] },
  });
}

const json = ["application/json", "application/*"] as const;

/** Refuses callers that don't accept the operation's media type. */
export function refuseUnacceptable(request: IncomingRequest, row: Operation): void {
  const accept = request.header("accept");
  if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json") return;
  const [answers, kind] = row.id === "events.follow" ? (["text/event-stream", "text/*"] as const) : json;
  for (const wanted of [answers, kind, "*/*"]) {
    const weight = weightOf(accept, wanted);
    if (weight !== null && weight > 0) return;
    if (weight === 0) break;
  }
  throw new LiveplaneError("NotAcceptable", `This path returns only ${answers}.`);
}

/** The weight of a media range in a list; `null` if it isn't listed. */
function weightOf(accept: string, wanted: string): number | null {
  for (const range of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (name !== wanted) continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return quality === undefined ? 1 : Number(quality.slice(2));
  }
  return null;
}

/** The versions that a write requires, and the malformed headers among them. */
export function preconditionsOf(request: IncomingRequest): {
  readonly preconditions: Preconditions;
  readonly malformed: readonly string[];
} {
  const match = request.header("if-match");
  const noneMatch = request.header("if-none-match");
  if (match === undefined && noneMatch === undefined) return unconditional;
  const ifMatch = match === undefined ? undefined : parseEntityTags(match);
  const ifNoneMatch = noneMatch === undefined ? undefined : parseEntityTags(noneMatch);
  const malformed = [
    ...(match !== undefined && ifMatch === undefined ? ["If-Match"] : []),
    ...(noneMatch !== undefined && ifNoneMatch === undefined ? ["If-None-Match"] : []),
  ];
  const preconditions = { ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }) };
  return { preconditions, malformed };
}

const unconditional = { preconditions: {}, malformed: [] };

/** Refuses malformed versions. */
export function refuseMalformed(malformed: readonly string[]): void {
  if (malformed.length === 0) return;
  const detail = 'This must be * or a list of versions in quotes, such as "12".';
  const errors = malformed.map((header) => ({ header, code: "Format" as const, detail }));
  throw new LiveplaneError("ValidationFailed", `${malformed.join(", ")}: ${detail}`, { details: { errors } });
}
