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
import { collectionsOf, googleIdIn, nameOf, type PlacedResource } from "./google-ids.ts";
import { knownKinds, type NamedKind, typeOf } from "./google-kinds.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { encoded, listRequest, query } from "./google-requests.ts";

const mostOnAPage = 500;

/**
 * Lists the resources of a project by Cloud Asset Inventory, one call for up to five hundred. Where that is refused, the collections of
 * the kinds are listed instead: those of the project, of the target's region and of its zones.
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
    const zones = known ?? (await zonesIn(send, target, call)).join(",");
    const places = [target.region, "global", ...zones.split(",")].filter((place) => place !== "");
    const all = knownKinds
      .flatMap((kind) => collectionsOf(kind, target.scope, places))
      .filter(({ kind, resourceId }) => kind.list !== null && isInGoogleTarget(resourceId, target));
    const end = Number(from) + collectionsAtOnce;
    const found = await Promise.all(all.slice(Number(from), end).map((of) => collection(send, of, call)));
    const refused = [...new Set(found.flatMap(({ refused: name }) => name ?? []))];
    const items = found.flatMap((one) => one.items);
    const warnings = [
      ...(after === null ? [withoutInventory(target.region)] : []),
      ...(refused.length > 0 ? [`The credentials can't list ${refused.join(", ")}.`] : []),
    ];
    return { items, next: end < all.length ? `${inCollections}${end} ${zones}` : null, warnings };
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

function withoutInventory(region: string): string {
  return `Cloud Asset Inventory can't be used, so only global resources and those in ${region} are listed, and none inside others. Enable cloudasset.googleapis.com and grant cloudasset.assets.searchAllResources.`;
}

/** Whether Google will say no again: a right is missing, or a service is disabled. */
function isRefusal(error: unknown): boolean {
  return isLiveplaneError(error, "NotFound") || (isLiveplaneError(error, "ProviderError") && !error.retryable);
}

async function zonesIn(send: SendToGoogle, { scope, region }: CloudTarget, call: CloudCall): Promise<string[]> {
  const path = `/compute/v1/projects/${encoded(scope)}/zones${query({ maxResults: "500" })}`;
  const { items } = await send("compute", { method: "GET", path }, call).catch(unlessRefused);
  return (Array.isArray(items) ? items : [])
    .filter(isObject)
    .flatMap(({ name, region: own }) => (nameOf(String(own)) === region && typeof name === "string" ? [name] : []));
}

/** What a collection holds, or the kind where it can't be listed. A disabled service has nothing to list. */
async function collection(send: SendToGoogle, of: PlacedResource, call: CloudCall) {
  const items: ListedResource[] = [];
  const { kind, resourceId } = of;
  const within = resourceId.slice(0, resourceId.lastIndexOf("/") + 1);
  let pageToken: string | null = null;
  for (let pages = 0; pages < mostPages; pages++) {
    const request = listRequest(of, pageToken);
    if (request === null) break;
    try {
      const body: JsonObject = await send(kind.service, request, call);
      const found = body[kind.list?.items ?? ""];
      for (const item of (Array.isArray(found) ? found : []).filter(isObject)) {
        const name = nameOf(String(item.name));
        const location = /\/(?:zones|regions|locations)\/([^/]+)\//.exec(within)?.[1] ?? null;
        const tags = tagsFrom(labelsIn(item, kind.labelsAt));
        items.push({ resourceId: `${within}${name}`, type: typeOf(kind), name, location, tags });
      }
      pageToken = typeof body.nextPageToken === "string" && body.nextPageToken !== "" ? body.nextPageToken : null;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const isDisabled = isLiveplaneError(error) && error.details.reason === "ServiceDisabled";
      return { items, refused: isDisabled ? null : kind.name };
    }
    if (pageToken === null) break;
  }
  return { items, refused: null };
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
  const own = name.replace(/^\/\/[^/]+\//, "").replace(/^projects\/\d+\//, `projects/${scope}/`);
  if (kind?.name === "storage.bucket") return `projects/${scope}/buckets/${own}`;
  if (kind?.name === "iam.serviceAccount" && typeof email === "string")
    return `projects/${scope}/serviceAccounts/${email}`;
  return own;
}
