import { type BoundBy, type Cloud, googleFacts, type ResourceType } from "@liveplane/core/clouds";
import { googleKindOf, type NamedKind, unknownType } from "./google-kinds.ts";
import { googleLinkOf } from "./google-links.ts";

const known = new Map<string, ResourceType>();

/** What the tables know of a type; one that they don't know carries no labels, so that nobody waits for one. */
export function googleType(type: string): ResourceType {
  const found = known.get(type) ?? described(type);
  known.set(type, found);
  return found;
}

/** Google's kinds are all in the tables: nobody is asked, and what isn't there can't be made. */
export const describeGoogleTypes: NonNullable<Cloud["describeTypes"]> = async (types) =>
  types.map((type) =>
    googleKindOf(type) === null ? { refused: unknownType(type) } : { taggable: googleType(type).taggable },
  );

function described(type: string): ResourceType {
  const plain = googleFacts.resourceType(type);
  const kind = googleKindOf(type);
  if (kind === null) return plain;
  const creates = kind.create?.query ?? [];
  return {
    ...plain,
    wholeBody: isWrittenWhole(kind),
    taggable: kind.labels !== "none",
    linkOf: googleLinkOf,
    wholeNumbers: kind.wholeNumbers,
    omitsEmpty: true,
    keepsEmpty: keepsEmpty(kind),
    readOnly: kind.readOnly,
    immutable: together(plain.immutable, [...kind.immutable, ...kind.creationOnly].map(named), creates),
    ...(kind.change === null && { changeable: [googleFacts.tagParameter, ...Object.keys(kind.setters)] }),
    writeOnly: together(plain.writeOnly, kind.hidden.map(named)),
    // What is said at creation alone is never given back.
    inputOnly: together([...kind.inputOnly, ...kind.creationOnly].map(named), creates),
    boundBy: boundBy(kind),
  };
}

/** As types name what lies at a pointer: a top-level member by its name alone. */
function named(pointer: string): string {
  return /^\/([^/~]+)$/.exec(pointer)?.[1] ?? pointer;
}

/** What Google switches on by default though the descriptions don't say so, by service. */
const onByDefault: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "compute",
    [
      "/autoCreateSubnetworks",
      "/shieldedInstanceConfig/enableIntegrityMonitoring",
      "/shieldedInstanceConfig/enableVtpm",
    ],
  ],
  ["sqladmin", ["/settings/ipConfiguration/ipv4Enabled"]],
]);

/** Services that don't merge leave out what is false, whatever the default is. */
function keepsEmpty({ service, keepsEmpty: described }: NamedKind): readonly string[] {
  return mergePatched.has(service) ? together(described, onByDefault.get(service) ?? []) : [];
}

function together(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}

/** Services whose PATCH merges what it is sent into what is there, by JSON Merge Patch. */
const mergePatched: ReadonlySet<string> = new Set(["bigquery", "compute", "dns", "sqladmin", "storage"]);

/** Whether a change of this kind names single members, down to a label. */
export function isMergePatched({ service, change }: NamedKind): boolean {
  return mergePatched.has(service) && change?.method === "PATCH" && change.mask === "none";
}

/** Whether a change of this kind is sent as the whole resource. */
export function isWrittenWhole(kind: NamedKind): boolean {
  return kind.change?.mask === "none" && !isMergePatched(kind);
}

/** What binds the writes of a kind: an id that is taken is refused by all. */
function boundBy(kind: NamedKind): BoundBy {
  return { create: "etag", properties: propertiesBoundBy(kind), tags: tagsBoundBy(kind) };
}

function propertiesBoundBy({ change, setters, etag, paths, ...kind }: NamedKind): BoundBy["properties"] {
  const isEverywhere = change !== null && paths.every((path) => change.at.some((at) => at.startsWith(anyName(path))));
  if (change === null) return Object.keys(setters).length > 0 ? "mask" : "none";
  if (etag === "fingerprint" && isEverywhere) return "fingerprint";
  if (etag !== "none" && etag !== "fingerprint") return "etag";
  const namesMembers = change.mask !== "none" || isMergePatched({ change, setters, etag, paths, ...kind });
  return namesMembers ? "mask" : "none";
}

/** A resource's path without its name: a change may be sent to the collection. */
function anyName(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function tagsBoundBy(kind: NamedKind): BoundBy["tags"] {
  const { labels, labelFingerprint, etag } = kind;
  if (labels === "none" || labels === "creation") return "none";
  if (labelFingerprint) return "fingerprint";
  if (etag !== "none") return "etag";
  // Elsewhere a mask names the whole map, and writing it could bring back what a person takes off at that moment.
  return isMergePatched(kind) ? "mask" : "none";
}

/** The names of the members that tell one state of a resource from the next; all that bind a write of it. */
export function marksOf(kind: NamedKind): readonly string[] {
  const { properties, tags } = boundBy(kind);
  return [
    ...(properties === "etag" || properties === "fingerprint" || tags === "etag" ? [kind.etag] : []),
    ...(kind.labelFingerprint ? ["labelFingerprint"] : []),
  ];
}
