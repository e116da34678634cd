import { LiveplaneError } from "@liveplane/core/errors";
import type { GoogleAuthClient } from "./google-tokens.ts";

/**
 * Google's application default credentials, by `google-auth-library`, which is loaded then: what `GOOGLE_APPLICATION_CREDENTIALS` names, who
 * is signed in with gcloud, or the machine's own service account. Throws `ConfigurationInvalid` where that isn't installed.
 */
export async function googleCredential(): Promise<GoogleAuthClient> {
  const { GoogleAuth } = await import("google-auth-library").catch((cause: unknown) => {
    const advice = "Google Cloud identities need the package google-auth-library: npm install google-auth-library@11";
    throw new LiveplaneError("ConfigurationInvalid", advice, { cause });
  });
  return new GoogleAuth({ scopes: "https://www.googleapis.com/auth/cloud-platform" });
}
