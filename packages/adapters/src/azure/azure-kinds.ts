import { azureFacts, type BoundBy, type CloudTarget, type ResourceType } from "@liveplane/core/clouds";
import described from "../../tables/azure.json" with { type: "json" };
import readOnlyItems from "../../tables/azure-read-only-items.json" with { type: "json" };

/** The tables' facts about a type that the adapter uses. */
export interface AzureKind {
  readonly version: string;
  readonly path: string;
  readonly name: { readonly pattern?: string; readonly least?: number; readonly most?: number };
  readonly tags: boolean;
  readonly located: boolean;
  readonly listed: boolean;
  readonly ifMatch: readonly string[];
  readonly createsOnly: boolean;
  readonly patch: string;
  readonly unpatched: readonly string[];
  readonly statuses: Readonly<Record<string, readonly number[] | undefined>>;
  readonly required: readonly string[];
  readonly readOnly: readonly string[];
  readonly immutable: readonly string[];
  /** Secrets that are never shown; `*` matches every name and index. */
  readonly hidden: readonly string[];
  /** Other values that are never shown, and those of them that count only at creation. */
  readonly inputOnly: readonly string[];
  readonly creationOnly: readonly string[];
  /** What a POST below the resource shows instead of the resource: the call, by pointer. */
  readonly apart: Readonly<Record<string, string>>;
  /** Places that name a location; `*` matches every index. */
  readonly places: readonly string[];
  /** Texts that are one of a few words. */
  readonly words: readonly string[];
  /** Plain values with a default that isn't empty. */
  readonly defaults: Readonly<Record<string, string | number | true>>;
  /** Other resources, of which only the id is ever shown. */
  readonly references: readonly string[];
}

const kinds: ReadonlyMap<string, AzureKind> = new Map(
  Object.entries(described as Readonly<Record<string, AzureKind>>).map(([type, kind]) => [type.toLowerCase(), kind]),
);
const types = new Map<string, ResourceType>();

/** The namespaces of the types in the tables. */
export const knownNamespaces: readonly string[] = [
  ...new Set(Object.keys(described).map((type) => type.slice(0, type.indexOf("/")))),
];

/** Types in the tables' spelling. */
const spelled: ReadonlyMap<string, string> = new Map(Object.keys(described).map((type) => [type.toLowerCase(), type]));

/** The type that an ID names, in the tables' spelling; `null` if they don't have it. */
export function azureTypeOf(resourceId: string): string | null {
  return spelled.get(azureFacts.typeOf(resourceId)?.toLowerCase() ?? "") ?? null;
}

/** A list of resources that are inside another one. */
export interface ListInside {
  readonly type: string;
  /** Its path below the resource around it: `subnets`, or `blobServices/default/containers`. */
  readonly at: string;
}

/** The lists inside resources of a type, of kinds in the tables. What Azure lists like other resources has none. */
export function listsInside(type: string): readonly ListInside[] {
  return inside.get(nameOf(type)) ?? [];
}

const inside: ReadonlyMap<string, readonly ListInside[]> = Map.groupBy(
  Object.keys(described).flatMap((type) => listOf(type) ?? []),
  ({ around }) => around,
);

/** The types with lists inside them, in lower case. */
export const typesAround: readonly string[] = [...inside.keys()];

/** Where resources of a type are listed, and the nearest type around them that the tables have. */
function listOf(type: string): (ListInside & { readonly around: string }) | null {
  const kind = kindOf(type);
  const steps = nameOf(type).split("/");
  const depth = steps.findLastIndex((_, at) => at > 1 && kinds.has(steps.slice(0, at).join("/")));
  if (depth === -1 || !kind?.listed || isTracked(type)) return null;
  const path = kind.path.slice(kind.path.indexOf("/providers/") + 1).split("/");
  // `providers`, the namespace, and each kind with its name.
  return { type, around: steps.slice(0, depth).join("/"), at: path.slice(2 * depth, -1).join("/") };
}

/** A type in the tables' spelling; Resource Graph writes all types in lower case. */
export function spelledType(type: string): string {
  return spelled.get(type.toLowerCase()) ?? type;
}

/** The facts of a type; `null` if the tables don't have it. */
export function kindOf(type: string): AzureKind | null {
  return kinds.get(nameOf(type)) ?? null;
}

const inItems: Readonly<Record<string, readonly string[]>> = readOnlyItems;

/** What only Azure sets in the lists and maps of a type. It shows that, and may refuse it in a body. */
export function readOnlyItemsOf(type: string): readonly string[] {
  return inItems[spelledType(type.split("@", 1)[0] ?? type)] ?? [];
}

/** The API version that a type names, `Microsoft.Network/virtualNetworks@2024-05-01`, or that its description was read from. */
export function apiVersionOf(type: string): string {
  return type.split("@")[1] ?? kindOf(type)?.version ?? "2021-04-01";
}

/** The facts of a type: the core's for all clouds, and the tables' additions. */
export function azureResourceType(type: string): ResourceType {
  const name = nameOf(type);
  const known = types.get(name) ?? typeOf(name);
  types.set(name, known);
  return known;
}

/** How the writes of a type are bound. Nothing is promised for a type outside the tables. */
export function azureBoundBy(kind: AzureKind | null): BoundBy {
  if (kind === null) return { create: "none", properties: "none", tags: "mask" };
  return { create: kind.createsOnly ? "etag" : "none", properties: propertiesOf(kind), tags: "mask" };
}

/** Whether Resource Graph lists it: parts of other resources are in none of its tables. */
export function isTracked(type: string): boolean {
  const kind = kindOf(type);
  return kind === null ? nameOf(type).split("/").length === 2 : kind.tags && kind.located;
}

