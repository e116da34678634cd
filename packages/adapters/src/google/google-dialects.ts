import {
  isObject,
  type JsonObject,
  type NewResource,
  type ResourceRef,
  resourceIdRefusal,
} from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import kinds from "../../tables/google.json" with { type: "json" };
import { type CloudRequest, elsewhere } from "../cloud-http/cloud-http.ts";
import { changedMembers, googleCreation, labelsOf, mergePatch, nameOf } from "./google-resource.ts";

/** A request to one of Google's services: its path, with the query, behind the service's address. */
export type GoogleRequest = Pick<CloudRequest, "method" | "body"> & { readonly path: string };

/** How one family of Google's services spells what every cloud does. All pure. */
export interface GoogleDialect {
  readonly service: string;
  /** Where a resource is read. */
  read(resourceId: string): GoogleRequest;
  /** The resource in what a read answers; `null`: it isn't there. Absent where a name is one project's alone: then the answer is it. */
  found?(body: JsonObject, resourceId: string): JsonObject | null;
  /** A page of the collection that a resource lies in. */
  list(resourceId: string, pageToken: string | null): GoogleRequest;
  create(resource: NewResource, resourceId: string): GoogleRequest;
  /** What makes one body of the other, in order. */
  changes(resourceId: string, before: JsonObject, after: JsonObject): GoogleRequest[];
  remove(resourceId: string, etag: string | null): GoogleRequest;
  /** What a write can be bound to; `null`: to nothing. */
  etag(body: JsonObject): string | null;
  /** Where an operation that an answer names is watched; `null`: the answer is the resource itself. */
  operation(resourceId: string, body: JsonObject): string | null;
}

/** The way of a resource, by its type's name without version: `storage.v1.bucket` is `storage.bucket`. Ids of no project's are refused. */
export function dialectOf({ type, resourceId }: ResourceRef): GoogleDialect {
  if (!resourceId.startsWith("projects/") || resourceIdRefusal(resourceId) !== null) throw elsewhere();
  const [service = "", version = "", kind = ""] = type.split(".");
  if (service === "storage" && kind === "bucket") return storage;
  if (service === "compute" && described.has(`compute.${kind}`)) return computeService(kind);
  if (designed.has(`${service}.${kind}`) && /^v\d+$/.test(version)) return designedService(service, version, kind);
  throw new LiveplaneError("ProviderError", "This adapter knows no such type of Google's.", {
    details: { reason: "UnknownType" },
  });
}

const described: ReadonlyMap<string, { readonly change: { readonly mask: string } | null }> = new Map(
  Object.entries(kinds),
);

/** The query that names the members that a change is about, where the kind's description has one. */
function maskOf(kind: string, names: readonly string[]): string {
  return query({ updateMask: described.get(kind)?.change?.mask === "query" ? names.join(",") : null });
}

/** Types of services that keep to Google's API design: ids by query, masks for updates, etags in the body, operations. */
const designed: ReadonlySet<string> = new Set([
  "artifactregistry.repository",
  "cloudkms.keyRing",
  "redis.instance",
  "run.job",
  "run.service",
  "workflows.workflow",
]);

/**
 * Cloud Storage: buckets bound by their metageneration. Their names are the whole world's and their addresses name no project, so they are
 * read as their own project lists them: another project's bucket isn't there.
 */
const storage: GoogleDialect = {
  service: "storage",
  read: (resourceId) => ({
    method: "GET",
    path: `/storage/v1/b${query({ project: projectOf(resourceId), prefix: nameOf(resourceId), maxResults: "1" })}`,
  }),
  // Lists are in order: what is called just so comes before what begins so.
  found: (body, resourceId) => itemsOf(body).find(({ name }) => name === nameOf(resourceId)) ?? null,
  list: (resourceId, pageToken) => ({
    method: "GET",
    path: `/storage/v1/b${query({ project: projectOf(resourceId), maxResults: "1000", pageToken })}`,
  }),
  create: (resource, resourceId) => ({
    method: "POST",
    path: `/storage/v1/b${query({ project: projectOf(resourceId) })}`,
    body: { ...googleCreation(resource), name: nameOf(resourceId) },
  }),
  changes(resourceId, before, after) {
    const body = mergePatch(before, after);
    if (Object.keys(body).length === 0) return [];
    return [{ method: "PATCH", path: `${bucketPath(resourceId)}${bound(metagenerationOf(before))}`, body }];
  },
  remove: (resourceId, etag) => ({ method: "DELETE", path: `${bucketPath(resourceId)}${bound(etag)}` }),
  etag: metagenerationOf,
  operation: () => null,
};

const bucketPath = (resourceId: string) => `/storage/v1/b/${encodeURIComponent(nameOf(resourceId))}`;
function metagenerationOf({ metageneration }: JsonObject): string | null {
  return typeof metageneration === "string" ? metageneration : null;
}

