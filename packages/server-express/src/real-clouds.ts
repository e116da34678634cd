import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { entraIssuer, oidcDeviceAuthorizer } from "@liveplane/adapters/oidc-device-authorizer";
import type { Clouds } from "@liveplane/core";
import { type CloudAddresses, serviceAddress } from "./cloud-addresses.ts";

/**
 * Azure as provider A, Google Cloud as provider B. The server has no identity of its own there: the agent goes on with what the last
 * completed initialization was given, kept sealed.
 */
export function realClouds({ azure, google }: CloudAddresses): Clouds {
  const { managementUrl, loginUrl, clientId } = azure;
  return {
    adapters: [
      azureCloud({ managementUrl, loginUrl }),
      googleCloud({ urlOf: (service) => serviceAddress(google, service), tokenUrl: google.tokenUrl }),
    ],
    ...(clientId !== null && {
      deviceAuthorizers: {
        "provider-a": oidcDeviceAuthorizer({
          issuerFor: (tenantId) => entraIssuer(tenantId, loginUrl),
          clientId,
          scope: `${managementUrl}/.default`,
        }),
      },
    }),
    retainProviderCredentials: true,
  };
}
