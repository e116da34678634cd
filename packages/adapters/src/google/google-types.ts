import { type BoundBy, type Cloud, googleFacts, type ResourceType } from "@liveplane/core/clouds";
import { bindingName, isNameChosen } from "./google-ids.ts";
import { googleKindOf, type NamedKind, unknownType } from "./google-kinds.ts";
import { googleLinkOf } from "./google-links.ts";

const known = new Map<string, ResourceType>();

/** The tables' facts about a type. An unknown type has no labels, so that nobody waits for one. */
export function googleType(type: string): ResourceType {
  const found = known.get(type) ?? described(type);
  known.set(type, found);
  return found;
}

/** All Google kinds are in the tables, so nothing is asked, and other types can't be created. */
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
    // IAM shows the addresses of accounts in lower case, and members in an order of its own.
    ...(kind.policy !== undefined && { sets: ["/members"], caseless: ["/members/*"], name: bindingName }),
    linkOf: googleLinkOf,
    wholeNumbers: kind.wholeNumbers,
    omitsEmpty: true,
    undecided: unspecified,
    keepsEmpty: keepsEmpty(kind),
    defaults: kind.defaults,
    readOnly: isNameChosen(kind) ? [...kind.readOnly, "/name"] : kind.readOnly,
    immutable: together(plain.immutable, [...kind.immutable, ...kind.creationOnly].map(named), creates),
    ...(kind.change === null && { changeable: [googleFacts.tagParameter, ...Object.keys(kind.setters)] }),
    writeOnly: together(plain.writeOnly, kind.hidden.map(named)),
    // What counts only at creation is never returned.
    inputOnly: together([...kind.inputOnly, ...kind.creationOnly].map(named), creates),
    boundBy: boundBy(kind),
  };
}

/** The first word of Google's enums, which stands for the default. */
const unspecified = /^[A-Z][A-Z0-9_]*_UNSPECIFIED$/;

/** The type's name for the place at a pointer: a top-level member has just its name. */
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
function keepsEmpty({ service, defaults }: NamedKind): readonly string[] {
  return mergePatched.has(service) ? together(Object.keys(defaults), onByDefault.get(service) ?? []) : [];
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

/** What binds the writes of a kind: an ID that is taken is refused by all. */
function boundBy(kind: NamedKind): BoundBy {
  return { create: isNameChosen(kind) ? "none" : "etag", properties: propertiesBoundBy(kind), tags: tagsBoundBy(kind) };
}

function propertiesBoundBy({ change, setters, etag, paths, ...kind }: NamedKind): BoundBy["properties"] {
  const isEverywhere = change !== null && paths.every((path) => change.at.some((at) => at.startsWith(anyName(path))));
  if (change === null) return Object.keys(setters).length > 0 ? "mask" : "none";
  if (etag === "fingerprint" && isEverywhere) return "fingerprint";
  if (etag !== "none" && etag !== "fingerprint") return "etag";
  const namesMembers = change.mask !== "none" || isMergePatched({ change, setters, etag, paths, ...kind });
  return namesMembers ? "mask" : "none";
}

/** A resource's path without its name, because a change may be sent to the collection. */
function anyName(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function tagsBoundBy(kind: NamedKind): BoundBy["tags"] {
  const { labels, labelFingerprint, etag } = kind;
  if (labels === "none" || labels === "creation") return "none";
  if (labelFingerprint) return "fingerprint";
  if (etag !== "none") return "etag";
  // Elsewhere a mask names the whole map, and writing it could restore what a person removes at that moment.
  return isMergePatched(kind) ? "mask" : "none";
}

/** The members that change with each state of a resource and bind its writes. */
export function marksOf(kind: NamedKind): readonly string[] {
  const { properties, tags } = boundBy(kind);
  return [
    ...(properties === "etag" || properties === "fingerprint" || tags === "etag" ? [kind.etag] : []),
    ...(kind.labelFingerprint ? ["labelFingerprint"] : []),
  ];
}
