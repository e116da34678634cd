import type { CloudCall } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { isUnregistered } from "./azure-refusals.ts";
import { type AzureRequests, subscriptionOf } from "./azure-requests.ts";

/** The version of the calls about resource providers. */
export const providersVersion = "2025-04-01";
const registrationSeconds = 15;

/** The resource providers of a subscription. In a new subscription most aren't registered, and refuse to create anything. */
export interface AzureProviders {
  /** Requests their registration; `false` if it takes a while. */
  register(subscriptionId: string, namespaces: readonly string[], call: CloudCall): Promise<boolean>;
  /** The error of a write. If an unregistered provider was the reason, its registration has been requested. */
  registerIfRefused(error: unknown, resourceId: string, call: CloudCall): Promise<unknown>;
}

/** Registers resource providers. */
export function azureProviders({ send }: Pick<AzureRequests, "send">): AzureProviders {
  const ask = async (subscriptionId: string, namespace: string, call: CloudCall) => {
    const path = `/subscriptions/${subscriptionId}/providers/${namespace}`;
    const { body } = await send({ method: "GET", path, version: providersVersion }, call);
    if (body.registrationState === "Registered") return true;
    if (body.registrationState !== "Registering")
      await send({ method: "POST", path: `${path}/register`, version: providersVersion }, call).catch(
        (error: unknown) => {
          throw isLiveplaneError(error, "ProviderCredentialsRejected") ? notAllowed(namespace, error) : error;
        },
      );
    return false;
  };
  const register: AzureProviders["register"] = async (subscriptionId, namespaces, call) => {
    let isDone = true;
    for (const namespace of namespaces) if (!(await ask(subscriptionId, namespace, call))) isDone = false;
    return isDone;
  };
  return {
    register,
    async registerIfRefused(error, resourceId, call) {
      if (!isLiveplaneError(error) || !isUnregistered(error)) return error;
      const namespace = /.*\/providers\/([^/]+)\//i.exec(resourceId)?.[1] ?? "";
      try {
        await register(subscriptionOf(resourceId), [namespace], call);
      } catch (refusal) {
        return refusal;
      }
      const details = { ...error.details, retryAfterSeconds: registrationSeconds };
      return new LiveplaneError(
        "ProviderError",
        `The subscription is registering ${namespace}. This can take some minutes.`,
        {
          retryable: true,
          details,
        },
      );
    },
  };
}

/** Throws that a step isn't finished and must be run again. */
export function stillMaking(what: string, retryAfterSeconds = registrationSeconds): LiveplaneError {
  const details = { outcome: "working", retryAfterSeconds };
  return new LiveplaneError("ProviderTimeout", `Azure is still creating ${what}.`, { details });
}

function notAllowed(namespace: string, { details, code }: LiveplaneError): LiveplaneError {
  const advice = `The subscription hasn't registered ${namespace}, and this identity isn't allowed to. Run: az provider register --namespace ${namespace}`;
  return new LiveplaneError(code, advice, { details });
}
