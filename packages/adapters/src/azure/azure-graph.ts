import { createHash } from "node:crypto";
import { type CloudCall, isObject, type JsonObject, type Reading, type ResourceRef } from "@liveplane/core/clouds";
import { readable } from "../cloud-http/cloud-resource.ts";
import { isGroup } from "./azure-kinds.ts";
import type { AzureRequests } from "./azure-requests.ts";
import { azureReading } from "./azure-resource.ts";

const version = "2021-03-01";
/** The columns of the resource itself; all others are Resource Graph's own. */
const columns =
  "id, name, type, location, kind, sku, plan, identity, zones, extendedLocation, managedBy, tags, properties";
const mostPages = 20;
const mostRemembered = 50_000;

/** Reads many resources by Resource Graph, which lags behind and spells some values differently. */
export interface AzureGraph {
  readMany(subscriptionId: string, refs: readonly ResourceRef[], call: CloudCall): Promise<Reading[]>;
  /** Tells it the result of a direct read. */
  saw(ref: ResourceRef, reading: Reading): void;
}

/** The result of a direct read while a row was unchanged. */
interface Remembered {
  readonly row: string;
  direct: Pick<Extract<Reading, { state: "present" }>, "outputs" | "identity" | "etag"> | null;
}

export function azureGraph({ sendTo }: Pick<AzureRequests, "sendTo">): AzureGraph {
  const remembered = new Map<string, Remembered>();

  async function rowsOf(subscriptionId: string, refs: readonly ResourceRef[], call: CloudCall) {
    const rows = new Map<string, JsonObject>();
    const query = queryFor(refs);
    let skipToken: unknown;
    for (let page = 0; page < mostPages; page++) {
      const options = {
        resultFormat: "objectArray",
        $top: 1000,
        ...(typeof skipToken === "string" && { $skipToken: skipToken }),
      };
      const body = { subscriptions: [subscriptionId], query, options };
      const at = `/providers/Microsoft.ResourceGraph/resources?api-version=${version}`;
      const answer = await sendTo(subscriptionId, { method: "POST", at, body, changes: false }, call);
      for (const row of listOf(answer.body.data)) rows.set(String(row.id).toLowerCase(), row);
      skipToken = answer.body.$skipToken;
      if (typeof skipToken !== "string") return { rows, isWhole: answer.body.resultTruncated !== "true" };
    }
    return { rows, isWhole: false };
  }

  /** Where Resource Graph's spelling differs, the last direct read is shown, as long as the row is unchanged. */
  function readingOf(ref: ResourceRef, row: JsonObject): Reading {
    const key = ref.resourceId.toLowerCase();
    const digest = createHash("sha256").update(JSON.stringify(row)).digest("base64");
    const known = remembered.get(key);
    const reading = azureReading(ref.type, row);
    if (known?.row === digest)
      return reading.state === "present" && known.direct ? { ...reading, ...known.direct } : reading;
    remembered.delete(key);
    if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value ?? "");
    remembered.set(key, { row: digest, direct: null });
    return reading;
  }

  return {
    saw({ resourceId }, reading) {
      const known = remembered.get(resourceId.toLowerCase());
      if (known === undefined || reading.state !== "present") return;
      const { outputs, identity, etag } = reading;
      known.direct = { outputs, ...(identity !== undefined && { identity }), ...(etag !== undefined && { etag }) };
    },
    async readMany(subscriptionId, refs, call) {
      const found = await readable(() => rowsOf(subscriptionId, refs, call));
      if (!("rows" in found)) return refs.map(() => (found.state === "missing" ? unknown("NotFound") : found));
      return refs.map((ref) => {
        const row = found.rows.get(ref.resourceId.toLowerCase());
        if (row !== undefined) return readingOf(ref, row);
        return found.isWhole ? { state: "missing" } : unknown("ResultTruncated");
      });
    },
  };
}

function queryFor(refs: readonly ResourceRef[]): string {
  const ids = refs.map(({ resourceId }) => `'${resourceId.replaceAll(/['\\]/g, "\\$&")}'`).join(", ");
  const hasGroups = refs.some(({ type }) => isGroup(type));
  const tables = hasGroups ? "resources | union resourcecontainers" : "resources";
  return `${tables} | where id in~ (${ids}) | project ${columns} | order by id asc`;
}

function unknown(reason: string): Reading {
  return { state: "unreadable", reason };
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
