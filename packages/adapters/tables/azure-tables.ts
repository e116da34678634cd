import { azureBoundBeyond, azureKinds, azureShared } from "./azure-kinds.ts";
import { type AzureModule, azureModule, type Mapper, type OperationSpec } from "./azure-modules.ts";
import { azureSchemas } from "./azure-schemas.ts";
import type { Default, DescribedApi, DescribedOperation, MemberType, MemberTypes } from "./described-api.ts";
import { marks, ordered } from "./described-api.ts";
import type { DescriptionPackages } from "./description-packages.ts";
import {
  defaultsAt,
  holds,
  markedPointers,
  type UnechoedPointers,
  unechoedPointers,
  wantedPointers,
} from "./marked-pointers.ts";
import { withUnechoed } from "./unechoed.ts";

/** What is known of a type of Azure's. */
export interface AzureKind {
  /** The version that the rest was read from. */
  readonly version: string;
  /** The path of a resource, with the names of what stands in it. */
  readonly path: string;
  readonly parent: string | null;
  /** What the last name may be, where the description says it. */
  readonly name: { readonly pattern?: string; readonly least?: number; readonly most?: number };
  readonly tags: boolean;
  /** `header`: a PUT takes If-Match; `member`: the resource shows an etag, and nothing is said of writes; `none`. */
  readonly etag: "header" | "member" | "none";
  /** The methods that take If-Match. */
  readonly ifMatch: readonly string[];
  /** A PUT takes If-None-Match, and so creates only. */
  readonly createsOnly: boolean;
  /** It has a location of its own, and isn't only a part of its parent. */
  readonly located: boolean;
  /** All of them in one parent can be listed. */
  readonly listed: boolean;
  /** What PATCH takes: the resource's members, its tags alone, or there is none. */
  readonly patch: "members" | "tags" | "none";
  /** Members of a body, and of its properties, that can be set, and those never shown at any depth, that PATCH doesn't take. */
  readonly unpatched: readonly string[];
  /** The methods that are begun, and then waited for. */
  readonly operations: readonly string[];
  readonly statuses: Readonly<Record<string, readonly number[]>>;
  readonly required: readonly string[];
  readonly immutable: readonly string[];
  readonly readOnly: readonly string[];
  /** Secrets that are never shown; `*` stands for what lists and maps hold. */
  readonly hidden: readonly string[];
  /** What is never shown though it isn't secret, and of that what counts at a creation alone. */
  readonly inputOnly: readonly string[];
  readonly creationOnly: readonly string[];
  /** What is shown by a POST below the resource, and not with it: where that is, by pointer. */
  readonly apart: Readonly<Record<string, string>>;
  /** Where a place in the world is named. */
  readonly places: readonly string[];
  /** Texts that are one of a few words. */
  readonly words: readonly string[];
  /** Documented defaults that aren't empty. */
  readonly defaults: Readonly<Record<string, Default>>;
  /** Other resources, of which only the id is ever shown. */
  readonly references: readonly string[];
}

/** What was taken from Microsoft's descriptions. */
export interface AzureTables {
  readonly kinds: Readonly<Record<string, AzureKind>>;
  readonly api: DescribedApi;
}

/** An operation, and where it stands in its package. */
interface Found {
  readonly id: string;
  readonly spec: OperationSpec;
  readonly described: DescribedOperation;
}

