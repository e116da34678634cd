import type { ResourceRef } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import tables from "../../tables/google.json" with { type: "json" };
import { nearIt, nearNames } from "../cloud-http/near-names.ts";

/** A call that changes a single member. */
export interface GoogleSetter {
  /** @default "POST" */
  readonly method?: string;
  /** What follows the resource's path: `setTarget`, `:setAutoscaling`, or nothing. */
  readonly call: string;
  /** Where the value is in the body: `update/desiredLocations`. @default its own name */
  readonly member?: string;
  /** What else the body needs: the nth name of the resource's path, or a value of the resource by its pointer. @default nothing */
  readonly needs?: Readonly<Record<string, string>>;
  readonly at: readonly string[];
}

/** The facts of a Google kind. Paths are below the service's URL, and begin with the service's name. */
export interface GoogleKind {
  readonly version: string;
  /** Where its resources are: one path each for zones, regions and global, as far as they exist. */
  readonly paths: readonly string[];
  /** The name of the collection. */
  readonly collection: string;
  readonly create: {
    readonly method: string;
    /**
     * Where its name is given: `query:serviceId`, `body:name`, or in the path; `whole:name` with all that it is in. A name of two parts is
     * in two members (`body:name,type`); one that is inside another member is written as a path (`body:datasetReference/datasetId`);
     * `held:name` is in the member that holds the resource; `chosen`: the service chooses it.
     */
    readonly name: string;
    /** The body's member that holds the resource; `null` if the body is the resource. */
    readonly body: string | null;
    /** Required query parameters. */
    readonly query: readonly string[];
  } | null;
  /** How members are changed, and where the changed ones are named: in the query, in the body, or not at all. */
  readonly change: {
    readonly method: string;
    readonly mask: "query" | "body" | "none";
    readonly body: string | null;
    /** The paths of the request; a kind may have it in regions but not globally. A name may be in the query. */
    readonly at: readonly string[];
  } | null;
  /** Members with a separate call. */
  readonly setters: Readonly<Record<string, GoogleSetter>>;
  /** `call`: by setLabels; `body`: with the other members; `creation`: only then; `none`. */
  readonly labels: "call" | "body" | "creation" | "none";
  /** The place of the labels. */
  readonly labelsAt: readonly string[];
  /** What follows a resource's path in the call for its labels. @default "/setLabels" */
  readonly labelsCall?: string;
  /** For bindings of IAM policies: how the whole policy is read and written. Calls follow the path of the resource with the policy. */
  readonly policy?: {
    /** Which version is wanted is said in the query, under this name; `null`: in the body. */
    readonly read: { readonly method: string; readonly call: string; readonly version: string | null };
    /** The member of the request that holds the policy; `null`: the request is the policy. */
    readonly write: { readonly method: string; readonly call: string; readonly member: string | null };
  };
  /** The member that changes with each state. */
  readonly etag: "etag" | "fingerprint" | "metageneration" | "none";
  readonly labelFingerprint: boolean;
  /** Query parameters that bind a deletion to a state. */
  readonly boundDeletion: readonly string[];
  /** How a collection is listed: the name of its items, and the query parameter for the page size. */
  readonly list: {
    readonly items: string;
    readonly size: string | null;
    /** One call lists all places: with a dash as the location, or by an aggregated list. @default one call lists one place */
    readonly everywhere?: "dash" | "aggregated";
  } | null;
  /** Writes return an operation to wait for. */
  readonly operations: boolean;
  readonly required: readonly string[];
  readonly immutable: readonly string[];
  readonly readOnly: readonly string[];
  /** Secrets that are never shown; `*` matches every name and index. */
  readonly hidden: readonly string[];
  /** Other values that are never shown, and those of them that count only at creation. */
  readonly inputOnly: readonly string[];
  readonly creationOnly: readonly string[];
  /** Whole numbers that Google writes as strings; `*` matches every name and index. */
  readonly wholeNumbers: readonly string[];
  /** Documented defaults that aren't empty. */
  readonly defaults: Readonly<Record<string, string | number | true>>;
  /** Where changes are named by a mask: maps and values of any form, which a mask names only as a whole. */
  readonly maps: readonly string[];
}

/** A kind with its name. */
export interface NamedKind extends GoogleKind {
  readonly service: string;
  /** Service and kind: `compute.disk`. */
  readonly name: string;
}

const kinds: ReadonlyMap<string, NamedKind> = new Map(
  Object.entries(tables as Readonly<Record<string, GoogleKind>>).map(([name, kind]) => [
    name,
    { ...kind, name, service: name.slice(0, name.indexOf(".")) },
  ]),
);

/** How many parts a kind's own name has: a record of a zone is named by its name and its type. */
export function partsOfName({ paths: [path = ""] }: Pick<GoogleKind, "paths">): number {
  return /(?:\/\{\})+$/.exec(path)?.[0].split("/").slice(1).length ?? 1;
}

/** The services of which kinds are known. */
export const knownServices: ReadonlySet<string> = new Set([...kinds.values()].map(({ service }) => service));

/** All kinds, in the form of types. */
const knownTypes: readonly string[] = [...kinds.values()].map(typeOf);

/** The kind of a type: its service, the version in the tables, its name. */
export function googleKindOf(type: string): NamedKind | null {
  const [service = "", version = "", ...rest] = type.split(".");
  const kind = kinds.get(`${service}.${rest.join(".")}`);
  return kind?.version === version ? kind : null;
}

/** The kind of a resource, which must be known. */
export function knownKind({ type }: Pick<ResourceRef, "type">): NamedKind {
  const kind = googleKindOf(type);
  if (kind !== null) return kind;
  throw new LiveplaneError("ProviderError", unknownType(type), { details: { reason: "UnknownType" } });
}

/** The error for an unknown type, with similar ones. */
export function unknownType(type: string): string {
  const near = nearIt(nearNames(type, knownTypes, wordsIn));
  return `This isn't a known Google type.${near} A type is a service, a version and a kind: storage.v1.bucket.`;
}

/** A type without its version, in lower case and singular. */
function wordsIn(type: string): string {
  return type
    .toLowerCase()
    .replace(/\.v\d+\w*\./, ".")
    .replace(/s$/, "");
}

/** Every kind. */
export const knownKinds: readonly NamedKind[] = [...kinds.values()];

/** The type for a kind. */
export function typeOf({ name, version }: NamedKind): string {
  return name.replace(".", `.${version}.`);
}
