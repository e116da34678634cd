import {
  type Cloud,
  type CloudCall,
  type CloudTarget,
  isObject,
  type JsonObject,
  type ListedResource,
  type ListedResources,
} from "@liveplane/core/clouds";
import { isFinalRefusal } from "../cloud-http/cloud-http.ts";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { spelledType } from "./azure-kinds.ts";
import type { AzureRequests } from "./azure-requests.ts";
import { readsEverything } from "./azure-rights.ts";

const graphVersion = "2021-03-01";
const listVersion = "2021-04-01";
const mostOnAPage = 1000;
type Page = Parameters<NonNullable<Cloud["discover"]>>[1];

/**
 * Lists resources by Resource Graph, up to a thousand per call. If Resource Graph refuses the first page, the plain list of the resource
 * group or subscription is used.
 */
export function azureDiscovery({ sendTo }: Pick<AzureRequests, "sendTo">): NonNullable<Cloud["discover"]> {
  async function fromGraph({ scope, container }: CloudTarget, { after, limit }: Page, call: CloudCall) {
    const within = container === undefined ? "" : ` | where resourceGroup =~ '${quoted(container)}'`;
    const query = `resources${within} | project id, name, type, location, managedBy, tags | order by id asc`;
    const page = { $top: Math.min(limit, mostOnAPage), ...(after !== null && { $skipToken: after }) };
    const body = { subscriptions: [scope], query, options: { resultFormat: "objectArray", ...page } };
    const at = `/providers/Microsoft.ResourceGraph/resources?api-version=${graphVersion}`;
    const answer = await sendTo(scope, { method: "POST", at, body, changes: false }, call);
    return pageOf(answer.body.data, answer.body.$skipToken, "graph");
  }

  async function fromList({ scope, container }: CloudTarget, { after, limit }: Page, call: CloudCall) {
    const group = container === undefined ? "" : `/resourceGroups/${encodeURIComponent(container)}`;
    const page = new URLSearchParams({ "api-version": listVersion, $top: String(Math.min(limit, mostOnAPage)) });
    const at = after ?? `/subscriptions/${encodeURIComponent(scope)}${group}/resources?${page}`;
    const { body } = await sendTo(scope, { method: "GET", at }, call);
    return pageOf(body.value, body.nextLink, "list");
  }

  return async (target, { after, limit }, call) => {
    const [, source, token] = /^(graph|list) (.*)$/s.exec(after ?? "") ?? [];
    const page = { after: token ?? null, limit };
    if (source === "list") return fromList(target, page, call);
    if (source === "graph") return fromGraph(target, page, call);
    const found = await fromGraph(target, page, call).catch((error: unknown) => {
      if (!isFinalRefusal(error)) throw error;
      return fromList(target, page, call);
    });
    const sees = await readsEverything({ sendTo }, target, call);
    return sees === true ? found : { ...found, warnings: [sees === null ? unknownSight : partialSight] };
  };
}

const partialSight =
  "The credentials may read only some types here, so resources of other types are missing. The role Reader sees all of them.";
const unknownSight =
  "Azure doesn't say which types the credentials may read here, so some may be missing. Grant Microsoft.Authorization/permissions/read to know.";

function pageOf(rows: unknown, next: unknown, source: "graph" | "list"): ListedResources {
  const items = (Array.isArray(rows) ? rows : []).filter(isObject).flatMap(listed);
  return { items, next: typeof next === "string" && next !== "" ? `${source} ${next}` : null };
}

function listed({ id, name, type, location, managedBy, tags }: JsonObject): ListedResource[] {
  if (typeof id !== "string" || typeof name !== "string" || typeof type !== "string") return [];
  const place = typeof location === "string" && location !== "" ? location : null;
  const manager = typeof managedBy === "string" && managedBy !== "" ? { managedBy } : {};
  return [{ resourceId: id, type: spelledType(type), name, location: place, tags: tagsFrom(tags), ...manager }];
}

function quoted(text: string): string {
  return text.replaceAll(/['\\]/g, "\\$&");
}