const bound = (metageneration: string | null) => query({ ifMetagenerationMatch: metageneration });

/** Compute Engine: labels have a call of their own, bound by a fingerprint; so have the members of many kinds. Deletion is bound by nothing. */
const computeService = (kind: string): GoogleDialect => ({
  service: "compute",
  read: (resourceId) => ({ method: "GET", path: computePath(resourceId) }),
  list: (resourceId, pageToken) => ({
    method: "GET",
    path: `${computePath(parentOf(resourceId))}${query({ maxResults: "500", pageToken })}`,
  }),
  create: (resource, resourceId) => ({
    method: "POST",
    path: computePath(parentOf(resourceId)),
    body: { ...googleCreation(resource), name: nameOf(resourceId) },
  }),
  changes(resourceId, before, after) {
    const { labels, ...members } = changedMembers(before, after);
    const { fingerprint, labelFingerprint } = before;
    const path = computePath(resourceId);
    const isInstance = parentOf(resourceId).endsWith("/instances");
    const binding = fingerprint === undefined ? {} : { fingerprint };
    // Instances are updated whole; all other kinds by what changes.
    const update: GoogleRequest = isInstance
      ? { method: "PUT", path, body: { ...after, labels: labelsOf(before) } }
      : {
          method: "PATCH",
          path: `${path}${maskOf(`compute.${kind}`, Object.keys(members))}`,
          body: { ...members, ...binding },
        };
    const setLabels = { labels: labelsOf(after), ...(labelFingerprint !== undefined && { labelFingerprint }) };
    return [
      ...(Object.keys(members).length > 0 ? [update] : []),
      ...(labels === undefined ? [] : [{ method: "POST", path: `${path}/setLabels`, body: setLabels } as const]),
    ];
  },
  remove: (resourceId) => ({ method: "DELETE", path: computePath(resourceId) }),
  etag: () => null,
  operation(resourceId, { kind, name }) {
    if (kind !== "compute#operation" || typeof name !== "string") return null;
    return `${computePath(parentOf(parentOf(resourceId)))}/operations/${encodeURIComponent(name)}`;
  },
});

const computePath = (resourceId: string) => `/compute/v1/${encoded(resourceId)}`;

function designedService(service: string, version: string, kind: string): GoogleDialect {
  // Ids name the service behind the place, which tells collections of one name apart; its own paths don't.
  const named = new RegExp(`^(projects/[^/]+/locations/[^/]+)/${service}/`);
  const path = (resourceId: string) => `/${version}/${encoded(resourceId.replace(named, "$1/"))}`;
  const etag = (body: JsonObject) => (typeof body.etag === "string" ? body.etag : null);
  return {
    service,
    etag,
    read: (resourceId) => ({ method: "GET", path: path(resourceId) }),
    list: (resourceId, pageToken) => ({
      method: "GET",
      path: `${path(parentOf(resourceId))}${query({ pageSize: "500", pageToken })}`,
    }),
    create: (resource, resourceId) => ({
      method: "POST",
      path: `${path(parentOf(resourceId))}${query({ [`${kind}Id`]: nameOf(resourceId) })}`,
      body: googleCreation(resource),
    }),
    changes(resourceId, before, after) {
      const members = changedMembers(before, after);
      const names = Object.keys(members);
      if (names.length === 0) return [];
      const known = etag(before);
      const body = { ...members, ...(known !== null && { etag: known }) };
      return [{ method: "PATCH", path: `${path(resourceId)}${maskOf(`${service}.${kind}`, names)}`, body }];
    },
    remove: (resourceId, known) => ({ method: "DELETE", path: `${path(resourceId)}${query({ etag: known })}` }),
    operation(_, { name, done }) {
      const isOperation = typeof name === "string" && /(^|\/)operations\/[^/]+$/.test(name);
      return isOperation && (done === undefined || typeof done === "boolean") ? `/${version}/${encoded(name)}` : null;
    },
  };
}

/** What a page of a collection holds: every service has its own name for it. */
export function itemsOf(body: JsonObject): JsonObject[] {
  const items = Object.entries(body).find(([name, value]) => Array.isArray(value) && name !== "unreachable")?.[1];
  return Array.isArray(items) ? items.filter(isObject) : [];
}

/** The collection that a resource lies in. */
export function parentOf(resourceId: string): string {
  return resourceId.slice(0, resourceId.lastIndexOf("/"));
}

/** The project that an id lies in. */
function projectOf(resourceId: string): string {
  return /^projects\/([^/]+)\//.exec(resourceId)?.[1] ?? "";
}

/** A name as a path. What would lead out of it is refused. */
export function encoded(name: string): string {
  if (resourceIdRefusal(name) !== null) throw elsewhere();
  return name.split("/").map(encodeURIComponent).join("/");
}

/** The query of what isn't `null`. */
export function query(parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
