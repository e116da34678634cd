import {
  type Cloud,
  type CloudCall,
  type CloudTarget,
  type DiscoveryPage,
  isInGoogleTarget,
  isObject,
  type JsonObject,
  type ListedResource,
  type ListedResources,
} from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { isFinalRefusal } from "../cloud-http/cloud-http.ts";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { kindOfAsset, nextToken, objectsIn, pathOfAsset } from "./google-assets.ts";
import { labelsIn } from "./google-bodies.ts";
import { collectionsOf, googleIdIn, nameOf, type PlacedResource, placedIn, projectOf } from "./google-ids.ts";
import { withoutIntent } from "./google-intents.ts";
import { knownKinds, type NamedKind, typeOf } from "./google-kinds.ts";
import { bindingsFound } from "./google-policy-search.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { aggregatedRequest, encoded, listRequest, mostOnAPage, query } from "./google-requests.ts";

/**
 * Lists the resources of a project by Cloud Asset Inventory, one call for up to five hundred. Where that is refused, the collections of
 * the kinds are listed instead, in all places that the target has.
 */
export function googleDiscovery(send: SendToGoogle): NonNullable<Cloud["discover"]> {
  async function fromInventory(
    target: CloudTarget,
    { after, limit, nested = () => false }: DiscoveryPage,
    call: CloudCall,
  ): Promise<ListedResources> {
    const { scope } = target;
    const page = { pageSize: String(Math.min(limit, mostOnAPage)), pageToken: after };
    const path = `/v1/projects/${encoded(scope)}:searchAllResources${query({ ...page, orderBy: "name" })}`;
    const answer = await send("cloudasset", { method: "GET", path }, call);
    const items = objectsIn(answer.results).flatMap((one) => listed(scope, one));
    const next = nextToken(answer) ?? inPolicies;
    const found = items.filter(({ resourceId }) => isInGoogleTarget(resourceId, target));
    const places = collectionsInside(found, (kind) => unsearched.has(kind.name) && nested(typeOf(kind)));
    const inside = await Promise.all(places.map((of) => collection(send, of, call)));
    return { items: [...found, ...inside.flatMap((one) => one.items)], next, warnings: gapsIn(inside) };
  }

  async function fromCollections(
    target: CloudTarget,
    { after, nested }: Pick<DiscoveryPage, "after" | "nested">,
    call: CloudCall,
  ): Promise<ListedResources> {
    const [from = "0", known] = after?.split(" ") ?? [];
    const locations = known?.split(",") ?? (await locationsIn(send, target, call));
    const all = knownKinds
      .filter(({ list, policy }) => list !== null && policy === undefined)
      .flatMap((kind) => collectionsOf(kind, target.scope, locations))
      .filter(({ kind, resourceId }) => kind.list?.everywhere !== undefined || isInGoogleTarget(resourceId, target));
    const end = Number(from) + collectionsAtOnce;
    const found = await Promise.all(all.slice(Number(from), end).map((of) => collection(send, of, call)));
    const around = found.flatMap((one) => one.items).filter(({ resourceId }) => isInGoogleTarget(resourceId, target));
    const places = collectionsInside(around, (kind) => nested?.(typeOf(kind)) === true);
    const inside = await Promise.all(places.map((of) => collection(send, of, call)));
    const items = [...around, ...inside.flatMap((one) => one.items)];
    const warnings = [
      ...(after === null ? [withoutInventory(all.length + 1, nested)] : []),
      ...gapsIn([...found, ...inside]),
    ];
    return { items, next: end < all.length ? `${inCollections}${end} ${locations.join(",")}` : null, warnings };
  }

  return async (target, page, call) => {
    const { after } = page;
    if (after?.startsWith(inCollections))
      return fromCollections(target, { ...page, after: after.slice(inCollections.length) }, call);
    if (after?.startsWith(inPolicies)) {
      const token = after.slice(inPolicies.length);
      const found = await bindingsFound(send, target, { ...page, after: token === "" ? null : token }, call);
      return { ...found, next: found.next === null ? null : `${inPolicies}${found.next}` };
    }
    try {
      return await fromInventory(target, page, call);
    } catch (error) {
      if (after !== null || !isFinalRefusal(error)) throw error;
      return fromCollections(target, page, call);
    }
  };
}

const inCollections = "collections ";
const inPolicies = "policies ";
const collectionsAtOnce = 16;
const mostPages = 20;

/** Kinds that Cloud Asset Inventory doesn't have. They are listed in each resource around them. */
const unsearched: ReadonlySet<string> = new Set(["sqladmin.database", "sqladmin.user"]);

/** The collections of wanted kinds inside resources. */
function collectionsInside(around: readonly ListedResource[], isWanted: (kind: NamedKind) => boolean) {
  const kinds = knownKinds.filter((kind) => kind.list !== null && kind.policy === undefined && isWanted(kind));
  return around.flatMap(({ resourceId }) =>
    kinds.flatMap((kind) => placedIn(kind, `${resourceId}/${kind.collection}/-`) ?? []),
  );
}

/** What can't be listed, and where, a sentence each. */
function gapsIn(found: readonly Collected[]): string[] {
  const named = (member: "refused" | "unreachable") => [...new Set(found.flatMap((one) => one[member]))].join(", ");
  return [
    ...(named("refused") === "" ? [] : [`The credentials can't list ${named("refused")}.`]),
    ...(named("unreachable") === "" ? [] : [`Google couldn't reach ${named("unreachable")}. Try again later.`]),
  ];
}

function withoutInventory(calls: number, nested: DiscoveryPage["nested"]): string {
  const left = nested === undefined ? "resources inside others" : "DNS records";
  return `Cloud Asset Inventory can't be used, so ${calls} lists are read instead, and ${left} and IAM bindings are left out. Enable cloudasset.googleapis.com and grant cloudasset.assets.searchAllResources.`;
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
      pageToken = nextToken(body);
    } catch (error) {
      if (!isFinalRefusal(error)) throw error;
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
        tags: withoutIntent(labelsIn(item, kind.labelsAt)),
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

function unlessRefused(error: unknown): JsonObject {
  if (isFinalRefusal(error)) return {};
  throw error;
}

function listed(
  scope: string,
  { name, assetType, labels, location, additionalAttributes }: JsonObject,
): ListedResource[] {
  if (typeof name !== "string" || typeof assetType !== "string") return [];
  const kind = kindOfAsset(assetType);
  const attributes = isObject(additionalAttributes) ? additionalAttributes : {};
  const path = pathOfAsset(name, { scope, kind, email: attributes.email });
  const resourceId = kind === null ? path : googleIdIn(kind, path);
  // A resource in another project, or at a place that the kind doesn't have, can't be declared here.
  if (resourceId === null || !resourceId.startsWith(`projects/${scope}/`)) return [];
  const type = kind === null ? assetType : typeOf(kind);
  const place = typeof location === "string" ? location : null;
  return [{ resourceId, type, name: nameOf(resourceId), location: place, tags: withoutIntent(tagsFrom(labels)) }];
}
