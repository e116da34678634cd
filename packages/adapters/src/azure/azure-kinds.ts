import { azureFacts, type BoundBy, type CloudTarget, type ResourceType } from "@liveplane/core/clouds";
import described from "../../tables/azure.json" with { type: "json" };
import readOnlyItems from "../../tables/azure-read-only-items.json" with { type: "json" };

/** What the tables say of a type, as far as the adapter goes by it. */
export interface AzureKind {
  readonly version: string;
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
  /** Secrets that are never shown; `*` stands for what lists and maps hold. */
  readonly hidden: readonly string[];
  /** What is never shown though it isn't secret, and of that what counts at a creation alone. */
  readonly inputOnly: readonly string[];
  readonly creationOnly: readonly string[];
  /** What is shown by a POST below the resource, and not with it: where that is, by pointer. */
  readonly apart: Readonly<Record<string, string>>;
  /** Where a place in the world is named; `*` stands for what lists hold. */
  readonly places: readonly string[];
  /** Texts that are one of a few words. */
  readonly words: readonly string[];
  /** Plain values with a default that isn't empty. */
  readonly keepsEmpty: readonly string[];
  /** Other resources, of which only the id is ever shown. */
  readonly references: readonly string[];
}

const kinds: ReadonlyMap<string, AzureKind> = new Map(
  Object.entries(described as Readonly<Record<string, AzureKind>>).map(([type, kind]) => [type.toLowerCase(), kind]),
);
const types = new Map<string, ResourceType>();

/** The namespaces of the types that the tables have. */
export const knownNamespaces: readonly string[] = [
  ...new Set(Object.keys(described).map((type) => type.slice(0, type.indexOf("/")))),
];

/** Types in the tables' spelling. */
const spelled: ReadonlyMap<string, string> = new Map(Object.keys(described).map((type) => [type.toLowerCase(), type]));

/** The type that an id names, in the tables' spelling; `null`: they don't have it. */
export function azureTypeOf(resourceId: string): string | null {
  return spelled.get(azureFacts.typeOf(resourceId)?.toLowerCase() ?? "") ?? null;
}

/** A type in the tables' spelling; Resource Graph writes all of them in lower case. */
export function spelledType(type: string): string {
  return spelled.get(type.toLowerCase()) ?? type;
}

/** What is known of a type; `null`: the tables don't have it. */
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

/** The facts of a type: what the core knows of all clouds' types, and what the tables add. */
export function azureResourceType(type: string): ResourceType {
  const name = nameOf(type);
  const known = types.get(name) ?? typeOf(name);
  types.set(name, known);
  return known;
}

/** What binds the writes of a type. Of what no table knows, nothing is promised. */
export function azureBoundBy(kind: AzureKind | null): BoundBy {
  if (kind === null) return { create: "none", properties: "none", tags: "mask" };
  return { create: kind.createsOnly ? "etag" : "none", properties: propertiesOf(kind), tags: "mask" };
}

/** Whether Resource Graph knows it among the resources: parts of others are in none of its tables. */
export function isTracked(type: string): boolean {
  const kind = kindOf(type);
  return kind === null ? nameOf(type).split("/").length === 2 : kind.tags && kind.located;
}

/** A resource group is in a table of its own. */
export function isGroup(type: string): boolean {
  return nameOf(type) === "microsoft.resources/resourcegroups";
}

/** The id of a new resource. A name that was made of a component's path is fitted to what its type lets stand in one. */
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
  const compared = { ...facts, linkOf: azureLinkOf, words: azureWords, omitsEmpty: true, keepsEmpty: onByDefault };
  if (kind === null) return { ...compared, wholeBody: true, boundBy: azureBoundBy(kind) };
  const unpatched = kind.patch === "members" ? kind.unpatched : [];
  const pattern = facts.name ?? patternOf(kind.name, name.split("/").length - 1);
  return {
    ...compared,
    wholeBody: kind.patch !== "members",
    taggable: kind.tags,
    caseless: together(facts.caseless, kind.places, kind.words, skuNames),
    keepsEmpty: together(kind.keepsEmpty, onByDefault),
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

/** Azure compares ids without case, and its services spell each other's in ways of their own. */
function azureLinkOf(text: string): string | null {
  return text.startsWith("/") && isAzureId.test(text) ? text.toLowerCase() : null;
}

const isAzureId = /^\/(subscriptions|providers)\/[^/]+\/./i;

/** As types name what lies at a pointer: a top-level member by its name alone. */
function named(pointer: string): string {
  return /^\/([^/~]+)$/.exec(pointer)?.[1] ?? pointer;
}

function together(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}

/** The pattern of a whole name: of a part, its parents' names come first. */
function patternOf({ pattern, least = 1, most = 90 }: AzureKind["name"], depth: number): RegExp | null {
  if (pattern === undefined && most === 90) return null;
  const own = (pattern ?? "^[^/]+$").replace(/^\^/, "").replace(/\$$/, "");
  const parents = depth > 1 ? `(?:[^/]+/){0,${depth - 1}}` : "";
  return new RegExp(`^${parents}(?=[^/]{${least},${most}}$)(?:${own})$`);
}

/** The end of a name tells it apart and stays; hyphens and capitals go, and as much of the beginning as is too long. */
function fittedTo(name: string, most: number): string {
  const parts = name.toLowerCase().split("-");
  const digest = parts.length > 1 ? (parts.at(-1) ?? "") : "";
  const own = parts.slice(0, parts.length > 1 ? -1 : 1).join("");
  return `${own.slice(0, Math.max(1, most - digest.length))}${digest}`.slice(0, most);
}
