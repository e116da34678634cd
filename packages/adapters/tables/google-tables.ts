import { type DescribedApi, type DescribedOperation, type MemberTypes, marks, ordered } from "./described-api.ts";
import type { DescriptionPackages } from "./description-packages.ts";
import { type GoogleDescription, type GoogleMethod, googleDescription } from "./google-descriptions.ts";
import { type GoogleService, googleMethods, googleServices } from "./google-kinds.ts";
import { googleSchemas } from "./google-schemas.ts";
import { markedPointers } from "./marked-pointers.ts";

/** What is known of a kind of Google's. */
export interface GoogleKind {
  readonly version: string;
  /** Where resources lie, behind the service's address: one path for each of a zone, a region and the whole world that has them. */
  readonly paths: readonly string[];
  /** What the collection is called. */
  readonly collection: string;
  readonly create: {
    readonly method: string;
    /** Where its name is given: `query:serviceId`, `body:name`, or in the path. */
    readonly name: string;
  } | null;
  /** How members are changed, and where those that change are named: in the query, beside them in the body, or nowhere. */
  readonly change: { readonly method: string; readonly mask: "query" | "body" | "none" } | null;
  /** `call`: by setLabels; `body`: with the other members; `creation`: then alone; `none`. */
  readonly labels: "call" | "body" | "creation" | "none";
  /** The member that tells one state from the next. */
  readonly etag: "etag" | "fingerprint" | "metageneration" | "none";
  readonly labelFingerprint: boolean;
  /** Names in the query that bind a deletion to a state. */
  readonly boundDeletion: readonly string[];
  /** Writes answer with an operation that is waited for. */
  readonly operations: boolean;
  readonly required: readonly string[];
  readonly immutable: readonly string[];
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

/** What was taken from Google's descriptions. */
export interface GoogleTables {
  readonly kinds: Readonly<Record<string, GoogleKind>>;
  readonly api: DescribedApi;
}

interface Found {
  readonly method: GoogleMethod;
  readonly described: DescribedOperation;
}

/** Reads the tables of Google Cloud from its client. */
export function googleTables(packages: DescriptionPackages): GoogleTables {
  const kinds: Record<string, GoogleKind> = {};
  const operations: DescribedOperation[] = [];
  const schemas: Record<string, MemberTypes> = {};
  for (const [service, of] of Object.entries(googleServices)) {
    const description = googleDescription(packages, service, of.version);
    const collected = googleSchemas(description, service);
    const spell = spellingIn(description);
    const wanted = description.methods.filter((method) => isWanted(method, of, description.methods));
    const found = wanted.map((method) => ({
      method,
      described: describedOperation(service, method, flatPath(method, of, spell), collected.reference),
    }));
    operations.push(...found.map(({ described }) => described));
    Object.assign(schemas, collected.schemas);
    for (const [kind, own] of kindsIn(found, of)) kinds[`${service}.${kind}`] = googleKind(of, own, collected.schemas);
  }
  operations.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { kinds: ordered(kinds), api: { operations, schemas: ordered(schemas) } };
}

function isWanted({ collection, name, url }: GoogleMethod, of: GoogleService, all: readonly GoogleMethod[]): boolean {
  if (!googleMethods.has(name)) return false;
  if (of.others.includes(collection)) return true;
  if (of.kinds !== null) return Object.hasOwn(of.kinds, collection);
  const names = all.filter((method) => method.collection === collection).map((method) => method.name);
  return ["get", "insert", "delete"].every((needed) => names.includes(needed)) && url.includes("/projects/{project}/");
}

/** How the names of collections are spelled: those of the client's classes have lost their capitals. */
function spellingIn({ methods }: GoogleDescription): (name: string) => string {
  const segments = methods.flatMap(({ url }) => url.split(/[/:]/).filter((segment) => /^[a-zA-Z]+$/.test(segment)));
  const spelled = new Map(segments.map((segment) => [segment.toLowerCase(), segment]));
  return (name) => spelled.get(name.toLowerCase()) ?? name.toLowerCase();
}

/** The path with each of its segments told: `{+name}` stands for as many as its collection has. */
function flatPath({ url, collection }: GoogleMethod, { root }: GoogleService, spell: (name: string) => string): string {
  const chain = collection.split(".");
  const isOutermost = root !== undefined && chain[0] !== "Operations";
  const nested = chain.filter((name) => name !== "V1").map((name) => `${spell(name)}/{}`);
  return url
    .replace(/\{\+\w+\}(?=([/:]\w+)?)/, (_, rest: string | undefined) => {
      const isParent = rest?.slice(1).toLowerCase() === chain.at(-1)?.toLowerCase();
      const within = isParent ? nested.slice(0, -1) : nested;
      return [...(isOutermost ? [root] : []), ...within].join("/");
    })
    .replaceAll(/\{\w+\}/g, "{}");
}

function describedOperation(
  service: string,
  { collection, name, verb, query, body, answer }: GoogleMethod,
  path: string,
  reference: (name: string) => string,
): DescribedOperation {
  return {
    id: `${service}.${collection}.${name}`,
    method: verb,
    path: `/${service}${path}`,
    query,
    headers: [],
    body: body === null ? null : reference(body),
    answers: { 200: answer === null ? null : reference(answer), ...(answer === null && { 204: null }) },
  };
}

/** Collections by the kind that lies in them: Compute Engine has one for each of zones, regions and the world. */
function kindsIn(found: readonly Found[], { kinds, others }: GoogleService): Map<string, Found[]> {
  const own = found.filter(({ method }) => !others.includes(method.collection));
  return Map.groupBy(own, ({ method }) => {
    if (kinds !== null) return kinds[method.collection] ?? "";
    const get = own.find((one) => one.method.collection === method.collection && one.method.name === "get");
    return /\{(\w+)\}$/.exec(get?.method.url ?? "")?.[1] ?? "";
  });
}

function googleKind(
  { version }: GoogleService,
  found: readonly Found[],
  schemas: Readonly<Record<string, MemberTypes>>,
): GoogleKind {
  const by = (...names: string[]) => found.find(({ method }) => names.includes(method.name));
  const gets = found.filter(({ method }) => method.name === "get").map(({ described }) => described.path);
  const [get, create, patch, remove] = [by("get"), by("insert", "create"), by("patch", "update"), by("delete")];
  const shown = get?.described.answers["200"] ?? null;
  const members = schemas[shown?.slice(1) ?? ""] ?? {};
  const body = create?.described.body ?? shown;
  return {
    version,
    paths: [...new Set(gets)].sort(),
    collection: gets[0]?.split("/").at(-2) ?? "",
    create: create === undefined ? null : { method: create.method.verb, name: nameGiven(create, schemas) },
    change: patch === undefined ? null : { method: patch.method.verb, mask: maskOf(patch, schemas) },
    labels: labelsOf(members, by("setLabels"), patch),
    etag: (["metageneration", "fingerprint", "etag"] as const).find((name) => members[name] !== undefined) ?? "none",
    labelFingerprint: members.labelFingerprint !== undefined,
    boundDeletion: ["etag", "ifMetagenerationMatch"].filter((name) => remove && hasQuery(remove.described, name)),
    operations: /Operation$/.test(create?.method.answer ?? ""),
    required: markedPointers(schemas, body, marks.required),
    immutable: markedPointers(schemas, body, marks.immutable),
    readOnly: markedPointers(schemas, shown, marks.readOnly),
    hidden: markedPointers(schemas, body, marks.hidden),
  };
}

function maskOf({ described }: Found, schemas: Readonly<Record<string, MemberTypes>>): "query" | "body" | "none" {
  if (hasQuery(described, "updateMask")) return "query";
  return schemas[described.body?.slice(1) ?? ""]?.updateMask === undefined ? "none" : "body";
}

function hasQuery({ query }: DescribedOperation, name: string): boolean {
  return query.includes(name) || query.includes(`${name}!`);
}

function nameGiven({ method, described }: Found, schemas: Readonly<Record<string, MemberTypes>>): string {
  const given = method.query
    .map((name) => name.replace("!", ""))
    .find((name) => /[a-z]Id$/.test(name) && name !== "requestId");
  if (given !== undefined) return `query:${given}`;
  const members = schemas[described.body?.slice(1) ?? ""] ?? {};
  const own = ["accountId", "roleId", "name"].find((name) => members[name] !== undefined);
  return described.path.endsWith("{}") || own === undefined ? "path" : `body:${own}`;
}

function labelsOf(members: MemberTypes, setLabels: Found | undefined, patch: Found | undefined): GoogleKind["labels"] {
  if (setLabels !== undefined) return "call";
  if (members.labels === undefined) return "none";
  return patch === undefined ? "creation" : "body";
}
