import type { CloudCall, CloudCredentials } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { ownUrl } from "../cloud-http/cloud-http.ts";
import { ask, grantOf, tokenMemory } from "../cloud-http/token-requests.ts";

/** The part of an `@azure/identity` credential that is used. */
export interface AzureCredential {
  /** Returns a token for the scope; `null` if there is none. */
  getToken(
    scopes: string,
    options?: { readonly abortSignal?: AbortSignal },
  ): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>;
}

export interface AzureTokensOptions {
  readonly managementUrl: string;
  readonly loginUrl: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly now: () => number;
  /** The host's own identity. */
  readonly credential?: AzureCredential;
}

/** Gives access tokens for Azure Resource Manager. */
export interface AzureTokens {
  /** A token for a subscription; if one was refused, a different one if possible. Throws `ProviderCredentialsRejected` if there is none. */
  tokenFor(subscriptionId: string, call: CloudCall, refused?: string): Promise<string>;
  tenantOf(subscriptionId: string, call: Pick<CloudCall, "signal">): Promise<string>;
}

/** Gets tokens from Microsoft Entra and caches them while they are valid. */
export function azureTokens(options: AzureTokensOptions): AzureTokens {
  const { now, credential, managementUrl } = options;
  const tenants = new Map<string, string>();
  const remembered = tokenMemory(now);

  async function tenantOf(subscriptionId: string, call: Pick<CloudCall, "signal">): Promise<string> {
    const known = tenants.get(subscriptionId);
    if (known !== undefined) return known;
    const tenant = await challengedTenant(options, subscriptionId, call);
    tenants.set(subscriptionId, tenant);
    return tenant;
  }

  async function servicePrincipal(
    tenant: string,
    { kind, name, secret }: CloudCredentials,
    call: CloudCall,
    refused?: string,
  ): Promise<string> {
    const value = secret?.reveal() ?? "";
    const client = { id: name ?? "", proof: proofOf(kind, value) };
    const get = () => granted(options, tenant, client, call);
    return remembered({ for: `${tenant} ${name}`, secret: value }, get, refused);
  }

  /** The library caches its tokens itself. Its errors may quote what it sent, and are not passed on. */
  async function ownToken(own: AzureCredential, { signal }: CloudCall): Promise<string> {
    const scope = `${new URL(managementUrl).origin}/.default`;
    try {
      const got = await own.getToken(scope, signal ? { abortSignal: signal } : {});
      if (got !== null) return got.token;
    } catch {
      if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    }
    throw new LiveplaneError("ProviderCredentialsRejected", "The host's own identity could not get a token for Azure.");
  }

  return {
    tenantOf,
    async tokenFor(subscriptionId, call, refused) {
      const { credentials } = call;
      if (credentials.kind === "delegated" && credentials.secret !== null) return credentials.secret.reveal();
      if (credentials.kind === "servicePrincipal" || credentials.kind === "clientAssertion")
        return servicePrincipal(await tenantOf(subscriptionId, call), credentials, call, refused);
      if (credentials.kind === "workload" && credential !== undefined) return ownToken(credential, call);
      throw new LiveplaneError(
        "ProviderCredentialsRejected",
        "Azure accepts only a service principal, a person's sign-in or a workload identity.",
      );
    },
  };
}

/** Requested without a token, Azure names the tenant in its refusal. */
async function challengedTenant(options: AzureTokensOptions, subscriptionId: string, call: Pick<CloudCall, "signal">) {
  const path = `/subscriptions/${encodeURIComponent(subscriptionId)}?api-version=2022-12-01`;
  const { headers, status } = await ask(options, ownUrl(options.managementUrl, path), {}, call);
  const challenge = headers.get("www-authenticate") ?? "";
  const tenant = /authorization_uri="?https?:\/\/[^/"]+\/([^/",]+)/i.exec(challenge)?.[1];
  if (tenant !== undefined) return tenant;
  const retryable = status >= 500;
  throw new LiveplaneError("ProviderError", "The subscription's tenant could not be determined.", { retryable });
}

/** A secret, or a signed statement instead (RFC 7523). */
function proofOf(kind: CloudCredentials["kind"], value: string): Record<string, string> {
  if (kind !== "clientAssertion") return { client_secret: value };
  const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  return { client_assertion_type, client_assertion: value };
}

async function granted(
  options: AzureTokensOptions,
  tenant: string,
  client: { id: string; proof: Readonly<Record<string, string>> },
  call: CloudCall,
) {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.id,
    ...client.proof,
    scope: `${options.managementUrl}/.default`,
  });
  const url = ownUrl(options.loginUrl, `/${encodeURIComponent(tenant)}/oauth2/v2.0/token`);
  return grantOf(await ask(options, url, { method: "POST", body: form }, call));
}
