import { LiveplaneError } from "@liveplane/core/errors";
import type { AzureCredential } from "./azure-cloud.ts";

/** Where an identity for Azure comes from, in the words of `@azure/identity`. */
export type AzureIdentity = "default" | "managed-identity" | "workload-identity" | "cli";

/**
 * The identity of the machine or of anyone who is signed in there, by `@azure/identity`, which is loaded then. Throws `ConfigurationInvalid`
 * where that isn't installed.
 */
export async function azureCredential(from: AzureIdentity): Promise<AzureCredential> {
  const identity = await import("@azure/identity").catch((cause: unknown) => {
    const advice = "Azure identities need the package @azure/identity: npm install @azure/identity@4";
    throw new LiveplaneError("ConfigurationInvalid", advice, { cause });
  });
  switch (from) {
    case "default":
      return new identity.DefaultAzureCredential();
    case "managed-identity":
      return new identity.ManagedIdentityCredential();
    case "workload-identity":
      return new identity.WorkloadIdentityCredential();
    case "cli":
      return new identity.AzureCliCredential();
  }
}
