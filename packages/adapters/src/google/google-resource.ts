import {
  googleFacts,
  isObject,
  type JsonObject,
  type NewResource,
  type Reading,
  type ResourceChange,
  type SeenResource,
  withTags,
} from "@liveplane/core/clouds";
import { corrected, tagsFrom } from "../cloud-http/cloud-resource.ts";

/** What Google adds to a resource's body by itself, or moves with every write. */
const readOnly = new Set([
  "kind",
  "id",
  "uid",
  "name",
  "labels",
  "etag",
  "fingerprint",
  "labelFingerprint",
  "metageneration",
  "generation",
  "observedGeneration",
  "projectNumber",
  "selfLink",
  "selfLinkWithId",
  "timeCreated",
  "updated",
  "createTime",
  "updateTime",
  "creationTimestamp",
  "creator",
  "lastModifier",
  "reconciling",
]);
const unsettled = new Set([
  "CREATING",
  "DELETING",
  "MAINTENANCE",
  "PENDING",
  "PROVISIONING",
  "REPAIRING",
  "RESTORING",
  "STAGING",
  "STOPPING",
  "SUSPENDING",
  "UPDATING",
]);

const failures = new Set(["FAILED"]);

/** What Google's body of a resource says: it is there, Google is still at it, or has given up. */
export function googleReading(body: JsonObject, resourceId: string, etag: string | null): Reading {
  const resource = seenIn(body, resourceId, etag);
  if (isUnsettled(body)) return { state: "working", resource };
  const failed = [body.status, body.state].find((word) => typeof word === "string" && failures.has(word));
  if (typeof failed !== "string") return { state: "present", ...resource };
  return {
    state: "failed",
    code: failed,
    message: "Google says of the resource that its last write failed.",
    resource,
  };
}

function seenIn(body: JsonObject, resourceId: string, etag: string | null): SeenResource {
  const identity = identityOf(body);
  const parameters = Object.entries(body).filter(([name, value]) => !readOnly.has(name) && value !== null);
  const scalars = parameters.filter(([, value]) => typeof value !== "object");
  return {
    tags: labelsOf(body),
    parameters: Object.fromEntries(parameters),
    outputs: { ...Object.fromEntries(scalars), id: resourceId, name: nameOf(resourceId) },
    ...(identity !== null && { identity }),
    ...(etag !== null && { etag }),
  };
}

/** The last part of an id. */
export function nameOf(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf("/") + 1);
}

/** The body that creates a resource, without its name. Types that carry no labels get none. */
export function googleCreation({ parameters, tags }: Pick<NewResource, "parameters" | "tags">): JsonObject {
  const { labels: declared, ...own } = parameters;
  const labels = withTags(googleFacts, tagsFrom(declared), tags);
  return Object.keys(labels).length === 0 ? own : { ...own, labels };
}

/** What a resource is to be: what it is now, with what is named changed. */
export function googleCorrection(body: JsonObject, change: ResourceChange): JsonObject {
  const { body: own, tags } = corrected(googleFacts, body, change);
  return withLabels(own, tags);
}

/** The body without one label; `null` when it doesn't carry it. */
export function bodyWithoutLabel(body: JsonObject, key: string): JsonObject | null {
  const labels = labelsOf(body);
  return Object.hasOwn(labels, key) ? withLabels(body, withTags(googleFacts, labels, { [key]: null })) : null;
}

/** The labels of a body. */
export function labelsOf({ labels }: JsonObject): Record<string, string> {
  return tagsFrom(labels);
}

/** The JSON Merge Patch (RFC 7396) that makes one value of the other. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, JsonObject[string]> = {};
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const known = before[name];
    if (JSON.stringify(known) === JSON.stringify(value)) continue;
    patch[name] = isObject(known) && isObject(value) ? mergePatch(known, value) : value;
  }
  return patch;
}

/** The top-level members that differ, as they are to be; one that goes is `null`. */
export function changedMembers(before: JsonObject, after: JsonObject): JsonObject {
  const names = Object.keys(mergePatch(before, after));
  return Object.fromEntries(names.map((name) => [name, after[name] ?? null]));
}

function withLabels({ labels: known, ...body }: JsonObject, labels: Record<string, string>): JsonObject {
  return known === undefined && Object.keys(labels).length === 0 ? body : { ...body, labels };
}

function isUnsettled({ reconciling, status, state }: JsonObject): boolean {
  return reconciling === true || [status, state].some((word) => typeof word === "string" && unsettled.has(word));
}

/** What tells incarnations apart: an id that is never given again, else the time of creation. */
function identityOf({ uid, id, timeCreated, createTime, creationTimestamp }: JsonObject): string | null {
  const numeric = typeof id === "string" && /^\d+$/.test(id) ? id : null;
  const found = [uid, numeric, timeCreated, createTime, creationTimestamp].find((one) => typeof one === "string");
  return typeof found === "string" ? found : null;
}