/** A resource group is in a separate table. */
export function isGroup(type: string): boolean {
  return nameOf(type) === "microsoft.resources/resourcegroups";
}

/** The ID of a new resource. A name derived from a component's path is adjusted to its type's naming rules. */
export function azureResourceId(type: string, name: string, target: CloudTarget): string {
  const { name: pattern } = azureResourceType(type);
  if (pattern === undefined || pattern.test(name)) return azureFacts.resourceIdFor(type, name, target);
  const fitted = [kindOf(type)?.name.most ?? 63, 24].map((most) => fittedTo(name, most));
  return azureFacts.resourceIdFor(type, fitted.find((one) => pattern.test(one)) ?? name, target);
}

function nameOf(type: string): string {
  return (type.split("@", 1)[0] ?? type).toLowerCase();
}

function propertiesOf({ patch, ifMatch }: AzureKind): BoundBy["properties"] {
  if (patch === "members") return ifMatch.includes("PATCH") ? "etag" : "mask";
  return ifMatch.includes("PUT") ? "etag" : "none";
}

function typeOf(name: string): ResourceType {
  const facts = azureFacts.resourceType(name);
  const kind = kinds.get(name) ?? null;
  const compared = {
    ...facts,
    linkOf: azureLinkOf,
    words: azureWords,
    omitsEmpty: true,
    keepsEmpty: onByDefault,
    filled: chosenByAzure,
  };
  if (kind === null) return { ...compared, wholeBody: true, boundBy: azureBoundBy(kind) };
  const unpatched = kind.patch === "members" ? kind.unpatched : [];
  const pattern = facts.name ?? patternOf(kind.name, name.split("/").length - 1);
  return {
    ...compared,
    declaredAs: `${spelledType(name)}@${kind.version}`,
    wholeBody: kind.patch !== "members",
    taggable: kind.tags,
    caseless: together(facts.caseless, kind.places, kind.words, skuNames),
    keepsEmpty: together(Object.keys(kind.defaults), onByDefault),
    defaults: kind.defaults,
    sets: together(facts.sets, Object.keys(kind.apart)),
    sensitive: Object.keys(kind.apart).map((pointer) => `${pointer}/*/value`),
    immutable: together(facts.immutable, [...kind.immutable, ...kind.creationOnly, ...unpatched].map(named)).filter(
      (one) => one !== "tags",
    ),
    writeOnly: together(facts.writeOnly, kind.hidden.map(named)),
    inputOnly: [...[...kind.inputOnly, ...kind.creationOnly].map(named), ...kind.references.flatMap(besidesId)],
    boundBy: azureBoundBy(kind),
    ...(pattern && { name: pattern }),
  };
}

/** Descriptions call most of them texts. */
const skuNames = ["/sku/name", "/properties/sku/name"];

/** What a client may send of a resource that it only refers to. */
function besidesId(reference: string): string[] {
  return ["etag", "location", "name", "properties", "sku", "tags", "type", "zones"].map(
    (name) => `${reference}/${name}`,
  );
}

/**
 * What Azure calls members that hold one of a few words. It compares these without case, and many services change their case. The tables
 * have the words that descriptions list. This is for types that aren't in the tables, and for `kind`, `tier` and others that descriptions
 * call texts.
 */
const azureWords =
  /^(access|caching|direction|family|kind|mode|priority|protocol|tier)$|(Access|Kind|Method|Mode|Option|Plugin|Policy|Redundancy|Sku|State|Tier|Type)$/;

/** What Azure switches on by default though the descriptions don't say so. */
const onByDefault = [
  "/properties/allowBlobPublicAccess",
  "/properties/allowVirtualNetworkAccess",
  "/properties/clientAffinityEnabled",
  "/properties/enabled",
  "/properties/enableRBAC",
  "/properties/osProfile/allowExtensionOperations",
  "/properties/virtualMachineProfile/osProfile/allowExtensionOperations",
];

/** Lists that Azure fills where they are left out or empty, as its examples of networks with service endpoints show. */
const chosenByAzure = [
  "/properties/serviceEndpoints/*/locations",
  "/properties/subnets/*/properties/serviceEndpoints/*/locations",
];

/** Azure compares IDs without case, and its services spell each other's IDs differently. */
function azureLinkOf(text: string): string | null {
  return text.startsWith("/") && isAzureId.test(text) ? text.toLowerCase() : null;
}

const isAzureId = /^\/(subscriptions|providers)\/[^/]+\/./i;

/** The type's name for the place at a pointer: a top-level member has just its name. */
function named(pointer: string): string {
  return /^\/([^/~]+)$/.exec(pointer)?.[1] ?? pointer;
}

function together(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}

/** The pattern of a full name: a nested resource's name starts with its parents'. */
function patternOf({ pattern, least = 1, most = 90 }: AzureKind["name"], depth: number): RegExp | null {
  if (pattern === undefined && most === 90) return null;
  const own = (pattern ?? "^[^/]+$").replace(/^\^/, "").replace(/\$$/, "");
  const parents = depth > 1 ? `(?:[^/]+/){0,${depth - 1}}` : "";
  return new RegExp(`^${parents}(?=[^/]{${least},${most}}$)(?:${own})$`);
}

/** The end of a name makes it unique and stays; hyphens and capitals are removed, and the beginning is shortened. */
function fittedTo(name: string, most: number): string {
  const parts = name.toLowerCase().split("-");
  const digest = parts.length > 1 ? (parts.at(-1) ?? "") : "";
  const own = parts.slice(0, parts.length > 1 ? -1 : 1).join("");
  return `${own.slice(0, Math.max(1, most - digest.length))}${digest}`.slice(0, most);
}
