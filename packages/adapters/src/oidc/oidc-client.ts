import { LiveplaneError } from "@liveplane/core/errors";
import type { ClientAuth, Configuration } from "openid-client";

/** The client at a provider, and the timeout of requests. */
export interface OidcClientOptions {
  readonly clientId: string;
  /** Without one, the client is public. */
  readonly clientSecret?: string;
  readonly timeoutMs: number;
}

/** The providers' metadata by issuer: requested once, and again after a failure. */
export interface OidcConfigurations {
  of(issuer: string): Promise<Configuration>;
}

/** Caches the providers' metadata. `option`: the host's option that names the issuer. */
export function oidcConfigurations(option: string, options: OidcClientOptions): OidcConfigurations {
  const known = new Map<string, Promise<Configuration>>();
  return {
    async of(issuer) {
      const url = issuerUrl(issuer, option);
      const found = known.get(url.href);
      if (found !== undefined) return found;
      const discovered = discover(url, options);
      known.set(url.href, discovered);
      // An unavailable provider is asked again next time.
      discovered.catch(() => known.delete(url.href));
      return discovered;
    },
  };
}

async function discover(issuer: URL, { clientId, clientSecret, timeoutMs }: OidcClientOptions): Promise<Configuration> {
  const client = await loadClient();
  const authentication = clientSecret === undefined ? client.None() : withSecret(client, clientSecret);
  return client.discovery(issuer, clientId, undefined, authentication, {
    timeout: timeoutMs / 1000,
    ...(issuer.protocol === "http:" && { execute: [client.allowInsecureRequests] }),
  });
}

/** The client authentication that the provider accepts; HTTP Basic is the default if it doesn't say. */
function withSecret(client: typeof import("openid-client"), secret: string): ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: ways = ["client_secret_basic"] } = server;
    return (ways.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** An issuer's URL. Plain HTTP is accepted only on this machine. */
export function issuerUrl(issuer: string, option: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const loopback = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && loopback)) return url;
  throw new LiveplaneError("ConfigurationInvalid", `${option} must be an https URL.`);
}

/** Loads the library, which only sign-in at a provider needs. */
export async function loadClient(): Promise<typeof import("openid-client")> {
  try {
    return await import("openid-client");
  } catch (cause) {
    const detail = "Signing in at an OpenID provider needs the package openid-client: npm install openid-client@6";
    throw new LiveplaneError("CapabilityMissing", detail, { cause });
  }
}
