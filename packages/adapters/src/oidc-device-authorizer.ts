import type { DeviceAuthorizer, DeviceGrant, DeviceOutcome } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import type { Configuration } from "openid-client";

/** Options of an OpenID Connect device authorizer. */
export interface OidcDeviceAuthorizerOptions {
  /** The issuer of a tenant: a uuid or `common`. */
  readonly issuerFor: (tenantId: string) => string;
  readonly clientId: string;
  /** Without one the client is a public one, as device clients mostly are. */
  readonly clientSecret?: string;
  /** What the delegated credential is good for. @default "openid" */
  readonly scope?: string;
  /** How long each request may take. @default 10000 */
  readonly timeoutMs?: number;
  /** What the time is. @default Date.now */
  readonly now?: () => number;
}

/** The issuer of a Microsoft Entra tenant; sovereign clouds have an address of their own. */
export function entraIssuer(tenantId: string, loginUrl = "https://login.microsoftonline.com"): string {
  return `${loginUrl}/${tenantId}/v2.0`;
}

/**
 * Authorizes by device (RFC 8628) at an OpenID provider, by openid-client. Keeps nothing but the providers' metadata: whoever
 * holds the device code, after a restart too, goes on polling.
 */
export function oidcDeviceAuthorizer(options: OidcDeviceAuthorizerOptions): DeviceAuthorizer {
  const { issuerFor, clientId, clientSecret, scope = "openid", timeoutMs = 10_000, now = Date.now } = options;
  const configurations = new Map<string, Promise<Configuration>>();

  async function configurationOf(tenantId: string): Promise<Configuration> {
    const issuer = issuerUrl(issuerFor(tenantId));
    const known = configurations.get(issuer.href);
    if (known !== undefined) return known;
    const discovered = discover(issuer, { clientId, timeoutMs, ...(clientSecret !== undefined && { clientSecret }) });
    configurations.set(issuer.href, discovered);
    // A provider that is down now is asked again next time.
    discovered.catch(() => configurations.delete(issuer.href));
    return discovered;
  }

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

/** The errors of RFC 8628 §3.5 that are answers rather than failures. A code that the provider no longer knows has expired. */
const outcomes: ReadonlyMap<string, DeviceOutcome> = new Map([
  ["authorization_pending", { status: "Pending", slowDown: false }],
  ["slow_down", { status: "Pending", slowDown: true }],
  ["access_denied", { status: "Denied" }],
  ["authorization_declined", { status: "Denied" }],
  ["expired_token", { status: "Expired" }],
  ["invalid_grant", { status: "Expired" }],
]);

async function discover(
  issuer: URL,
  options: { clientId: string; clientSecret?: string; timeoutMs: number },
): Promise<Configuration> {
  const client = await loadClient();
  const { clientId, clientSecret, timeoutMs } = options;
  const authentication = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret);
  return client.discovery(issuer, clientId, undefined, authentication, {
    timeout: timeoutMs / 1000,
    ...(issuer.protocol === "http:" && { execute: [client.allowInsecureRequests] }),
  });
}

/** Tokens travel in the clear to nobody but this machine itself. */
function issuerUrl(issuer: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const loopback = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && loopback)) return url;
  throw new LiveplaneError("ConfigurationInvalid", "issuerFor: an issuer is an https URL.");
}

async function loadClient(): Promise<typeof import("openid-client")> {
  try {
    return await import("openid-client");
  } catch (cause) {
    throw new LiveplaneError("CapabilityMissing", "oidcDeviceAuthorizer needs openid-client: install it.", { cause });
  }
}

/** Turns what goes wrong into a coded error. The client's own errors carry requests and tokens: none of them gets out. */
async function translated<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await unlessAborted(signal, work());
  } catch (error) {
    if (error instanceof LiveplaneError) throw error;
    const name = error instanceof Error ? error.name : "";
    if (name === "TimeoutError" || codeOf(error) === "OAUTH_TIMEOUT") {
      throw new LiveplaneError("ProviderTimeout", "The identity provider did not answer in time.");
    }
    const retryable = error instanceof TypeError || isServerError(error);
    throw new LiveplaneError("ProviderError", "The identity provider failed.", { retryable, details: reason(error) });
  }
}

function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new LiveplaneError("Aborted", undefined, { cause: signal.reason }));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** What isn't an OAuth error at all comes with the whole response as its cause. */
function isServerError(error: unknown): boolean {
  const response = error instanceof Error && error.cause instanceof Response ? error.cause : error;
  const status =
    typeof response === "object" && response !== null && "status" in response ? response.status : undefined;
  return typeof status === "number" && status >= 500;
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The error words of OAuth are from closed lists; descriptions may hold anything and stay inside. */
function reason(error: unknown): { reason?: string } {
  const word = typeof error === "object" && error !== null && "error" in error ? error.error : codeOf(error);
  return typeof word === "string" && /^[\w-]{1,64}$/.test(word) ? { reason: word } : {};
}
