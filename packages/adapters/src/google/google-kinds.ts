import type { ResourceRef } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import tables from "../../tables/google.json" with { type: "json" };
import { nearIt, nearNames } from "../cloud-http/near-names.ts";

/** What is known of a kind of Google's. Paths are behind the service's address, and begin with the service's name. */
export interface GoogleKind {
  readonly version: string;
  /** Where resources lie: one path for each of a zone, a region and the whole world that has them. */
  readonly paths: readonly string[];
  /** What the collection is called. */
  readonly collection: string;
  readonly create: {
    readonly method: string;
    /**
     * Where its name is given: `query:serviceId`, `body:name`, or in the path; `whole:name` with all that it is in. A name of two parts is
     * in two members (`body:name,type`); one that is inside another member is written as a path (`body:datasetReference/datasetId`).
     */
    readonly name: string;
    /** The member of the body that the resource stands in; `null`: the body is the resource. */
    readonly body: string | null;
    /** What else must be in the query. */
    readonly query: readonly string[];
  } | null;
  /** How members are changed, and where those that change are named: in the query, beside them in the body, or nowhere. */
  readonly change: {
    readonly method: string;
    readonly mask: "query" | "body" | "none";
    readonly body: string | null;
    /** What it is sent to; a kind may have it in regions and not for the whole world. A name may stand in the query. */
    readonly at: readonly string[];
  } | null;
  /** Members that have a call of their own, by what it is called and where it is. */
  readonly setters: Readonly<Record<string, { readonly call: string; readonly at: readonly string[] }>>;
  /** `call`: by setLabels; `body`: with the other members; `creation`: then alone; `none`. */
  readonly labels: "call" | "body" | "creation" | "none";
  /** Where they stand. */
  readonly labelsAt: readonly string[];
  /** The member that tells one state from the next. */
  readonly etag: "etag" | "fingerprint" | "metageneration" | "none";
  readonly labelFingerprint: boolean;
  /** Names in the query that bind a deletion to a state. */
  readonly boundDeletion: readonly string[];
  /** How a collection is listed: what its page is called, and the query that says how long it is. */
  readonly list: { readonly items: string; readonly size: string | null } | null;
  /** Writes answer with an operation that is waited for. */
  readonly operations: boolean;
  readonly required: readonly string[];
  readonly immutable: readonly string[];
  readonly readOnly: readonly string[];
  /** Secrets that are never shown; `*` stands for what lists and maps hold. */
  readonly hidden: readonly string[];
  /** What is never shown though it isn't secret, and of that what counts at a creation alone. */
  readonly inputOnly: readonly string[];
  readonly creationOnly: readonly string[];
  /** Whole numbers that Google writes as texts; `*` stands for what lists and maps hold. */
  readonly wholeNumbers: readonly string[];
  /** Switches that are on by default. */
  readonly keepsEmpty: readonly string[];
}

/** A kind, and what it is called. */
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

/** All kinds, as types name them. */
const knownTypes: readonly string[] = [...kinds.values()].map(typeOf);

/** The kind of a type: its service, the version that the tables know, its name. */
export function googleKindOf(type: string): NamedKind | null {
  const [service = "", version = "", ...rest] = type.split(".");
  const kind = kinds.get(`${service}.${rest.join(".")}`);
  return kind?.version === version ? kind : null;
}

/** The kind of a resource that has to be known. */
export function knownKind({ type }: Pick<ResourceRef, "type">): NamedKind {
  const kind = googleKindOf(type);
  if (kind !== null) return kind;
  throw new LiveplaneError("ProviderError", unknownType(type), { details: { reason: "UnknownType" } });
}

/** What is said of a type that isn't known: which are near. */
export function unknownType(type: string): string {
  const near = nearIt(nearNames(type, knownTypes, wordsIn));
  return `This isn't a known Google type.${near} A type is a service, a version and a kind: storage.v1.bucket.`;
}

/** A type without its version, in lower case and the singular. */
function wordsIn(type: string): string {
  return type
    .toLowerCase()
    .replace(/\.v\d+\w*\./, ".")
    .replace(/s$/, "");
}

/** Every kind. */
export const knownKinds: readonly NamedKind[] = [...kinds.values()];

/** A kind as types name it. */
export function typeOf({ name, version }: NamedKind): string {
  return name.replace(".", `.${version}.`);
}
