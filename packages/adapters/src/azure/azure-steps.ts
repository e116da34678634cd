import {
  azureFacts,
  type CloudCall,
  type InitializationRequest,
  isObject,
  type JsonObject,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { CloudResponse } from "../cloud-http/cloud-http.ts";
import { apiVersionOf } from "./azure-resource.ts";
import type { AzureTokens } from "./azure-tokens.ts";

/** What a step needs to reach Azure. */
export interface AzureStepDeps {
  readonly tokens: Pick<AzureTokens, "tenantOf">;
  readonly send: (
    method: "GET" | "PUT",
    path: string,
    apiVersion: string,
    call: CloudCall,
    body?: JsonObject,
  ) => Promise<CloudResponse>;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const pauseMs = 2000;
const mostPauses = 300;

/** Does one step: what is there already stays as it is, what is being made is waited for. */
export async function runAzureStep(
  deps: AzureStepDeps,
  step: string,
  request: InitializationRequest,
  call: CloudCall,
): Promise<JsonObject> {
  const facts = azureFacts.steps.find(({ name }) => name === step);
  if (facts?.resourceType == null) throw new LiveplaneError("ProviderError", "There is no such step.");
  const apiVersion = apiVersionOf(facts.resourceType);
  const resourceName = facts.nameFor(request.name);
  const target = { ...request.target, container: request.name };
  const path = azureFacts.resourceIdFor(facts.resourceType, resourceName, target);
  const there = await deps.send("GET", path, apiVersion, call).catch(unlessMissing);
  if (there === null) await deps.send("PUT", path, apiVersion, call, await bodyOf(deps, step, request, call));
  for (let pause = 0; pause < mostPauses; pause++) {
    // What was accepted just now may not be seen yet.
    const read = await deps.send("GET", path, apiVersion, call).catch(unlessMissing);
    const state = read === null ? "accepted" : stateOf(read);
    if (state === "succeeded") return { id: path, name: resourceName };
    if (state === "failed" || state === "canceled")
      throw new LiveplaneError("ProviderError", `Azure could not make ${facts.resourceType}.`);
    await deps.sleep(pauseMs, call.signal);
  }
  throw new LiveplaneError("ProviderTimeout", `Azure is still making ${facts.resourceType}.`, {
    details: { outcome: "working", retryAfterSeconds: 10 },
  });
}

async function bodyOf(
  deps: AzureStepDeps,
  step: string,
  { target, tags }: InitializationRequest,
  call: CloudCall,
): Promise<JsonObject> {
  const body = { location: target.region, tags: { ...tags } };
  if (step === "key-vault") {
    const tenantId = target.tenantId ?? (await deps.tokens.tenantOf(target.scope, call));
    const sku = { family: "A", name: "standard" };
    return {
      ...body,
      properties: { tenantId, sku, enableRbacAuthorization: true, enableSoftDelete: true, accessPolicies: [] },
    };
  }
  if (step === "storage-account") {
    const properties = { minimumTlsVersion: "TLS1_2", supportsHttpsTrafficOnly: true, allowBlobPublicAccess: false };
    return { ...body, kind: "StorageV2", sku: { name: "Standard_LRS" }, properties };
  }
  return body;
}

function unlessMissing(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}

function stateOf({ body }: CloudResponse): string {
  const state = isObject(body.properties) ? body.properties.provisioningState : undefined;
  return typeof state === "string" ? state.toLowerCase() : "succeeded";
}
