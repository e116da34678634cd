import { LiveplaneError } from "@liveplane/core/errors";
import type { GoogleAuthClient } from "./google-tokens.ts";

/**
 * Google's application default credentials, through `google-auth-library`, which is loaded on demand: the file in
 * `GOOGLE_APPLICATION_CREDENTIALS`, the gcloud user, or the machine's own service account. Throws `ConfigurationInvalid` if the library
 * isn't installed.
 */
export async function googleCredential(): Promise<GoogleAuthClient> {
  const { GoogleAuth } = await import("google-auth-library").catch((cause: unknown) => {
    const advice = "Google Cloud identities need the package google-auth-library: npm install google-auth-library@11";
    throw new LiveplaneError("ConfigurationInvalid", advice, { cause });
  });
  return new GoogleAuth({ scopes: "https://www.googleapis.com/auth/cloud-platform" });
}
