import {
  azureFacts,
  isObject,
  type JsonObject,
  type NewResource,
  type Reading,
  type ResourceChange,
  type ResourceRef,
  type SeenResource,
  withTags,
  withValuesAt,
} from "@liveplane/core/clouds";
import type { CloudResponse } from "../cloud-http/cloud-http.ts";
import { corrected, nestedOutputs, shownBy, tagsFrom, withoutPointers } from "../cloud-http/cloud-resource.ts";
import { azureBoundBy, azureResourceType, kindOf, readOnlyItemsOf } from "./azure-kinds.ts";

/** Members that Azure itself adds to every resource. */
const azuresOwn = ["id", "name", "type", "etag", "eTag", "_etag", "tags", "systemData"];
/** Members that tell a resource's incarnations apart, best first. */
const identities =
  `resourceGuid vmId uniqueId resourceUID customerId instanceId databaseId principalId creationTime creationDate
  CreationDate createdAt createdAtUtc createdDate createdTime createTime dateCreated timeCreated`.split(/\s+/);

/** The state that Azure's body of a resource shows: present, still being changed, or failed. */
export function azureReading(type: string, body: JsonObject, etagHeader: string | null = null): Reading {
  const properties = isObject(body.properties) ? body.properties : {};
  const state = typeof properties.provisioningState === "string" ? properties.provisioningState : "Succeeded";
  const resource = seenIn(type, body, { properties, etagHeader });
  switch (state.toLowerCase()) {
    case "succeeded":
      return { state: "present", ...resource };
    case "failed":
    case "canceled":
      return {
        state: "failed",
        code: state,
        message: "Azure reports that the last write to this resource failed.",
        resource,
      };
    default:
      return { state: "working", resource };
  }
}

/**
 * The resource in the answer to a write. Nothing if Azure hasn't finished, or the answer isn't the whole resource. Taggable types must show
 * their tags, because otherwise nobody could tell whether the resource was still managed when it was written.
 */
export function azureShown(
  { type, resourceId }: ResourceRef,
  { status, body, headers }: CloudResponse,
): { readonly shown?: SeenResource } {
  const isOwn = typeof body.id === "string" && body.id.toLowerCase() === resourceId.toLowerCase();
  const isWhole = isOwn && (isObject(body.tags) || !azureResourceType(type).taggable);
  return isWhole && (status === 200 || status === 201) ? shownBy(azureReading(type, body, headers.get("etag"))) : {};
}

/** The etag of a body, wherever its type has it. */
export function etagIn(body: JsonObject, etagHeader: string | null): string | null {
  const properties = isObject(body.properties) ? body.properties : {};
  const own = [body.etag, body.eTag, body._etag, properties.etag, properties.eTag].find(
    (one) => typeof one === "string",
  );
  return typeof own === "string" ? own : etagHeader;
}

export function azureCreation({ parameters, tags }: Pick<NewResource, "parameters" | "tags">): JsonObject {
  const { tags: declared, ...own } = parameters;
  return withTagsOf(own, withTags(azureFacts, tagsFrom(declared), tags));
}

/** The whole body that corrects a resource: what it is now, with what is named changed, and without what only Azure sets. */
export function azureCorrection(type: string, body: JsonObject, change: ResourceChange): JsonObject {
  const before = { ...writable(type, body), tags: tagsOf(body) };
  const { body: own, tags } = corrected(azureFacts, before, change);
  const { tags: _, ...others } = own;
  return withTagsOf(withoutPointers(others, readOnlyItemsOf(type)), tags);
}

/**
 * The body of a PATCH for the named changes. A list is sent whole, because a part of one can't be named; an object includes the current
 * values of the members that Azure requires with the others. `null`: the resource must be read first.
 */
export function azurePatch(
  change: ResourceChange["parameters"],
  current: JsonObject | null,
  required: readonly string[] = [],
): JsonObject | null {
  const patch: Members = {};
  const changed = withValuesAt(current ?? {}, change);
  for (const { pointer, value } of change) {
    const list = listAround(pointer, current);
    if (list === undefined) return null;
    place(patch, (list ?? pointer).split("/").slice(1), list === null ? value : memberAt(changed, list));
  }
  for (const pointer of required) {
    const above = pointer.slice(0, pointer.lastIndexOf("/"));
    const isAsked = above === "" || isObject(memberAt(patch, above));
    if (!isAsked || memberAt(patch, pointer) !== undefined) continue;
    if (current === null) return null;
    const value = memberAt(current, pointer);
    if (value !== undefined) place(patch, pointer.split("/").slice(1), value);
  }
  return patch;
}

