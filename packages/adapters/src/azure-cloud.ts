import { azureFacts, type Cloud, type CloudLocation, isObject, type JsonObject } from "@liveplane/core/clouds";
import { azureActivity } from "./azure/azure-activity.ts";
import { azureDiscovery } from "./azure/azure-discovery.ts";
import { azureGraph } from "./azure/azure-graph.ts";
import { azureResourceId, azureResourceType, azureTypeOf } from "./azure/azure-kinds.ts";
import { azureOperations } from "./azure/azure-operations.ts";
import { azureProviders } from "./azure/azure-providers.ts";
import { azureReads } from "./azure/azure-reads.ts";
import { azureRefusal } from "./azure/azure-refusals.ts";
import { azureRemaining } from "./azure/azure-remaining.ts";
import { azureRequests } from "./azure/azure-requests.ts";
import { azureRights } from "./azure/azure-rights.ts";
import { azureSteps } from "./azure/azure-steps.ts";
import { type AzureCredential, azureTokens } from "./azure/azure-tokens.ts";
import { azureTypes } from "./azure/azure-types.ts";
import { azureWrites } from "./azure/azure-writes.ts";
import { type CloudHttpOptions, cloudHttp } from "./cloud-http/cloud-http.ts";

export type { AzureCredential } from "./azure/azure-tokens.ts";

/** Options of the Azure cloud. */
export interface AzureCloudOptions extends CloudHttpOptions {
  /** @default "https://management.azure.com" */
  readonly managementUrl?: string;
  /** @default "https://login.microsoftonline.com" */
  readonly loginUrl?: string;
  /** The host's own identity: any credential of `@azure/identity`. @default none */
  readonly credential?: AzureCredential;
}

/**
 * Microsoft Azure, through the REST API of Azure Resource Manager. A component's parameters are the resource's body in Azure's form
 * (`location`, `sku`, `properties`, …); its type includes the API version: `Microsoft.Network/virtualNetworks@2024-05-01`.
 */
export function azureCloud(options: AzureCloudOptions = {}): Cloud {
  const { managementUrl = "https://management.azure.com", loginUrl = "https://login.microsoftonline.com" } = options;
  const { fetch: fetcher = fetch, timeoutMs = 30_000, now = Date.now, credential } = options;
  const own = { managementUrl, loginUrl, fetch: fetcher, timeoutMs, now, ...(credential && { credential }) };
  const tokens = azureTokens(own);
  const http = cloudHttp({ fetch: fetcher, timeoutMs, now, refusalOf: azureRefusal });
  const { note, remaining } = azureRemaining(now);
  const requests = azureRequests({ managementUrl, http, tokens, note });
  const operations = azureOperations({ managementUrl, now, requests });
  const providers = azureProviders(requests);
  const describeTypes = azureTypes(requests);
  const reads = azureReads({ requests, graph: azureGraph(requests) });
  return {
    provider: "provider-a",
    capabilities: {
      conditionalWrites: true,
      bulkReadSize: 500,
      caselessTagKeys: azureFacts.caselessTagKeys,
      tagParameter: azureFacts.tagParameter,
      tagRules: azureFacts.tagRules,
      deviceAuthorization: true,
      ownIdentity: credential !== undefined,
      pace,
      // Microsoft says between three and twenty minutes.
      recordLagMs: 600_000,
    },
    resourceType: azureResourceType,
    describeTypes,
    resourceIdFor: azureResourceId,
    typeOf: azureTypeOf,
    parseResourceId: azureFacts.parseResourceId,
    parseScope: azureFacts.parseScope,
    missingRights: azureRights(requests),
    throttleScope: azureFacts.throttleScope,
    remaining,
    async locations(scope, _tenantId, call) {
      const request = { method: "GET", path: `/subscriptions/${scope}/locations`, version: "2022-12-01" } as const;
      const { body } = await requests.send(request, call);
      return Array.isArray(body.value) ? body.value.filter(isObject).flatMap(toLocation) : [];
    },
    ...azureSteps({ tokens, requests, providers, now }),
    ...reads,
    discover: azureDiscovery(requests),
    ...azureWrites({ requests, operations, providers, read: reads.read, describeTypes }),
    follow: operations.follow,
    ...azureActivity(requests),
  };
}

/** Azure's limits for one identity in a subscription; Resource Graph allows fifteen queries in five seconds. */
const pace = {
  read: { perSecond: 25, burst: 250 },
  write: { perSecond: 10, burst: 200 },
  bulk: { perSecond: 3, burst: 15 },
} as const;

/** Logical locations group physical ones; nothing can be created there. */
function toLocation({ id, name, displayName, metadata }: JsonObject): CloudLocation[] {
  const known = isObject(metadata) ? metadata : {};
  if (typeof id !== "string" || typeof name !== "string" || (known.regionType ?? "Physical") !== "Physical") return [];
  const geography = typeof known.geography === "string" ? known.geography : null;
  return [{ id, name, displayName: typeof displayName === "string" ? displayName : name, geography }];
}
