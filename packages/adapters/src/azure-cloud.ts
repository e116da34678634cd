import {
  azureFacts,
  type Cloud,
  type CloudCall,
  type CloudLocation,
  isObject,
  type JsonObject,
  type Reading,
  type ResourceRef,
  resourceIdRefusal,
  type WriteCondition,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import {
  apiVersionOf,
  azureCorrection,
  azureCreation,
  azureReading,
  bodyWithoutTag,
  subscriptionOf,
  tagsOf,
} from "./azure/azure-resource.ts";
import { runAzureStep } from "./azure/azure-steps.ts";
import { azureTokens } from "./azure/azure-tokens.ts";
import { type CloudHttpOptions, type CloudRequest, cloudHttp, elsewhere } from "./cloud-http/cloud-http.ts";
import { readable } from "./cloud-http/cloud-resource.ts";
import { pause } from "./cloud-http/pause.ts";

/** Options of the Azure cloud. */
export interface AzureCloudOptions extends CloudHttpOptions {
  /** @default "https://management.azure.com" */
  readonly managementUrl?: string;
  /** @default "https://login.microsoftonline.com" */
  readonly loginUrl?: string;
  /** The token of the machine's own identity, where the agent has one. */
  readonly workloadToken?: (tenantId: string) => Promise<string>;
  /** How an initialization waits for what Azure is making. @default timers */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

type Send = (
  method: CloudRequest["method"],
  path: string,
  apiVersion: string,
  call: CloudCall,
  more?: Partial<CloudRequest>,
) => ReturnType<ReturnType<typeof cloudHttp>>;

type SendIn = (
  subscriptionId: string,
  request: Omit<CloudRequest, "base" | "token">,
  call: CloudCall,
) => ReturnType<Send>;

const foreign: Reading = { state: "unreadable", reason: "ForeignAddress" };
const tagsPath = "/providers/Microsoft.Resources/tags/default";

/**
 * Microsoft Azure, over the REST API of Azure Resource Manager. A declaration's parameters are the resource's body as Azure has it
 * (`location`, `sku`, `properties`, …); its type names the API version: `Microsoft.Network/virtualNetworks@2024-05-01`.
 */
export function azureCloud(options: AzureCloudOptions = {}): Cloud {
  const { managementUrl = "https://management.azure.com", loginUrl = "https://login.microsoftonline.com" } = options;
  const { fetch: fetcher = fetch, timeoutMs = 30_000, now = Date.now, workloadToken, sleep = pause } = options;
  const http = cloudHttp({ fetch: fetcher, timeoutMs, now });
  const tokens = azureTokens({
    managementUrl,
    loginUrl,
    fetch: fetcher,
    timeoutMs,
    now,
    ...(workloadToken && { workloadToken }),
  });
  const sendIn: SendIn = (subscriptionId, request, call) =>
    http({ ...request, base: managementUrl, token: () => tokens.tokenFor(subscriptionId, call) }, call);
  const send: Send = async (method, path, apiVersion, call, more = {}) => {
    if (!isOwnPath(path)) throw elsewhere();
    const at = `${path}?${new URLSearchParams({ "api-version": apiVersion })}`;
    return sendIn(subscriptionOf(path), { method, at, ...more }, call);
  };
  return {
    provider: "provider-a",
    capabilities: {
      conditionalWrites: true,
      bulkReadSize: 500,
      caselessTagKeys: azureFacts.caselessTagKeys,
      tagParameter: azureFacts.tagParameter,
      tagRules: azureFacts.tagRules,
      deviceAuthorization: true,
    },
    resourceType: azureFacts.resourceType,
    resourceIdFor: azureFacts.resourceIdFor,
    parseResourceId: azureFacts.parseResourceId,
    throttleScope: azureFacts.throttleScope,
    async locations(scope, _tenantId, call) {
      const { body } = await send("GET", `/subscriptions/${scope}/locations`, "2022-12-01", call);
      return listOf(body.value).flatMap(toLocation);
    },
    initializationSteps: (_target, name) =>
      azureFacts.steps.map(({ nameFor, ...plan }) => ({ ...plan, resourceName: nameFor(name) })),
    runStep: (step, request, call) =>
      runAzureStep(
        {
          tokens,
          sleep,
          send: (method, path, apiVersion, of, body) => send(method, path, apiVersion, of, body && { body }),
        },
        step,
        request,
        call,
      ),
    ...reads(send, sendIn),
    ...writes(send),
  };
}

function reads(send: Send, sendIn: SendIn): Pick<Cloud, "read" | "readMany" | "findCreated"> {
  return {
    read: ({ type, resourceId }, call) =>
      readable(async () => {
        const { body, headers } = await send("GET", resourceId, apiVersionOf(type), call);
        return azureReading(body, headers.get("etag"));
      }),
    async readMany(refs, call) {
      const at = "/providers/Microsoft.ResourceGraph/resources?api-version=2021-03-01";
      const asked = refs.filter(({ resourceId }) => isOwnPath(resourceId));
      const subscriptions = [...new Set(asked.map(({ resourceId }) => subscriptionOf(resourceId)))];
      const quoted = asked.map(({ resourceId }) => `'${resourceId.replaceAll(/['\\]/g, "\\$&")}'`);
      const body = {
        subscriptions,
        query: `resources | where id in~ (${quoted.join(", ")})`,
        options: { $top: 1000, resultFormat: "objectArray" },
      };
      const found = await readable(async () => {
        if (asked.length === 0) return new Map<string, JsonObject>();
        const answer = await sendIn(subscriptions[0] ?? "", { method: "POST", at, body, changes: false }, call);
        return new Map(listOf(answer.body.data).map((row) => [String(row.id).toLowerCase(), row]));
      });
      if (!(found instanceof Map)) return refs.map(({ resourceId }) => (isOwnPath(resourceId) ? found : foreign));
      return refs.map(({ resourceId }) => {
        if (!isOwnPath(resourceId)) return foreign;
        const row = found.get(resourceId.toLowerCase());
        return row === undefined ? { state: "missing" } : azureReading(row, null);
      });
    },
    findCreated: async () => null,
  };
}

function writes(send: Send): Pick<Cloud, "create" | "update" | "remove" | "removeTag"> {
  const current = async ({ type, resourceId }: ResourceRef, condition: WriteCondition, call: CloudCall) => {
    const { body, headers } = await send("GET", resourceId, apiVersionOf(type), call);
    const etag = typeof body.etag === "string" ? body.etag : headers.get("etag");
    if (condition.etag !== undefined && condition.etag !== etag)
      throw new LiveplaneError("PreconditionFailed", "The resource has changed.");
    return { body, ifMatch: etag === null ? {} : { headers: { "if-match": etag } } };
  };
  return {
    async create(resource, call) {
      const { type, name, target } = resource;
      const resourceId = resource.resourceId ?? azureFacts.resourceIdFor(type, name, target);
      // Some services ignore If-None-Match: looking first keeps all but a race from overwriting.
      const there = await send("GET", resourceId, apiVersionOf(type), call).catch(unlessMissing);
      if (there !== null) throw taken();
      const more = { body: azureCreation(resource), headers: { "if-none-match": "*" } };
      await send("PUT", resourceId, apiVersionOf(type), call, more).catch((error: unknown) => {
        throw isLiveplaneError(error, "PreconditionFailed") ? taken() : error;
      });
      return { resourceId };
    },
    async update(ref, change, condition, call) {
      const { body, ifMatch } = await current(ref, condition, call);
      await send("PUT", ref.resourceId, apiVersionOf(ref.type), call, {
        body: azureCorrection(body, change),
        ...ifMatch,
      });
      return {};
    },
    async remove({ type, resourceId }, { etag }, call) {
      const headers = etag === undefined ? {} : { headers: { "if-match": etag } };
      await send("DELETE", resourceId, apiVersionOf(type), call, headers).catch(unlessMissing);
      return {};
    },
    async removeTag(ref, key, condition, call) {
      const { body, ifMatch } = await current(ref, condition, call);
      const without = bodyWithoutTag(body, key);
      if (without === null) return {};
      if (condition.etag !== undefined) {
        await send("PUT", ref.resourceId, apiVersionOf(ref.type), call, { body: without, ...ifMatch });
        return {};
      }
      // The tags' own API touches nothing else; it knows no conditions.
      const spelled = Object.entries(tagsOf(body)).filter(([own]) => own.toLowerCase() === key.toLowerCase());
      const patch = { operation: "Delete", properties: { tags: Object.fromEntries(spelled) } };
      await send("PATCH", `${ref.resourceId}${tagsPath}`, "2025-04-01", call, { body: patch });
      return {};
    },
  };
}

function taken(): LiveplaneError {
  return new LiveplaneError("AlreadyExists", "A resource of this id is there already.");
}

function unlessMissing(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}

/** What lies in a subscription, and can be read as nothing else. */
function isOwnPath(path: string): boolean {
  return subscriptionOf(path) !== "" && resourceIdRefusal(path) === null;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Logical locations group physical ones; nothing can be made there. */
function toLocation({ id, name, displayName, metadata }: JsonObject): CloudLocation[] {
  const known = isObject(metadata) ? metadata : {};
  if (typeof id !== "string" || typeof name !== "string" || (known.regionType ?? "Physical") !== "Physical") return [];
  const geography = typeof known.geography === "string" ? known.geography : null;
  return [{ id, name, displayName: typeof displayName === "string" ? displayName : name, geography }];
}
