import {
  azureFacts,
  type Cloud,
  type CloudCall,
  type InitializationRequest,
  type JsonObject,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { apiVersionOf } from "./azure-kinds.ts";
import { type AzureProviders, stillMaking } from "./azure-providers.ts";
import type { AzureRequests } from "./azure-requests.ts";
import { azureReading } from "./azure-resource.ts";
import type { AzureTokens } from "./azure-tokens.ts";

/** What a step needs to call Azure. */
export interface AzureStepsDeps {
  readonly tokens: Pick<AzureTokens, "tenantOf">;
  readonly requests: AzureRequests;
  readonly providers: Pick<AzureProviders, "register">;
  readonly now: () => number;
}

const registration = {
  name: "resource-providers",
  description: "Registers the resource providers that the environment needs",
  resourceName: null,
  resourceType: null,
};
const namespaces = [
  ...new Set(azureFacts.steps.flatMap(({ resourceType }) => resourceType?.split("/", 1) ?? [])),
].filter((namespace) => namespace !== "Microsoft.Resources");
/** How long an accepted resource may be invisible before it is requested again. */
const hiddenMs = 600_000;
const pauseSeconds = 5;

/** The steps of an initialization. None waits inside a call: unfinished work is asked about again. */
export function azureSteps(deps: AzureStepsDeps): Pick<Cloud, "initializationSteps" | "runStep"> {
  const accepted = new Map<string, number>();

  async function make(step: string, request: InitializationRequest, call: CloudCall): Promise<JsonObject> {
    const facts = azureFacts.steps.find(({ name }) => name === step);
    if (facts?.resourceType == null) throw new LiveplaneError("ProviderError", "There is no such step.");
    const type = facts.resourceType;
    const name = facts.nameFor(request.name);
    const path = azureFacts.resourceIdFor(type, name, { ...request.target, container: request.name });
    const version = apiVersionOf(type);
    const look = async () => {
      const there = await deps.requests.send({ method: "GET", path, version }, call).catch(unlessMissing);
      return there === null ? null : azureReading(type, there.body);
    };
    const reading = await look();
    const isHidden = reading === null && (accepted.get(path) ?? 0) > deps.now();
    if (reading === null && !isHidden) {
      const body = await bodyOf(deps, step, request, call);
      await deps.requests.send({ method: "PUT", path, version, body }, call).catch(unlessUnderway);
      accepted.set(path, deps.now() + hiddenMs);
    }
    const now = reading ?? (await look());
    if (now?.state === "present") return { id: path, name };
    if (now?.state === "failed")
      throw new LiveplaneError("ProviderError", `Azure could not make ${type}.`, {
        details: { providerCode: now.code },
      });
    throw stillMaking(type, pauseSeconds);
  }

  return {
    initializationSteps: (_target, name) => [
      registration,
      ...azureFacts.steps.map(({ nameFor, ...plan }) => ({ ...plan, resourceName: nameFor(name) })),
    ],
    async runStep(step, request, call) {
      if (step !== registration.name) return make(step, request, call);
      if (!(await deps.providers.register(request.target.scope, namespaces, call)))
        throw stillMaking("the registration of resource providers");
      return { namespaces: [...namespaces] };
    },
  };
}

async function bodyOf(
  deps: AzureStepsDeps,
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

/** A previous process has already requested it. */
function unlessUnderway(error: unknown): null {
  if (isLiveplaneError(error, "InvalidState")) return null;
  if (isLiveplaneError(error, "ProviderError") && error.details.reason === "Conflict") return null;
  throw error;
}
