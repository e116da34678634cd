import {
  type Cloud,
  type CloudCall,
  isObject,
  type JsonObject,
  type Reading,
  type ResourceRef,
} from "@liveplane/core/clouds";
import { readable } from "../cloud-http/cloud-resource.ts";
import type { AzureGraph } from "./azure-graph.ts";
import { apiVersionOf, isGroup, isTracked, kindOf } from "./azure-kinds.ts";
import { withParts } from "./azure-parts.ts";
import { type AzureRequests, isOwnPath, subscriptionOf } from "./azure-requests.ts";
import { azureReading } from "./azure-resource.ts";

const foreign: Reading = { state: "unreadable", reason: "ForeignAddress" };
const atOnce = 8;
const mostPages = 50;

/** Reads resources: single ones from their services, many by Resource Graph, and nested ones by their parents' lists. */
export function azureReads({
  requests,
  graph,
}: {
  readonly requests: AzureRequests;
  readonly graph: AzureGraph;
}): Pick<Cloud, "read" | "readMany" | "findCreated"> {
  const read: Cloud["read"] = async (ref, call) => {
    const { type, resourceId } = ref;
    const reading = await readable(async () => {
      const request = { method: "GET", path: resourceId, version: apiVersionOf(type) } as const;
      const { body, headers } = await requests.send(request, call);
      return azureReading(type, await withParts(requests, ref, body, call), headers.get("etag"));
    });
    graph.saw(ref, reading);
    return reading;
  };

  /** All resources of one kind in one parent. */
  async function listed(refs: readonly ResourceRef[], call: CloudCall): Promise<Reading[]> {
    const [first] = refs;
    if (first === undefined) return [];
    const { resourceId, type } = first;
    const found = await readable(async () => {
      const version = apiVersionOf(type);
      let answer = await requests.send({ method: "GET", path: collectionOf(resourceId), version }, call);
      const rows = listOf(answer.body.value);
      for (let page = 1; page < mostPages && typeof answer.body.nextLink === "string"; page++) {
        answer = await requests.sendTo(subscriptionOf(resourceId), { method: "GET", at: answer.body.nextLink }, call);
        rows.push(...listOf(answer.body.value));
      }
      return { byId: new Map(rows.map((row) => [String(row.id).toLowerCase(), row])) };
    });
    if (!("byId" in found)) return refs.map(() => found);
    return refs.map((ref) => {
      const row = found.byId.get(ref.resourceId.toLowerCase());
      return row === undefined ? { state: "missing" } : azureReading(ref.type, row);
    });
  }

  const bySort: Record<Sort, (refs: readonly ResourceRef[], call: CloudCall) => Promise<Reading[]>> = {
    foreign: async (refs) => refs.map(() => foreign),
    graph: (refs, call) => graph.readMany(subscriptionOf(refs[0]?.resourceId ?? ""), refs, call),
    direct: async (refs, call) => Promise.all(refs.map((ref) => read(ref, call))),
    list: (refs, call) => (refs.length > 1 ? listed(refs, call) : bySort.direct(refs, call)),
  };

  return {
    read,
    async readMany(refs, call) {
      const groups = [...Map.groupBy(refs.entries(), ([, ref]) => groupOf(ref))];
      const readings = new Array<Reading>(refs.length);
      // A few at once: a bulk read is one call, others are one call for each parent.
      for (let at = 0; at < groups.length; at += atOnce) {
        await Promise.all(
          groups.slice(at, at + atOnce).map(async ([group, entries]) => {
            const sort = group.split(" ", 1)[0] as Sort;
            const found = await bySort[sort](
              entries.map(([, ref]) => ref),
              call,
            );
            for (const [index, [place]] of entries.entries()) readings[place] = found[index] ?? foreign;
          }),
        );
      }
      return readings;
    },
    findCreated: async () => null,
  };
}

type Sort = "foreign" | "graph" | "list" | "direct";

/** The group in which a resource is read. */
function groupOf({ type, resourceId }: ResourceRef): string {
  if (!isOwnPath(resourceId)) return "foreign";
  if (isTracked(type) || isGroup(type)) return `graph ${subscriptionOf(resourceId).toLowerCase()}`;
  const isPart = resourceId.toLowerCase().split("/providers/").at(-1)?.split("/").length !== 3;
  return isPart && kindOf(type)?.listed
    ? `list ${type} ${collectionOf(resourceId).toLowerCase()}`
    : `direct ${resourceId}`;
}

function collectionOf(resourceId: string): string {
  return resourceId.slice(0, resourceId.lastIndexOf("/"));
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
