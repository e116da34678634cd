import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AzureKind } from "../../tables/azure-tables.ts";
import type { DescribedOperation, MemberType, MemberTypes } from "../../tables/described-api.ts";
import { descriptionOf } from "../descriptions/descriptions.ts";
import { isObject } from "../descriptions/judge-members.ts";

/** An object of JSON. */
export type Body = Record<string, unknown>;

/** A type as the double knows it: what its description says, and nothing of the adapter. */
export interface DoubleKind extends AzureKind {
  /** `Microsoft.Web/sites`, as Azure spells it. */
  readonly type: string;
  /** Members of a resource as a GET shows it, and of its properties. */
  readonly shown: MemberTypes;
  readonly properties: MemberTypes;
}

const described = JSON.parse(readFileSync(join(import.meta.dirname, "../../tables/azure.json"), "utf8")) as Readonly<
  Record<string, AzureKind>
>;
const { schemas, at } = descriptionOf("azure");

const doubleKinds: ReadonlyMap<string, DoubleKind> = new Map(
  Object.entries(described).map(([type, kind]) => {
    const get = at(kind.path.replaceAll(/\{[^}]*\}/g, "x")).find(({ method }) => method === "GET");
    const shown = membersOf(get?.answers["200"] ?? "any");
    return [type.toLowerCase(), { ...kind, type, shown, properties: membersOf(shown.properties ?? "any") }];
  }),
);

/** A type that a resource provider offers beside those that are described. */
export interface OfferedType {
  /** With its namespace. */
  readonly type: string;
  readonly versions: readonly string[];
  readonly taggable: boolean;
}

/** The types of a namespace that are described, as its resource provider tells of them. */
export function namespaceKinds(namespace: string) {
  return [...doubleKinds.values()]
    .filter(({ type }) => type.split("/", 1)[0]?.toLowerCase() === namespace.toLowerCase())
    .map(({ type, version, tags }) => ({ type, versions: [version], taggable: tags }));
}

/** What lies at a path: a resource of a type, or all of a type that lie in one parent. */
export interface Addressed {
  readonly kind: DoubleKind;
  readonly id: string;
  readonly isCollection: boolean;
}

/** Takes a path apart as Azure does: pairs of kind and name behind the last `providers`. */
export function addressed(path: string, offered: readonly OfferedType[] = []): Addressed | null {
  const group = /^\/subscriptions\/[^/]+\/resourceGroups(\/[^/]+)?$/i.exec(path);
  const parts = group ? [] : (/.*\/providers\/(.+)$/i.exec(path)?.[1]?.split("/") ?? []);
  const type = group
    ? "Microsoft.Resources/resourceGroups"
    : [parts[0], ...parts.slice(1).filter((_, index) => index % 2 === 0)].join("/");
  const kind = doubleKinds.get(type.toLowerCase()) ?? undescribed(type, offered);
  return kind === undefined
    ? null
    : { kind, id: path, isCollection: group ? group[1] === undefined : parts.length % 2 === 0 };
}

/** A type of which nothing is known but what its resource provider tells: whole bodies alone, and no etag. */
function undescribed(type: string, offered: readonly OfferedType[]): DoubleKind | undefined {
  const own = offered.find((one) => one.type.toLowerCase() === type.toLowerCase());
  const [any] = doubleKinds.values();
  if (own === undefined || any === undefined) return undefined;
  const nothing = { ifMatch: [], createsOnly: false, operations: [], etag: "none", patch: "none" } as const;
  const statuses = { PUT: [200, 201], GET: [200], DELETE: [200, 204] };
  const members = { shown: { tags: "any" }, properties: { provisioningState: "string" } };
  return { ...any, ...nothing, ...members, type: own.type, tags: own.taggable, statuses };
}

/** What of a value the description of an answer knows. */
export function pruned(type: MemberType | null, value: unknown): unknown {
  if (type === null || value === undefined) return undefined;
  const bare = typeof type === "string" ? type.replace(/[!\-=*]+$/, "") : type;
  if (value === null || bare === "any") return value;
  if (typeof bare === "string" && bare.startsWith("[]"))
    return Array.isArray(value) ? value.map((item) => pruned(bare.slice(2), item)) : value;
  if (typeof bare === "string" && bare.startsWith("{}"))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, pruned(bare.slice(2), item)]));
  const members = membersOf(bare);
  if (!isObject(value) || (typeof bare === "string" && !bare.startsWith("#"))) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const own = Object.hasOwn(members, name) ? members[name] : members["*"];
      return own === undefined || isHidden(own) ? [] : [[name, pruned(own, item)]];
    }),
  );
}

/** The type of an answer's body; `null`: it has none, or isn't described. */
export function answerType(operation: DescribedOperation | null, status: number): string | null {
  return operation?.answers[String(status)] ?? null;
}

/** A body after a JSON Merge Patch. */
export function mergedBody(body: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Body = isObject(body) ? { ...body } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergedBody(result[name], value);
  }
  return result;
}

function membersOf(type: MemberType): MemberTypes {
  if (typeof type === "object") return type;
  return type.startsWith("#") ? (schemas[type.slice(1).replace(/[!\-=*]+$/, "")] ?? {}) : {};
}

function isHidden(type: MemberType): boolean {
  return typeof type === "string" && (/[!\-=*]+$/.exec(type)?.[0].includes("*") ?? false);
}
