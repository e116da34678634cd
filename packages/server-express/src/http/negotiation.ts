import type { IncomingMessage } from "node:http";
import type { Operation } from "@liveplane/core";
import { type Preconditions, parseEntityTags } from "@liveplane/core/contract";
import { LiveplaneError } from "@liveplane/core/errors";

/** The path and the query of a request target, as they were sent. */
export function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const local = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*(?=[/?]|$)/i, "");
  const at = local.indexOf("?");
  return at < 0 ? { path: local, search: "" } : { path: local.slice(0, at), search: local.slice(at + 1) };
}

const noQuery: Readonly<Record<string, string | string[]>> = Object.freeze(Object.create(null));

/** The members of a query; one that is repeated is a list. */
export function queryOf(search: string): Readonly<Record<string, string | string[]>> {
  if (search === "") return noQuery;
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(search)) {
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return query;
}

/** Refuses a version of the API that isn't this one. */
export function refuseOtherVersions({ headers }: IncomingMessage): void {
  const version = headers["api-version"];
  if (version === undefined || version === "1") return;
  const detail = "This server speaks version 1.";
  throw new LiveplaneError("UnsupportedApiVersion", detail, {
    details: { errors: [{ header: "Api-Version", code: "UnsupportedApiVersion", detail }] },
  });
}

/** Refuses callers that wouldn't take what the operation answers. */
export function refuseUnacceptable({ headers }: IncomingMessage, row: Operation): void {
  const { accept } = headers;
  if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json") return;
  const answers = row.id === "events.follow" ? "text/event-stream" : "application/json";
  const [kind = ""] = answers.split("/");
  for (const wanted of [answers, `${kind}/*`, "*/*"]) {
    const weight = weightOf(accept, wanted);
    if (weight !== null && weight > 0) return;
    if (weight === 0) break;
  }
  throw new LiveplaneError("NotAcceptable", `This answers ${answers}.`);
}

/** The weight that a list of media ranges gives one of them; `null` where it doesn't stand in the list. */
function weightOf(accept: string, wanted: string): number | null {
  for (const range of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (name !== wanted) continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return quality === undefined ? 1 : Number(quality.slice(2));
  }
  return null;
}

/** The versions that a write is bound to. A malformed header is `ValidationFailed`, thrown when the result is asked for. */
export function preconditionsOf({ headers }: IncomingMessage): {
  readonly preconditions: Preconditions;
  readonly check: () => void;
} {
  const malformed: string[] = [];
  const tagsOf = (header: string) => {
    const sent = headers[header.toLowerCase()];
    if (typeof sent !== "string") return undefined;
    const tags = parseEntityTags(sent);
    if (tags === undefined) malformed.push(header);
    return tags;
  };
  const ifMatch = tagsOf("If-Match");
  const ifNoneMatch = tagsOf("If-None-Match");
  return {
    preconditions: { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) },
    check() {
      if (malformed.length === 0) return;
      const detail = 'This must be * or a list of versions in quotes, such as "12".';
      const errors = malformed.map((header) => ({ header, code: "Format" as const, detail }));
      throw new LiveplaneError("ValidationFailed", `${malformed.join(", ")}: ${detail}`, { details: { errors } });
    },
  };
}
