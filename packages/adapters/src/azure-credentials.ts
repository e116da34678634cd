import { LiveplaneError } from "@liveplane/core/errors";
import type { AzureCredential } from "./azure-cloud.ts";

/** The source of an Azure identity, in the terms of `@azure/identity`. */
export type AzureIdentity = "default" | "managed-identity" | "workload-identity" | "cli";

/**
 * The identity of the machine or of the person signed in there, through `@azure/identity`, which is loaded on demand. Throws
 * `ConfigurationInvalid` if it isn't installed.
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
