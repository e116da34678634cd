import type { DescribedOperation, MemberType, MemberTypes } from "../../tables/described-api.ts";
import { type Description, descriptionOf, type Vendor } from "./descriptions.ts";
import { isObject, judgeMembers, type Problem } from "./judge-members.ts";

/** A request to a cloud. Paths of Google's begin with the service that they are for. */
export interface JudgedRequest {
  readonly vendor: Vendor;
  readonly method: string;
  readonly url: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** An answer of a cloud. */
export interface JudgedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** What a request or an answer is, and all that is wrong with it. */
export interface Verdict {
  readonly operation: DescribedOperation | null;
  readonly problems: readonly Problem[];
}

const googles = ["alt", "callback", "fields", "key", "prettyPrint", "quotaUser", "uploadType", "$.xgafv"];
/** What binds a request to a state; all other headers are the transport's. */
const conditions = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
/** Names that travel beside what a mask names. */
const beside = new Set(["etag", "fingerprint", "labelFingerprint", "name"]);

/** Judges a request by what its vendor publishes. Shares no code with the adapters. */
export function judgeRequest(request: JudgedRequest): Verdict {
  const description = descriptionOf(request.vendor);
  const { pathname, searchParams } = new URL(request.url, "http://cloud.invalid");
  const there = description.at(pathname);
  if (there.length === 0) return refused("path", "is none that is described");
  const operation = there.find(({ method }) => method === request.method);
  if (operation === undefined) return refused("method", `isn't described for ${there[0]?.path}`);
  const problems = [
    ...judgeQuery(operation, searchParams, request.vendor),
    ...judgeHeaders(operation, request),
    ...judgeBody(operation, request, description),
    ...judgeMask(operation, searchParams, request.body, description),
  ];
  return { operation, problems };
}

/** Judges the answer to a request that is described. */
export function judgeResponse(request: JudgedRequest, response: JudgedResponse): Verdict {
  const { operation } = judgeRequest(request);
  const { status, body } = response;
  if (status >= 400)
    return { operation, problems: isError(body) ? [] : [{ where: "error", detail: "isn't told as errors are" }] };
  if (operation === null) return { operation, problems: [] };
  const type = operation.answers[String(status)];
  if (type === undefined) return { operation, problems: [{ where: `status ${status}`, detail: "isn't described" }] };
  const rules = { schemas: descriptionOf(request.vendor).schemas, as: "answer" } as const;
  const isEmpty = body === null || (isObject(body) && Object.keys(body).length === 0);
  const told = type === null ? [] : judgeMembers(type, body, rules);
  const extra = type === null && !isEmpty ? [{ where: `body of ${status}`, detail: "isn't described" }] : [];
  return { operation, problems: [...told, ...extra, ...judgeWaiting(request.vendor, response)] };
}

function refused(where: string, detail: string): Verdict {
  return { operation: null, problems: [{ where, detail }] };
}

function judgeQuery({ query }: DescribedOperation, given: URLSearchParams, vendor: Vendor): Problem[] {
  const described = query.map((text) => {
    const [name = "", value] = text.split("=");
    return { name: name.replace("!", ""), isRequired: text.includes("!") || value !== undefined, value };
  });
  const problems: Problem[] = [];
  for (const name of new Set(given.keys())) {
    const isKnown = described.some((one) => one.name === name) || (vendor === "google" && googles.includes(name));
    if (!isKnown) problems.push({ where: `query ${name}`, detail: "isn't described" });
  }
  for (const { name, isRequired, value } of described) {
    const own = given.get(name);
    if (own === null && isRequired) problems.push({ where: `query ${name}`, detail: "is missing" });
    else if (own !== null && value !== undefined && own !== value)
      problems.push({ where: `query ${name}`, detail: `is ${own}, described is ${value}` });
  }
  return problems;
}

function judgeHeaders({ headers: known }: DescribedOperation, { headers, body }: JudgedRequest): Problem[] {
  const problems: Problem[] = [];
  if (!/^Bearer \S+$/.test(String(headers.authorization)))
    problems.push({ where: "header authorization", detail: "is missing" });
  if (body !== null && !/^application\/json\b/.test(String(headers["content-type"])))
    problems.push({ where: "header content-type", detail: "isn't application/json" });
  for (const name of conditions)
    if (headers[name] !== undefined && !known.includes(name))
      problems.push({ where: `header ${name}`, detail: "isn't described" });
  return problems;
}

function judgeBody(
  { body: type, method, bodyIsOptional }: DescribedOperation,
  { body }: JudgedRequest,
  { schemas }: Description,
): Problem[] {
  if (type === null) return body === null ? [] : [{ where: "body", detail: "isn't described" }];
  if (body === null) return bodyIsOptional ? [] : [{ where: "body", detail: "is missing" }];
  return judgeMembers(type, body, { schemas, as: method === "PATCH" ? "change" : "whole" });
}

/** Where a description has a mask, a change without one means all of the resource; where it has none, one is refused. */
function judgeMask(
  { query, method, body: type }: DescribedOperation,
  given: URLSearchParams,
  body: unknown,
  { schemas }: Description,
): Problem[] {
  if (method !== "PATCH" || !query.some((name) => /^updateMask!?$/.test(name)) || !isObject(body)) return [];
  const mask = given.get("updateMask");
  if (mask === null) return [{ where: "query updateMask", detail: "is missing" }];
  const paths = mask.split(",").map((path) => path.split("."));
  return [
    ...paths.flatMap((path) => judgePath(path, type, schemas)),
    ...unnamedIn(type, body, schemas, paths).map((path) => ({
      where: `/${path.join("/")}`,
      detail: "isn't named in the mask",
    })),
  ];
}

/** A path leads through messages alone: what it names in a list or a map is no field. */
function judgePath(path: readonly string[], type: MemberType | null, schemas: Description["schemas"]): Problem[] {
  let at = type;
  for (const step of path) {
    const members = membersOf(at, schemas);
    if (members === null || !Object.hasOwn(members, step))
      return [{ where: "query updateMask", detail: `names ${path.join(".")}, which is no member` }];
    at = members[step] ?? null;
  }
  return [];
}

/** The places of a body that no path names. What a message must have may go along. */
function unnamedIn(
  type: MemberType | null,
  body: Readonly<Record<string, unknown>>,
  schemas: Description["schemas"],
  paths: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const members = membersOf(type, schemas) ?? {};
  return Object.entries(body).flatMap(([name, value]) => {
    const below = paths.filter(([step]) => step === name).map(([, ...rest]) => rest);
    const isNamed = below.some((rest) => rest.length === 0);
    const own = members[name] ?? null;
    if (isNamed || beside.has(name) || (typeof own === "string" && own.includes("!"))) return [];
    if (below.length === 0 || !isObject(value)) return [[name]];
    return unnamedIn(own, value, schemas, below).map((path) => [name, ...path]);
  });
}

/** The members of a message; `null`: a list, a map or a scalar. */
function membersOf(type: MemberType | null, schemas: Description["schemas"]): MemberTypes | null {
  if (typeof type !== "string") return type;
  const bare = type.replace(/[!\-=*]+$/, "");
  return bare.startsWith("#") ? (schemas[bare.slice(1)] ?? null) : null;
}

/** What Azure has begun says where it can be followed. */
function judgeWaiting(vendor: Vendor, { status, headers }: JudgedResponse): Problem[] {
  const isTold = headers.location !== undefined || headers["azure-asyncoperation"] !== undefined;
  return vendor === "azure" && status === 202 && !isTold ? [{ where: "header location", detail: "is missing" }] : [];
}

function isError(body: unknown): boolean {
  if (!isObject(body) || !isObject(body.error)) return false;
  const { code, message } = body.error;
  return (typeof code === "string" || typeof code === "number") && typeof message === "string";
}
