import {
  type Cloud,
  type CloudCall,
  type CloudTarget,
  isInGoogleTarget,
  isObject,
  type JsonObject,
  type ListedResource,
  type ListedResources,
} from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { labelsIn } from "./google-bodies.ts";
import { collectionsOf, googleIdIn, nameOf, type PlacedResource, projectOf } from "./google-ids.ts";
import { knownKinds, type NamedKind, typeOf } from "./google-kinds.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { aggregatedRequest, encoded, listRequest, query } from "./google-requests.ts";

const mostOnAPage = 500;

/**
 * Lists the resources of a project by Cloud Asset Inventory, one call for up to five hundred. Where that is refused, the collections of
 * the kinds are listed instead, in all places that the target has.
 */
export function googleDiscovery(send: SendToGoogle): NonNullable<Cloud["discover"]> {
  async function fromInventory(target: CloudTarget, { after, limit }: Page, call: CloudCall): Promise<ListedResources> {
    const { scope } = target;
    const page = { pageSize: String(Math.min(limit, mostOnAPage)), pageToken: after };
    const path = `/v1/projects/${encoded(scope)}:searchAllResources${query({ ...page, orderBy: "name" })}`;
    const { results, nextPageToken } = await send("cloudasset", { method: "GET", path }, call);
    const items = (Array.isArray(results) ? results : []).filter(isObject).flatMap((one) => listed(scope, one));
    const next = typeof nextPageToken === "string" && nextPageToken !== "" ? nextPageToken : null;
    return { items: items.filter(({ resourceId }) => isInGoogleTarget(resourceId, target)), next };
  }

  async function fromCollections(target: CloudTarget, after: string | null, call: CloudCall): Promise<ListedResources> {
    const [from = "0", known] = after?.split(" ") ?? [];
    const locations = known?.split(",") ?? (await locationsIn(send, target, call));
    const all = knownKinds
      .filter(({ list, policy }) => list !== null && policy === undefined)
      .flatMap((kind) => collectionsOf(kind, target.scope, locations))
      .filter(({ kind, resourceId }) => kind.list?.everywhere !== undefined || isInGoogleTarget(resourceId, target));
    const end = Number(from) + collectionsAtOnce;
    const found = await Promise.all(all.slice(Number(from), end).map((of) => collection(send, of, call)));
    const named = (member: "refused" | "unreachable") => [...new Set(found.flatMap((one) => one[member]))].join(", ");
    const items = found.flatMap((one) => one.items).filter(({ resourceId }) => isInGoogleTarget(resourceId, target));
    const warnings = [
      ...(after === null ? [withoutInventory(all.length + 1)] : []),
      ...(named("refused") === "" ? [] : [`The credentials can't list ${named("refused")}.`]),
      ...(named("unreachable") === "" ? [] : [`Google couldn't reach ${named("unreachable")}. Try again later.`]),
    ];
    return { items, next: end < all.length ? `${inCollections}${end} ${locations.join(",")}` : null, warnings };
  }

  return async (target, page, call) => {
    const { after } = page;
    if (after?.startsWith(inCollections)) return fromCollections(target, after.slice(inCollections.length), call);
    try {
      return await fromInventory(target, page, call);
    } catch (error) {
      if (after !== null || !isRefusal(error)) throw error;
      return fromCollections(target, null, call);
    }
  };
}

type Page = Parameters<NonNullable<Cloud["discover"]>>[1];
const inCollections = "collections ";
const collectionsAtOnce = 16;
const mostPages = 20;

function withoutInventory(calls: number): string {
  return `Cloud Asset Inventory can't be used, so ${calls} lists are read instead, and resources inside others are left out. Enable cloudasset.googleapis.com and grant cloudasset.assets.searchAllResources.`;
}

/** Whether Google will say no again: a right is missing, or a service is disabled. */
function isRefusal(error: unknown): boolean {
  return isLiveplaneError(error, "NotFound") || (isLiveplaneError(error, "ProviderError") && !error.retryable);
}

/** The locations whose collections are listed one by one: that of the target, otherwise all. Where regions can't be listed, its own. */
async function locationsIn(send: SendToGoogle, target: CloudTarget, call: CloudCall): Promise<string[]> {
  const { scope, region, location } = target;
  if (location !== undefined) return [location];
  const path = `/compute/v1/projects/${encoded(scope)}/regions${query({ maxResults: "500" })}`;
  const { items } = await send("compute", { method: "GET", path }, call).catch(unlessRefused);
  const regions = (Array.isArray(items) ? items : []).filter(isObject).map(({ name }) => String(name));
  return ["global", ...(regions.length === 0 ? [region] : regions)];
}

interface Collected {
  readonly items: ListedResource[];
  /** The kind, if it can't be listed. A disabled service has nothing to list. */
  readonly refused: string[];
  readonly unreachable: string[];
}

