import { LiveplaneError } from "@liveplane/core/errors";
import type { ClientAuth, Configuration } from "openid-client";

/** Who asks a provider, and how long it may take to answer. */
export interface OidcClientOptions {
  readonly clientId: string;
  /** Without one the client is a public one. */
  readonly clientSecret?: string;
  readonly timeoutMs: number;
}

/** The providers' metadata by issuer: asked for once, and again where that failed. */
export interface OidcConfigurations {
  of(issuer: string): Promise<Configuration>;
}

/** Remembers what providers say of themselves. `option`: what the host calls the issuer. */
export function oidcConfigurations(option: string, options: OidcClientOptions): OidcConfigurations {
  const known = new Map<string, Promise<Configuration>>();
  return {
    async of(issuer) {
      const url = issuerUrl(issuer, option);
      const found = known.get(url.href);
      if (found !== undefined) return found;
      const discovered = discover(url, options);
      known.set(url.href, discovered);
      // A provider that is down now is asked again next time.
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

/** The way that the provider takes; both are the same to it, and HTTP Basic is what holds where it says nothing. */
function withSecret(client: typeof import("openid-client"), secret: string): ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: ways = ["client_secret_basic"] } = server;
    return (ways.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** The address of an issuer. Tokens travel in the clear to nobody but this machine itself. */
export function issuerUrl(issuer: string, option: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const loopback = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && loopback)) return url;
  throw new LiveplaneError("ConfigurationInvalid", `${option} must be an https URL.`);
}

/** Loads the library, which only who signs in at a provider needs. */
export async function loadClient(): Promise<typeof import("openid-client")> {
  try {
    return await import("openid-client");
  } catch (cause) {
    const detail = "Signing in at an OpenID provider needs the package openid-client: npm install openid-client@6";
    throw new LiveplaneError("CapabilityMissing", detail, { cause });
  }
}
