import {
  isObject,
  type JsonObject,
  type NewResource,
  resourceIdRefusal,
  valueAt,
  withValuesAt,
} from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { type CloudRequest, elsewhere } from "../cloud-http/cloud-http.ts";
import { withoutPointers } from "../cloud-http/cloud-resource.ts";
import { labelsIn, mergePatch, withLabelsAt, withTexts } from "./google-bodies.ts";
import { filled, listedName, nameOf, ownNameOf, type PlacedResource, projectOf } from "./google-ids.ts";
import { type GoogleSetter, type NamedKind, partsOfName } from "./google-kinds.ts";
import { isMergePatched, isWrittenWhole } from "./google-types.ts";

/** A request to one of Google's services: the path and query below the service's URL. */
export type GoogleRequest = Pick<CloudRequest, "method" | "body" | "changes"> & { readonly path: string };

/** An encoded name as a path. Anything that would leave the path is refused. */
export function encoded(name: string): string {
  if (resourceIdRefusal(name) !== null) throw elsewhere();
  return name.split("/").map(encodeURIComponent).join("/");
}

/** The query of all values that aren't `null`. */
export function query(parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** The path of a resource below its service's URL. */
function pathOf({ kind, path, values }: PlacedResource): string {
  // Bucket paths don't contain their project.
  const own = kind.service === "storage" ? values.slice(1) : values;
  return filled(path.replace(`/${kind.service}/`, "/"), own.map(encodeURIComponent));
}

function collectionOf(placed: PlacedResource): string {
  return pathOf(placed).split("/").slice(0, -partsOfName(placed.kind)).join("/");
}

/**
 * How to read a resource. Bucket names are global and their paths contain no project, so buckets are read through their own project's list:
 * another project's bucket doesn't exist here.
 */
export function readRequest(placed: PlacedResource): GoogleRequest {
  const { kind, resourceId } = placed;
  if (kind.policy !== undefined) return policyRequest(placed, kind.policy);
  if (kind.name !== "storage.bucket") return { method: "GET", path: pathOf(placed) };
  const asked = { project: projectOf(resourceId), prefix: nameOf(resourceId), maxResults: "1" };
  return { method: "GET", path: `${collectionOf(placed)}${query(asked)}` };
}

/** The most that each of the list calls accepts. */
export const mostOnAPage = 500;

/** A page of a resource's collection; `null` if it can't be listed. */
export function listRequest(placed: PlacedResource, pageToken: string | null): GoogleRequest | null {
  const { kind, resourceId } = placed;
  if (kind.policy !== undefined) return policyRequest(placed, kind.policy);
  if (kind.list === null) return null;
  const project = kind.name === "storage.bucket" ? projectOf(resourceId) : null;
  const size = kind.list.size === null ? {} : { [kind.list.size]: String(mostOnAPage), pageToken };
  return { method: "GET", path: `${collectionOf(placed)}${query({ project, ...size })}` };
}

/** How to read the IAM policy that a binding is in. Only version 3 shows conditions. */
function policyRequest(placed: PlacedResource, { read }: NonNullable<NamedKind["policy"]>): GoogleRequest {
  const { call, version } = read;
  const path = `${policyHolder(placed)}${call}${query(version === null ? {} : { [version]: "3" })}`;
  if (read.method === "GET") return { method: "GET", path };
  const body = version === null && { body: { options: { requestedPolicyVersion: 3 } } };
  return { method: "POST", path, ...body, changes: false };
}

/** How to write an IAM policy, bound to the state that it was read in. */
export function policyWrite(placed: PlacedResource, policy: JsonObject): GoogleRequest {
  const { write } = placed.kind.policy ?? {};
  if (write === undefined) throw notDone("Only resources with an IAM policy have bindings.");
  const body = write.member === null ? policy : { [write.member]: policy };
  return { method: write.method as GoogleRequest["method"], path: `${policyHolder(placed)}${write.call}`, body };
}

/** The path of the resource whose policy a binding is in. */
function policyHolder(placed: PlacedResource): string {
  return pathOf(placed).replace(/\/iamBindings\/[^/]+$/, "");
}

/** A page of a project's resources of a kind, in all places at once. */
export function aggregatedRequest({ kind, resourceId }: PlacedResource, pageToken: string | null): GoogleRequest {
  const path = `/compute/${kind.version}/projects/${encoded(projectOf(resourceId))}/aggregated/${kind.collection}`;
  return { method: "GET", path: `${path}${query({ maxResults: String(mostOnAPage), pageToken })}` };
}

/** How to create a resource. Types without labels get none. */
export function creationRequest(placed: PlacedResource, resource: NewResource): GoogleRequest {
  const { kind, resourceId } = placed;
  if (kind.create === null) throw notDone(`Resources of type ${kind.name} can't be created.`);
  const { labels: declared, ...own } = withTexts(kind, resource.parameters);
  const apart = new Set(kind.create.query);
  const parameters = Object.fromEntries(Object.entries(own).filter(([name]) => !apart.has(name)));
  const labels = { ...labelsIn({ labels: declared ?? {} }, ["labels"]), ...resource.tags };
  const carries = kind.labels !== "none" && Object.keys(labels).length > 0;
  const held = withoutPointers(carries ? withLabelsAt(parameters, kind.labelsAt, labels) : parameters, kind.readOnly);
  const [where, member = ""] = kind.create.name.split(":");
  const name = kind.name === "iam.serviceAccount" ? nameOf(resourceId).replace(/@.*$/, "") : nameOf(resourceId);
  const given = Object.fromEntries(kind.create.query.map((one) => [one, textOf(own[one])]));
  const asked = query({
    project: kind.name === "storage.bucket" ? projectOf(resourceId) : null,
    ...given,
    ...(where === "query" && { [member]: name }),
  });
  const path = where === "path" ? pathOf(placed) : collectionOf(placed);
  // Some want their whole name in the body, wherever else it is given.
  const isWhole = where === "whole" || kind.required.includes("/name");
  const wholeName = isWhole ? { name: ownNameOf(placed) } : {};
  const named = where === "body" ? namedIn(member, partsOfName(kind) === 1 ? name : listedName(placed)) : wholeName;
  const inside = where === "held" ? { ...held, [member]: name } : held;
  const body = kind.create.body === null ? { ...held, ...named } : { ...named, [kind.create.body]: inside };
  return { method: kind.create.method as GoogleRequest["method"], path: `${path}${asked}`, body };
}

/** A name in the members that hold it: in two, or inside another one. */
function namedIn(members: string, name: string): JsonObject {
  const [holder = "", inside] = members.split("/");
  if (inside !== undefined) return { [holder]: { [inside]: name } };
  const parts = members.split(",");
  return parts.length === 1
    ? { [members]: name }
    : Object.fromEntries(name.split("/").map((part, at) => [parts[at], part]));
}

function textOf(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}

/** The members to send again unchanged after a failed write: those that every resource of the kind must have. */
export function retriedMembers({ required, setters, change }: NamedKind, body: JsonObject): string[] {
  const tops = new Set(change === null ? [] : required.map((pointer) => pointer.split("/")[1] ?? ""));
  return [...tops].filter((name) => name !== "name" && name in body && !(name in setters));
}

/** Requests a resource's required members again. */
export function requestsOnceMore(placed: PlacedResource, body: JsonObject): GoogleRequest[] {
  const names = retriedMembers(placed.kind, body);
  return names.length === 0 ? [] : [patchRequest(placed, { before: body, after: body, patch: body, names })];
}

/** The requests that turn one body into the other, in order. Labels are left out if they have a separate call. */
export function changeRequests(placed: PlacedResource, before: JsonObject, after: JsonObject): GoogleRequest[] {
  const { kind } = placed;
  const byCall = kind.labels === "call";
  const unchanged = byCall ? withLabelsAt(after, kind.labelsAt, labelsIn(before, kind.labelsAt)) : after;
  const patch = mergePatch(before, unchanged);
  const setters = Object.entries(kind.setters).filter(
    ([member, { at }]) => member in patch && at.includes(placed.path),
  );
  const { [kind.etag]: mark } = before;
  const requests = setters.map(([member, setter]): GoogleRequest => {
    const { method = "POST", call } = setter;
    // Of all calls for one member, only this one accepts a fingerprint.
    const isBound = call === "setNamedPorts" && mark !== undefined;
    const body = setterBody(setter, member, { placed, before, value: unchanged[member] ?? null });
    const path = `${pathOf(placed)}${/^(:|$)/.test(call) ? "" : "/"}${call}`;
    return {
      method: method as GoogleRequest["method"],
      path,
      body: { ...body, ...(isBound && { fingerprint: mark }) },
    };
  });
  const own = new Set(setters.map(([member]) => member));
  const names = Object.keys(patch).filter((name) => !own.has(name));
  if (names.length > 0) requests.push(patchRequest(placed, { before, after: unchanged, patch, names }));
  if (byCall && JSON.stringify(sorted(before, kind.labelsAt)) !== JSON.stringify(sorted(after, kind.labelsAt)))
    requests.push(labelsRequest(placed, before, labelsIn(after, kind.labelsAt)));
  return requests;
}

interface SetValue {
  readonly placed: PlacedResource;
  readonly before: JsonObject;
  readonly value: JsonObject[string];
}

function setterBody({ member: at, needs = {} }: GoogleSetter, member: string, of: SetValue): JsonObject {
  const { placed, before, value } = of;
  const [holder = member, inside] = (at ?? member).split("/");
  const needed = Object.entries(needs).map(([name, from]) => {
    const found = from.startsWith("/") ? valueAt(before, from) : placed.values[Number(from)];
    return [name, found ?? null] as const;
  });
  return { ...Object.fromEntries(needed), [holder]: inside === undefined ? value : { [inside]: value } };
}

function sorted(body: JsonObject, at: readonly string[]): [string, string][] {
  return Object.entries(labelsIn(body, at)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function labelsRequest(placed: PlacedResource, { labelFingerprint }: JsonObject, labels: JsonObject): GoogleRequest {
  const { labelsCall = "/setLabels", labelsAt } = placed.kind;
  const body = { [labelsAt.at(-1) ?? "labels"]: labels, ...(labelFingerprint !== undefined && { labelFingerprint }) };
  return { method: "POST", path: `${pathOf(placed)}${labelsCall}`, body };
}

interface Changed {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly patch: JsonObject;
  readonly names: readonly string[];
}

/** The single request for members without a separate call. */
function patchRequest(placed: PlacedResource, { before, after, patch, names }: Changed): GoogleRequest {
  const { kind, path } = placed;
  const { change, etag, readOnly } = kind;
  const collection = path.slice(0, path.lastIndexOf("/"));
  const at = change?.at.find((one) => one === path || one.startsWith(`${collection}?`));
  if (change === null || at === undefined)
    throw notDone(`Google can't change ${names.join(", ")} of an existing resource.`);
  const [, inQuery = null] = /\?(\w+)=/.exec(at) ?? [];
  const mark = etag !== "none" && etag !== "metageneration" ? before[etag] : undefined;
  const marks = {
    ...(mark !== undefined && { [etag]: mark }),
    ...(names.includes("labels") && kind.labelFingerprint && { labelFingerprint: before.labelFingerprint ?? null }),
  };
  const sent = () => {
    if (isWrittenWhole(kind)) return withoutPointers(after, readOnly);
    if (isMergePatched(kind)) return Object.fromEntries(names.map((name) => [name, patch[name] ?? null]));
    return withoutPointers(valuesAt(after, [...fields, ...requiredBy(kind, fields)]), readOnly);
  };
  const fields = names.flatMap((name) => fieldsOf(kind, `/${name}`, before[name], after[name]));
  const held = { ...sent(), ...marks };
  const mask = fields.map((pointer) => pointer.slice(1).replaceAll("/", ".")).join(",");
  const asked = query({
    ...(inQuery !== null && { [inQuery]: nameOf(placed.resourceId) }),
    updateMask: change.mask === "query" ? mask : null,
    ifMetagenerationMatch: etag === "metageneration" ? textOf(before.metageneration) : null,
  });
  const masked = change.mask === "body" ? { updateMask: mask } : {};
  const body = change.body === null ? { ...held, ...masked } : { [change.body]: held, ...masked };
  const to = inQuery === null ? pathOf(placed) : collectionOf(placed);
  return { method: change.method as GoogleRequest["method"], path: `${to}${asked}`, body };
}

/**
 * Where two values differ, as a field mask can name it: down to scalars, lists and maps. A mask that names more would set what it names and
 * the request doesn't hold, such as a neighbour that is never shown.
 */
function fieldsOf(kind: NamedKind, pointer: string, before: unknown, after: unknown): string[] {
  if (!isObject(before) || !isObject(after) || kind.maps.includes(pointer)) return [pointer];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (differing.length === 0) return [pointer];
  return differing.flatMap((name) => fieldsOf(kind, `${pointer}/${name}`, before[name], after[name]));
}

/** The members that every object of a request must have. */
function requiredBy({ required }: NamedKind, fields: readonly string[]): string[] {
  return required.filter((pointer) => {
    const holder = pointer.slice(0, pointer.lastIndexOf("/") + 1);
    return holder !== "/" && fields.some((field) => field !== pointer && field.startsWith(holder));
  });
}

/** Only these places of a body. */
function valuesAt(body: JsonObject, pointers: readonly string[]): JsonObject {
  return withValuesAt(
    {},
    pointers.map((pointer) => ({ pointer, value: valueAt(body, pointer) ?? null })),
  );
}

/** How to delete a resource, bound to the state that was read if its service can do that. */
export function removalRequest(placed: PlacedResource, mark: string | null): GoogleRequest {
  const [bound] = placed.kind.boundDeletion;
  // Users of Cloud SQL are deleted in their collection, by a name in the query.
  if (placed.kind.change?.at.some((at) => at.endsWith("?name={}")))
    return { method: "DELETE", path: `${collectionOf(placed)}${query({ name: nameOf(placed.resourceId) })}` };
  const asked = bound === undefined ? {} : { [bound]: mark };
  return { method: "DELETE", path: `${pathOf(placed)}${query(asked)}` };
}

/** A change for which Google has no call. */
function notDone(message: string): LiveplaneError {
  return new LiveplaneError("ProviderError", message, { retryable: false, details: { reason: "NotCorrectable" } });
}
