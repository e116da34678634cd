import type { DeviceAuthorizer, DeviceGrant, DeviceOutcome } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { loadClient, oidcConfigurations } from "./oidc-client.ts";
import { isServerError, isTimeout, reasonOf, whileWanted } from "./oidc-failures.ts";

/** Options of an OpenID Connect device authorizer. */
export interface OidcDeviceAuthorizerOptions {
  /** The issuer for a tenant: a uuid or `common`. */
  readonly issuerFor: (tenantId: string) => string;
  readonly clientId: string;
  /** Without one, the client is public, as most device clients are. */
  readonly clientSecret?: string;
  /** The scope of the delegated credential. @default "openid" */
  readonly scope?: string;
  /** How long each request may take. @default 10000 */
  readonly timeoutMs?: number;
  /** What the time is. @default Date.now */
  readonly now?: () => number;
}

/** The issuer of a Microsoft Entra tenant; sovereign clouds have their own addresses. */
export function entraIssuer(tenantId: string, loginUrl = "https://login.microsoftonline.com"): string {
  return `${loginUrl}/${tenantId}/v2.0`;
}

/**
 * Authorizes by device (RFC 8628) at an OpenID provider, using openid-client. Stores nothing but the provider's metadata, so any process
 * with the device code can continue polling.
 */
export function oidcDeviceAuthorizer(options: OidcDeviceAuthorizerOptions): DeviceAuthorizer {
  const { issuerFor, clientId, clientSecret, scope = "openid", timeoutMs = 10_000, now = Date.now } = options;
  const configurations = oidcConfigurations("issuerFor", {
    clientId,
    timeoutMs,
    ...(clientSecret !== undefined && { clientSecret }),
  });
  const configurationOf = (tenantId: string) => configurations.of(issuerFor(tenantId));

  return {
    begin: (tenantId, { signal } = {}) =>
      translated(signal, async () => {
        const client = await loadClient();
        const response = await client.initiateDeviceAuthorization(await configurationOf(tenantId), { scope });
        const { device_code, user_code, verification_uri, expires_in, interval = 5, message } = response;
        const shown = `To sign in, open ${verification_uri} and enter the code ${user_code}.`;
        return {
          deviceCode: device_code,
          userCode: user_code,
          verificationUri: verification_uri,
          message: typeof message === "string" ? message : shown,
          expiresInSeconds: expires_in,
          intervalSeconds: interval,
        } satisfies DeviceGrant;
      }),
    poll: (tenantId, deviceCode, { signal } = {}) =>
      translated(signal, async () => {
        const client = await loadClient();
        try {
          const grant = "urn:ietf:params:oauth:grant-type:device_code";
          const configuration = await configurationOf(tenantId);
          const tokens = await client.genericGrantRequest(configuration, grant, { device_code: deviceCode });
          const expiresAt = now() + (tokens.expires_in ?? 3600) * 1000;
          return { status: "Completed", credential: tokens.access_token, expiresAt };
        } catch (error) {
          const outcome = error instanceof client.ResponseBodyError ? outcomes.get(error.error) : undefined;
          if (outcome === undefined) throw error;
          return outcome;
        }
      }),
  };
}

/** The errors of RFC 8628 §3.5 that are results rather than failures. A code that the provider no longer knows has expired. */
const outcomes: ReadonlyMap<string, DeviceOutcome> = new Map([
  ["authorization_pending", { status: "Pending", slowDown: false }],
  ["slow_down", { status: "Pending", slowDown: true }],
  ["access_denied", { status: "Denied" }],
  ["authorization_declined", { status: "Denied" }],
  ["expired_token", { status: "Expired" }],
  ["invalid_grant", { status: "Expired" }],
]);

/** Turns failures into coded errors. The client's own errors contain requests and tokens, and are not passed on. */
async function translated<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await whileWanted(signal, work());
  } catch (error) {
    if (error instanceof LiveplaneError) throw error;
    if (isTimeout(error)) {
      throw new LiveplaneError("ProviderTimeout", "The identity provider did not answer in time.");
    }
    const retryable = error instanceof TypeError || isServerError(error);
    throw new LiveplaneError("ProviderError", "The identity provider failed.", { retryable, details: reasonOf(error) });
  }
}
