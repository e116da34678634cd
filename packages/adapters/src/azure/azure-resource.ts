import {
  azureFacts,
  isObject,
  type JsonObject,
  type NewResource,
  type Reading,
  type ResourceChange,
  type SeenResource,
  withTags,
} from "@liveplane/core/clouds";
import kinds from "../../tables/azure.json" with { type: "json" };
import { corrected, tagsFrom } from "../cloud-http/cloud-resource.ts";

/** What Azure adds to a resource's body by itself. */
const readOnly = new Set(["id", "name", "type", "etag", "tags", "systemData"]);
const settled = new Set(["succeeded", "failed", "canceled"]);

const describedVersions: ReadonlyMap<string, string> = new Map(
  Object.entries(kinds).map(([type, { version }]) => [type.toLowerCase(), version]),
);

/** The API version that a type names, `Microsoft.Network/virtualNetworks@2024-05-01`, or that its description was read from. */
export function apiVersionOf(type: string): string {
  const [name = "", version] = type.split("@");
  return version ?? describedVersions.get(name.toLowerCase()) ?? "2021-04-01";
}

/** The subscription that an id lies in. */
export function subscriptionOf(resourceId: string): string {
  return /^\/subscriptions\/([^/]+)/i.exec(resourceId)?.[1] ?? "";
}

/** What Azure's body of a resource says: it is there, Azure is still at it, or has given up. */
export function azureReading(body: JsonObject, etagHeader: string | null): Reading {
  const properties = isObject(body.properties) ? body.properties : {};
  const { provisioningState } = properties;
  const state = typeof provisioningState === "string" ? provisioningState : "Succeeded";
  const resource = seenIn(body, properties, etagHeader);
  if (!settled.has(state.toLowerCase())) return { state: "working", resource };
  if (state.toLowerCase() === "succeeded") return { state: "present", ...resource };
  return { state: "failed", code: state, message: "Azure says of the resource that its last write failed.", resource };
}

function seenIn(body: JsonObject, properties: JsonObject, etagHeader: string | null): SeenResource {
  const etag = typeof body.etag === "string" ? body.etag : etagHeader;
  const identity = identityOf(body, properties);
  return {
    tags: tagsOf(body),
    parameters: Object.fromEntries(
      Object.entries(body).filter(([name, value]) => !readOnly.has(name) && value !== null),
    ),
    outputs: outputsOf(body, properties),
    ...(identity !== null && { identity }),
    ...(etag !== null && { etag }),
  };
}

/** The body that creates a resource. */
export function azureCreation({ parameters, tags }: Pick<NewResource, "parameters" | "tags">): JsonObject {
  const { tags: declared, ...own } = parameters;
  return withoutNone(own, withTags(azureFacts, tagsFrom(declared), tags));
}

/** The body that corrects a resource: what it is now, with what is named changed. */
export function azureCorrection(body: JsonObject, change: ResourceChange): JsonObject {
  const known = body.tags === undefined ? {} : { tags: tagsOf(body) };
  const { body: own, tags } = corrected(azureFacts, { ...writable(body), ...known }, change);
  return body.tags === undefined ? withoutNone(own, tags) : { ...own, tags };
}

/** Types that carry no tags know no such member either. */
function withoutNone(body: JsonObject, tags: Record<string, string>): JsonObject {
  return Object.keys(tags).length === 0 ? body : { ...body, tags };
}

/** The body without one tag; `null` when it doesn't carry it. */
export function bodyWithoutTag(body: JsonObject, key: string): JsonObject | null {
  const tags = tagsOf(body);
  const present = Object.keys(tags).some((own) => own.toLowerCase() === key.toLowerCase());
  return present ? { ...writable(body), tags: withTags(azureFacts, tags, { [key]: null }) } : null;
}

/** The tags of a body. */
export function tagsOf({ tags }: JsonObject): Record<string, string> {
  return tagsFrom(tags);
}

function writable(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !readOnly.has(name)));
}

/** Networks have a guid of their own; elsewhere the time of creation tells incarnations apart. */
function identityOf(body: JsonObject, properties: JsonObject): string | null {
  if (typeof properties.resourceGuid === "string") return properties.resourceGuid;
  const created = isObject(body.systemData) ? body.systemData.createdAt : undefined;
  return typeof created === "string" ? created : null;
}

function outputsOf(body: JsonObject, properties: JsonObject): JsonObject {
  const scalars = Object.entries({ ...properties, location: body.location ?? null }).filter(
    ([, value]) => typeof value !== "object",
  );
  return { ...Object.fromEntries(scalars), id: body.id ?? null, name: body.name ?? null };
}
