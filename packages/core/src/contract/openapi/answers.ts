import { type ErrorCode, errorCodes } from "../../errors.ts";
import { errorStatusesOf } from "../error-answers.ts";
import { mostPlaces } from "../invalid.ts";
import { operationsById } from "../operations/operations.ts";
import { parseRoute } from "../routes.ts";
import type { Operation } from "../row.ts";
import { type DocumentObject, refTo } from "./schemas.ts";

const text = { type: "string" } as const;

export const answerHeaders = {
  "X-Request-Id": { description: "The ID of this request, or the one that the caller sent.", schema: text },
  "Api-Version": { description: "The version of the API.", schema: { const: "1", type: "string" } },
  "RateLimit-Policy": {
    description: "The number of requests allowed in a time window.",
    schema: text,
    example: '"reads";q=300;w=60',
  },
  RateLimit: {
    description: "The number of requests left, and when the window ends.",
    schema: text,
    example: '"reads";r=299;t=60',
  },
  "Retry-After": { description: "The number of seconds to wait before the next try.", schema: { type: "integer" } },
  "WWW-Authenticate": { description: "The kind of credential that is missing.", schema: text, example: "Bearer" },
  ETag: { description: "The version of the record, for If-Match.", schema: text },
  Location: { description: "The URL of the created record, or of the operation's progress.", schema: text },
  Deprecation: { description: "Since when this operation is deprecated (RFC 9745).", schema: text },
  Sunset: { description: "When this operation may be removed (RFC 8594).", schema: text },
  Link: { description: 'The operation that replaces this one, as `rel="successor-version"`.', schema: text },
} as const satisfies Record<string, DocumentObject>;

type HeaderName = keyof typeof answerHeaders;

/** The schema of every error (RFC 9457). */
export const problemSchema: DocumentObject = {
  type: "object",
  description: "Why a request was refused. Never contains a value from the request.",
  required: ["type", "title", "status", "detail", "instance", "code", "reasonCode", "requestId"],
  properties: {
    type: text,
    title: text,
    status: { type: "integer" },
    detail: text,
    instance: text,
    code: { type: "string", description: "The code of the error, for programs.", enum: Object.keys(errorCodes) },
    reasonCode: { type: "string", description: "The same as `code`, for existing clients." },
    requestId: text,
    errors: {
      type: "array",
      description: "The invalid places, each listed once.",
      maxItems: mostPlaces,
      items: {
        type: "object",
        required: ["code", "detail"],
        properties: {
          pointer: { type: "string", description: "A place in the body, as the URI fragment of a JSON Pointer." },
          parameter: { type: "string", description: "A parameter of the path or the query." },
          header: text,
          code: text,
          detail: text,
        },
      },
    },
  },
};

/** The errors that operations share: by name, and the name of each by its status and codes. */
export interface Refusals {
  readonly byName: Readonly<Record<string, DocumentObject>>;
  readonly names: ReadonlyMap<string, string>;
}

/** Collects the error answers of operations, each set of codes once. */
export function collectRefusals(): Refusals {
  const byName: Record<string, DocumentObject> = {};
  const names = new Map<string, string>();
  const all = Object.values(operationsById).flatMap((row) => [...errorStatusesOf(row)]);
  for (const [status, codes] of all) {
    const others = all.filter(([other]) => other === status).map(([, sets]) => sets);
    const name = nameOf(status, codes, others);
    names.set(keyOf(status, codes), name);
    byName[name] ??= refusal(status, codes);
  }
  return { byName, names };
}

/** The status, and the codes that not every error with it may have: `ConflictAlreadyExistsOrLastAdmin`. */
function nameOf(status: number, codes: readonly ErrorCode[], others: readonly (readonly ErrorCode[])[]): string {
  const own = codes.filter((code) => !others.every((other) => other.includes(code)));
  return `${statusNames[status] ?? `Status${status}`}${own.sort().join("Or")}`;
}

export function answersOf(row: Operation, { names }: Refusals): DocumentObject {
  const statuses = (row.success ?? [200]).map((status) => [String(status), successOf(row, status)] as const);
  const refusals = [...errorStatusesOf(row)].map(
    ([status, codes]) =>
      [String(status), { $ref: `#/components/responses/${names.get(keyOf(status, codes))}` }] as const,
  );
  return Object.fromEntries([...statuses, ...refusals]);
}

const statusNames: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  413: "ContentTooLarge",
  414: "UriTooLong",
  415: "UnsupportedMediaType",
  422: "UnprocessableContent",
  428: "PreconditionRequired",
  429: "TooManyRequests",
  500: "InternalServerError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
};

function keyOf(status: number, codes: readonly ErrorCode[]): string {
  return [status, ...[...codes].sort()].join(" ");
}

function successOf(row: Operation, status: number): DocumentObject {
  const headers: HeaderName[] = ["X-Request-Id", "Api-Version", "RateLimit-Policy", "RateLimit"];
  if (row.versioned === true && status !== 202) headers.push("ETag");
  const isMailed = "who" in row.access && row.access.who === "anyone";
  const isUpsert = parseRoute(row.id).methods.length > 1;
  if ((status === 202 && !isMailed) || (status === 201 && row.versioned === true) || isUpsert) headers.push("Location");
  if (row.deprecated !== undefined) headers.push("Deprecation", "Sunset", "Link");
  return {
    description: described(status),
    headers: refs(headers),
    content: { [mediaType(row)]: { schema: answer(row) } },
  };
}

function described(status: number): string {
  if (status === 201) return "Created.";
  return status === 202 ? "Accepted." : "Done.";
}

function mediaType({ id }: Operation): string {
  return parseRoute(id).takes === "stream" ? "text/event-stream" : "application/json";
}

function answer({ id, result }: Operation): DocumentObject {
  return refTo(result, parseRoute(id).takes === "page" ? "Page" : "");
}

function refusal(status: number, codes: readonly ErrorCode[]): DocumentObject {
  const headers: HeaderName[] = ["X-Request-Id", "Api-Version"];
  if (status === 401) headers.push("WWW-Authenticate");
  if (status === 429 || status === 503) headers.push("Retry-After");
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}.`).join(" "),
    headers: refs(headers),
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    "x-codes": codes,
  };
}

function refs(names: readonly HeaderName[]): DocumentObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