/** Reads the tables of Azure from its packages. */
export async function azureTables(packages: DescriptionPackages): Promise<AzureTables> {
  const kinds: Record<string, AzureKind> = {};
  const operations = new Map<string, DescribedOperation>();
  const schemas: Record<string, MemberTypes> = {};
  for (const name of [...new Set([...Object.keys(azureKinds), ...Object.keys(azureShared)])].sort()) {
    const module = await azureModule(packages, name);
    const prefix = name.replace("@azure/arm-", "");
    const collected = azureSchemas(module, prefix);
    const isBoundBeyond = azureBoundBeyond.includes(name);
    const described = (id: string, spec: OperationSpec) => {
      const operation = describedOperation(`${prefix}.${id}`, spec, collected.typeOf);
      const isPut = operation.method === "PUT" && !operation.headers.includes("if-match");
      return isBoundBeyond && isPut ? { ...operation, headers: [...operation.headers, "if-match"] } : operation;
    };
    const shared = new Set(azureShared[name]);
    for (const [id, spec] of module.specs) if (shared.has(templateOf(spec.path))) keep(operations, described(id, spec));
    for (const type of azureKinds[name] ?? []) {
      const own = [...module.specs].filter(([, { path }]) => isOf(path, type));
      const found = own.map(([id, spec]) => ({ id, spec, described: described(id, spec) }));
      for (const one of found) keep(operations, one.described);
      kinds[type] = azureKind(type, found, module, { ...collected, schemas: withUnechoed(collected.schemas) });
    }
    Object.assign(schemas, withUnechoed(collected.schemas));
  }
  const listed = [...operations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { kinds: ordered(kinds), api: { operations: listed, schemas: ordered(schemas) } };
}

/** Several operations may be one call: what is described first stays. */
function keep(operations: Map<string, DescribedOperation>, operation: DescribedOperation): void {
  const key = `${operation.method} ${operation.path.toLowerCase()}`;
  if (!operations.has(key)) operations.set(key, operation);
}

function describedOperation(id: string, spec: OperationSpec, typeOf: (mapper: Mapper) => string): DescribedOperation {
  const { httpMethod, requestBody, queryParameters = [], headerParameters = [], responses } = spec;
  const statuses = Object.entries(responses).filter(([status]) => status !== "default");
  const { parameterPath } = requestBody ?? {};
  const isOptional = Array.isArray(parameterPath) && parameterPath[0] === "options" && !requestBody?.mapper.required;
  return {
    id,
    method: httpMethod,
    path: templateOf(spec.path),
    query: queryParameters.map(({ mapper }) => queryName(mapper)),
    headers: headerParameters
      .map(({ mapper }) => String(mapper.serializedName).toLowerCase())
      .filter((header) => !["accept", "content-type", "accept-language"].includes(header)),
    body: requestBody === undefined ? null : typeOf(requestBody.mapper),
    ...(isOptional && { bodyIsOptional: true as const }),
    answers: Object.fromEntries(
      statuses.map(([status, { bodyMapper }]) => [status, bodyMapper === undefined ? null : typeOf(bodyMapper)]),
    ),
  };
}

function queryName({ serializedName = "", required, isConstant, defaultValue }: Mapper): string {
  if (serializedName === "api-version") return `api-version=${String(defaultValue)}`;
  if (isConstant && required) return `${serializedName}=${String(defaultValue)}`;
  return required ? `${serializedName}!` : serializedName;
}

function templateOf(path: string): string {
  return `/${path.replace(/^\//, "").replaceAll(/\{[^}]*\}/g, "{}")}`;
}

/** A path of a resource of this type, or of the collection that it lies in. */
function isOf(path: string, type: string): boolean {
  const at = templateOf(path).toLowerCase();
  return resourcePaths(type).some((own) => [own, own.replace(/\/\{\}$/, "")].includes(at));
}

/** Where resources of a type lie: in a resource group, or at any scope. */
function resourcePaths(type: string): string[] {
  if (type === "Microsoft.Resources/resourceGroups") return ["/subscriptions/{}/resourcegroups/{}"];
  const [namespace, ...kinds] = type.toLowerCase().split("/");
  const own = kinds.map((kind, at) => (isRecord(type) && at === 1 ? "{}/{}" : `${kind}/{}`)).join("/");
  const single = own.replace("blobservices/{}", "blobservices/default");
  return [`/subscriptions/{}/resourcegroups/{}/providers/${namespace}/${single}`, `/{}/providers/${namespace}/${own}`];
}

/** The description of DNS records has their kind as a parameter: all are at one path. */
function isRecord(type: string): boolean {
  return /^Microsoft\.Network\/(dns|privateDns)Zones\/[A-Z]+$/.test(type);
}

function azureKind(
  type: string,
  found: readonly Found[],
  { begun, specs }: Pick<AzureModule, "begun" | "specs">,
  { schemas: all, words, defaults }: Omit<ReturnType<typeof azureSchemas>, "typeOf">,
): AzureKind {
  const at = resourcePaths(type);
  const own = found.filter(({ described }) => at.includes(described.path.toLowerCase()));
  const by = (method: string) => own.find(({ described }) => described.method === method);
  const [get, put, patch] = [by("GET"), by("PUT"), by("PATCH")];
  if (get === undefined || put === undefined) throw new RangeError(`${type} is not described.`);
  const shown = get.described.answers["200"] ?? null;
  const others = otherResources(all, put, [...specs.values()]);
  const schemas = { ...all, ...Object.fromEntries(others.map((name) => [name, { id: "string" }])) };
  const members = (reference: string | null): MemberTypes => schemas[reference?.slice(1) ?? ""] ?? {};
  const name = put.spec.urlParameters?.find(({ mapper }) =>
    put.spec.path.endsWith(`{${mapper.serializedName}}`),
  )?.mapper;
  const segments = type.split("/");
  const { apart, ...unechoed } = withCalls(unechoedPointers(schemas, put.described.body), (call) =>
    [...specs.values()].some(
      ({ path, httpMethod }) => httpMethod === "POST" && templateOf(path) === `${put.described.path}/${call}`,
    ),
  );
  return {
    version: put.described.query.find((one) => one.startsWith("api-version="))?.split("=")[1] ?? "",
    path: `/${put.spec.path.replace(/^\//, "").replace("{recordType}", segments.at(-1) ?? "")}`,
    parent: segments.length > 2 ? segments.slice(0, -1).join("/") : null,
    name: {
      ...(name?.constraints?.Pattern && { pattern: name.constraints.Pattern.source }),
      ...(name?.constraints?.MinLength && { least: name.constraints.MinLength }),
      ...(name?.constraints?.MaxLength && { most: name.constraints.MaxLength }),
    },
    tags: members(put.described.body).tags !== undefined,
    etag: etagOf(put, members(shown)),
    ifMatch: own
      .filter(({ described }) => described.headers.includes("if-match") && described.method !== "GET")
      .map(({ described }) => described.method)
      .sort(),
    createsOnly: put.described.headers.includes("if-none-match"),
    located: isSettable(["location", members(put.described.body).location]),
    listed: found.some(({ described }) => described.method === "GET" && !at.includes(described.path.toLowerCase())),
    patch: patchOf(patch, members),
    unpatched:
      patch === undefined
        ? []
        : withUnechoedIn(
            unpatchedIn(put.described.body, patch.described.body, members),
            unechoed,
            holds(schemas, patch.described.body),
          ),
    operations: own
      .filter(({ id }) => begun.has(id))
      .map(({ described }) => described.method)
      .sort(),
    statuses: Object.fromEntries(
      own.map(({ described: { method, answers } }) => [method, Object.keys(answers).map(Number)]),
    ),
    required: markedPointers(schemas, put.described.body, marks.required),
    immutable: markedPointers(schemas, put.described.body, marks.immutable),
    // Of some types a look shows as read-only what a PUT sets.
    readOnly: markedPointers(schemas, shown, marks.readOnly).filter(
      (pointer) => !isPut(put.described.body, pointer, members),
    ),
    ...unechoed,
    apart,
    places: wantedPointers(
      schemas,
      put.described.body,
      ({ name, type }) => type === "string" && /^(location(Name)?|locations)$/.test(name),
    ),
    words: wantedPointers(
      schemas,
      put.described.body,
      ({ name, schema, type }) => type === "string" && words.has(`${schema}.${name}`),
    ),
    defaults: defaultsAt(schemas, put.described.body, defaults),
    references: wantedPointers(schemas, put.described.body, ({ type }) => others.includes(type.slice(1))),
  };
}

/**
 * Schemas of resources that are made by calls of their own, and not below this one. Where they are members, a caller may give their ids:
 * what else is given isn't used.
 */
function otherResources(
  schemas: Readonly<Record<string, MemberTypes>>,
  own: Found,
  specs: readonly OperationSpec[],
): readonly string[] {
  const at = own.described.path.toLowerCase();
  const prefix = own.described.body?.slice(1).split(".", 1)[0];
  const puts = specs.flatMap(({ path, httpMethod, requestBody }) =>
    httpMethod === "PUT" && requestBody !== undefined
      ? [{ path: templateOf(path).toLowerCase(), schema: `${prefix}.${requestBody.mapper.type.className}` }]
      : [],
  );
  const parts = new Set(puts.filter(({ path }) => path.startsWith(at)).map(({ schema }) => schema));
  const made = new Set(puts.map(({ schema }) => schema));
  return [...made].filter((name) => !parts.has(name) && schemas[name]?.id === "string").sort();
}

function etagOf(put: Found, shown: MemberTypes): AzureKind["etag"] {
  if (put.described.headers.includes("if-match")) return "header";
  const { properties } = shown;
  const inside = typeof properties === "object" ? properties : {};
  return (shown.etag ?? shown.eTag ?? shown._etag ?? inside.etag) === undefined ? "none" : "member";
}

function patchOf(patch: Found | undefined, members: (reference: string | null) => MemberTypes): AzureKind["patch"] {
  if (patch === undefined || patch.described.body === null) return "none";
  const names = Object.keys(members(patch.described.body));
  return names.every((name) => name === "tags" || name === "id") ? "tags" : "members";
}

/** Members of a resource, and of its properties, that can be put and not patched. */
function unpatchedIn(
  put: MemberType | null,
  patch: MemberType | null,
  membersOf: (reference: string | null) => MemberTypes,
  within = "",
): string[] {
  const members = (type: MemberType | null) =>
    typeof type === "object" && type !== null
      ? type
      : membersOf(typeof type === "string" ? type.replace(/[!\-=*]+$/, "") : null);
  const patched = members(patch);
  return Object.entries(members(put))
    .filter(isSettable)
    .flatMap(([name, type]) => {
      const pointer = `${within}/${name}`;
      if (patched[name] === undefined) return patched["*"] === undefined ? [pointer] : [];
      return within === "" && name === "properties" ? unpatchedIn(type, patched[name], membersOf, pointer) : [];
    })
    .sort();
}

/** What is shown by calls of its own, with these calls. Nobody can see what has none. */
function withCalls({ apart, inputOnly, ...others }: UnechoedPointers, isCall: (call: string) => boolean) {
  const calls = apart.map((pointer) => [pointer, `config/${pointer.split("/").at(-1)?.toLowerCase()}/list`] as const);
  const unseen = calls.flatMap(([pointer, call]) => (isCall(call) ? [] : [pointer]));
  return {
    ...others,
    inputOnly: [...inputOnly, ...unseen].sort(),
    apart: Object.fromEntries(calls.filter(([, call]) => isCall(call))),
  };
}

/** The members that PATCH doesn't take, with those of what is never shown that lie deeper. */
function withUnechoedIn(
  unpatched: readonly string[],
  { hidden, inputOnly, creationOnly }: Omit<UnechoedPointers, "apart">,
  isPatched: (pointer: string) => boolean,
): string[] {
  const isNew = (pointer: string) =>
    !isPatched(pointer) && !unpatched.some((one) => `${pointer}/`.startsWith(`${one}/`));
  return [...unpatched, ...[...hidden, ...inputOnly, ...creationOnly].filter(isNew)].sort();
}

/** Whether a PUT takes a member. */
function isPut(put: MemberType | null, pointer: string, membersOf: (reference: string | null) => MemberTypes): boolean {
  let at: MemberType | undefined | null = put;
  for (const name of pointer.split("/").slice(1)) {
    const members: MemberTypes =
      typeof at === "object" && at !== null
        ? at
        : membersOf(typeof at === "string" ? at.replace(/[!\-=*]+$/, "") : null);
    at = members[name.replaceAll("~1", "/").replaceAll("~0", "~")];
    if (!isSettable([name, at])) return false;
  }
  return true;
}

/** What Azure alone says of a resource isn't marked as such in every description. */
const azuresOwn = ["id", "etag", "systemData", "*"];

function isSettable([name, type]: readonly [string, MemberType | undefined]): boolean {
  if (type === undefined || azuresOwn.includes(name)) return false;
  return typeof type !== "string" || !type.endsWith(marks.readOnly);
}
