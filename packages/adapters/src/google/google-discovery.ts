import { type Cloud, isObject, type JsonObject, type ListedResource } from "@liveplane/core/clouds";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { googleIdIn, nameOf } from "./google-ids.ts";
import { knownKinds, type NamedKind, typeOf } from "./google-kinds.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { encoded, query } from "./google-requests.ts";

const mostOnAPage = 500;

/** Lists the resources of a project by Cloud Asset Inventory, up to five hundred per call. */
export function googleDiscovery(send: SendToGoogle): NonNullable<Cloud["discover"]> {
  return async ({ scope }, { after, limit }, call) => {
    const page = { pageSize: String(Math.min(limit, mostOnAPage)), pageToken: after };
    const path = `/v1/projects/${encoded(scope)}:searchAllResources${query({ ...page, orderBy: "name" })}`;
    const { results, nextPageToken } = await send("cloudasset", { method: "GET", path }, call);
    const items = (Array.isArray(results) ? results : []).filter(isObject).flatMap((one) => listed(scope, one));
    return { items, next: typeof nextPageToken === "string" && nextPageToken !== "" ? nextPageToken : null };
  };
}

/** Kinds by their names in Cloud Asset Inventory: `compute.googleapis.com/Disk`. */
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