/** What a collection holds, in one place or in all. */
async function collection(send: SendToGoogle, of: PlacedResource, call: CloudCall): Promise<Collected> {
  const found: Collected = { items: [], refused: [], unreachable: [] };
  const { kind } = of;
  let pageToken: string | null = null;
  for (let pages = 0; pages < mostPages; pages++) {
    const isAggregated = kind.list?.everywhere === "aggregated";
    const request = isAggregated ? aggregatedRequest(of, pageToken) : listRequest(of, pageToken);
    if (request === null) break;
    try {
      const body: JsonObject = await send(kind.service, request, call);
      found.items.push(...itemsIn(body, of));
      for (const places of [body.unreachable, body.unreachables])
        if (Array.isArray(places)) found.unreachable.push(...places.map(String));
      pageToken = typeof body.nextPageToken === "string" && body.nextPageToken !== "" ? body.nextPageToken : null;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const isDisabled = isLiveplaneError(error) && error.details.reason === "ServiceDisabled";
      return isDisabled ? found : { ...found, refused: [kind.name] };
    }
    if (pageToken === null) break;
  }
  return found;
}

/** The resources on a page. An aggregated list has them by place; others name it in each name, or beside it. */
function itemsIn(body: JsonObject, { kind, resourceId }: PlacedResource): ListedResource[] {
  const { items: member = "", everywhere } = kind.list ?? {};
  const within = resourceId.slice(0, resourceId.lastIndexOf("/") + 1);
  const project = `projects/${projectOf(resourceId)}`;
  const listed = (item: JsonObject, id: string): ListedResource[] => {
    const own = googleIdIn(kind, id);
    if (own === null) return [];
    const location = /\/(?:zones|regions|locations)\/([^/]+)\//.exec(own)?.[1] ?? null;
    return [
      {
        resourceId: own,
        type: typeOf(kind),
        name: nameOf(own),
        location,
        tags: tagsFrom(labelsIn(item, kind.labelsAt)),
      },
    ];
  };
  if (everywhere === "aggregated")
    return Object.entries(isObject(body.items) ? body.items : {}).flatMap(([place, held]) =>
      objectsIn(isObject(held) ? held[kind.collection] : null).flatMap((item) =>
        listed(item, `${project}/${place}/${kind.collection}/${item.name}`),
      ),
    );
  return objectsIn(body[member]).flatMap((item) => {
    const name = String(item.name);
    if (everywhere === undefined) return listed(item, `${within}${nameOf(name)}`);
    return listed(item, name.includes("/") ? name : `${project}/locations/${item.location}/${kind.collection}/${name}`);
  });
}

function objectsIn(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : []).filter(isObject);
}

function unlessRefused(error: unknown): JsonObject {
  if (isRefusal(error)) return {};
  throw error;
}

/** Kinds by the name that Cloud Asset Inventory has for them: `compute.googleapis.com/Disk`. */
const byAssetType: ReadonlyMap<string, NamedKind> = new Map(
  knownKinds.map((kind) => [
    `${kind.service}.googleapis.com/${kind.name.slice(kind.service.length + 1)}`.toLowerCase(),
    kind,
  ]),
);

function kindOf(assetType: string): NamedKind | null {
  const own = assetType.toLowerCase();
  return byAssetType.get(own) ?? byAssetType.get(own.replace(/\/(global|region|zone)/, "/")) ?? null;
}

function listed(
  scope: string,
  { name, assetType, labels, location, additionalAttributes }: JsonObject,
): ListedResource[] {
  if (typeof name !== "string" || typeof assetType !== "string") return [];
  const kind = kindOf(assetType);
  const attributes = isObject(additionalAttributes) ? additionalAttributes : {};
  const path = pathOf(name, { scope, kind, email: attributes.email });
  const resourceId = kind === null ? path : googleIdIn(kind, path);
  // A resource in another project, or at a place that the kind doesn't have, can't be declared here.
  if (resourceId === null || !resourceId.startsWith(`projects/${scope}/`)) return [];
  const type = kind === null ? assetType : typeOf(kind);
  const place = typeof location === "string" ? location : null;
  return [{ resourceId, type, name: nameOf(resourceId), location: place, tags: tagsFrom(labels) }];
}

/** The path in a full resource name. Some services use the project's number, and a few resources have other names than in their IDs. */
function pathOf(
  name: string,
  { scope, kind, email }: { readonly scope: string; readonly kind: NamedKind | null; readonly email: unknown },
): string {
  const path = name.replace(/^\/\/[^/]+\//, "").replace(/^projects\/\d+\//, `projects/${scope}/`);
  const own = kind?.service === "container" ? path.replace(/\/zones\//, "/locations/") : path;
  if (kind?.name === "storage.bucket") return `projects/${scope}/buckets/${own}`;
  if (kind?.name === "iam.serviceAccount" && typeof email === "string")
    return `projects/${scope}/serviceAccounts/${email}`;
  return own;
}