export function tagsOf({ tags }: JsonObject): Record<string, string> {
  return tagsFrom(tags);
}

function seenIn(
  type: string,
  body: JsonObject,
  { properties, etagHeader }: { readonly properties: JsonObject; readonly etagHeader: string | null },
): SeenResource {
  const etag = azureBoundBy(kindOf(type)).properties === "etag" ? etagIn(body, etagHeader) : null;
  const identity = identityOf(body, properties);
  return {
    tags: tagsOf(body),
    parameters: writable(type, body),
    outputs: outputsOf(type, body, properties),
    ...(identity !== null && { identity }),
    ...(etag !== null && { etag }),
  };
}

/** The declarable part of a body: without members that only Azure sets, and without nulls. */
function writable(type: string, body: JsonObject): JsonObject {
  const own = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !azuresOwn.includes(name) && value !== null && value !== ""),
  ) as JsonObject;
  return withoutPrincipals(withoutPointers(own, kindOf(type)?.readOnly ?? []));
}

/** The keys of a map name a resource's identities; what is below them belongs to Azure. */
function withoutPrincipals(body: JsonObject): JsonObject {
  const { identity } = body;
  if (!isObject(identity) || !isObject(identity.userAssignedIdentities)) return body;
  const own = Object.keys(identity.userAssignedIdentities).map((id) => [id, {}]);
  return { ...body, identity: { ...identity, userAssignedIdentities: Object.fromEntries(own) } };
}

function identityOf(body: JsonObject, properties: JsonObject): string | null {
  const own = identities.map((name) => properties[name]).find((value) => typeof value === "string");
  const created = isObject(body.systemData) ? body.systemData.createdAt : undefined;
  const identity = canonical(own ?? created);
  return typeof identity === "string" ? identity : null;
}

/** Times and states move by themselves, and nobody refers to them. */
const moving = /(At|Date|State|Status|Time)$|[sS]tatus\//;

function outputsOf(type: string, body: JsonObject, properties: JsonObject): JsonObject {
  const readOnly = new Set((kindOf(type)?.readOnly ?? []).filter((pointer) => !moving.test(pointer)));
  const scalars = Object.entries({ ...properties, location: body.location ?? null })
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => [name, canonical(value)] as const);
  const { properties: _, tags: __, systemData: ___, ...others } = body;
  return {
    ...nestedOutputs(others, (pointer) => readOnly.has(pointer)),
    ...nestedOutputs(properties, (pointer) => readOnly.has(`/properties${pointer}`)),
    ...Object.fromEntries(scalars),
    id: body.id ?? null,
    name: body.name ?? null,
  };
}

/** Services and Resource Graph write the same instant with different precision. */
function canonical<T>(value: T): T | string {
  const isInstant = typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:]{8}(\.\d+)?(Z|\+00:00)$/.test(value);
  return isInstant ? value.replace(/(\.\d*?)0*(?:Z|\+00:00)$/, "$1Z").replace(/\.?(Z|\+00:00)$/, "Z") : value;
}

/** Types without tags don't have that member either. */
function withTagsOf(body: JsonObject, tags: Record<string, string>): JsonObject {
  return Object.keys(tags).length === 0 ? body : { ...body, tags };
}

/** The list that a pointer leads into; `null` if none, `undefined` if it may but the current value is unknown. */
function listAround(pointer: string, current: JsonObject | null): string | null | undefined {
  const steps = pointer.split("/").slice(1);
  for (let length = 1; length < steps.length; length++) {
    if (!/^(\d+|-)$|=/.test(steps[length] ?? "")) continue;
    if (current === null) return undefined;
    const before = `/${steps.slice(0, length).join("/")}`;
    if (Array.isArray(memberAt(current, before))) return before;
  }
  return null;
}

function memberAt(body: JsonObject, pointer: string): JsonObject[string] | undefined {
  let at: unknown = body;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at as JsonObject[string] | undefined;
}

type Members = Record<string, JsonObject[string]>;

/** Adds a value to a merge patch; `null` removes. */
function place(patch: Members, [step = "", ...rest]: readonly string[], value: JsonObject[string] = null): void {
  const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
  if (rest.length === 0) {
    patch[name] = value;
    return;
  }
  const inner: Members = isObject(patch[name]) ? { ...patch[name] } : {};
  place(inner, rest, value);
  patch[name] = inner;
}
