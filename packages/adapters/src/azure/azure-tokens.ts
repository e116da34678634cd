import type { CloudCall, CloudCredentials } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { ownUrl } from "../cloud-http/cloud-http.ts";
import { ask, grantOf, tokenMemory } from "../cloud-http/token-requests.ts";

/** How tokens are got. */
export interface AzureTokensOptions {
  readonly managementUrl: string;
  readonly loginUrl: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly workloadToken?: (tenantId: string) => Promise<string>;
}

/** Gives access tokens for Azure Resource Manager. */
export interface AzureTokens {
  /** A token for what lies in a subscription. Throws `ProviderCredentialsRejected` when there is none to be had. */
  tokenFor(subscriptionId: string, call: CloudCall): Promise<string>;
  /** The tenant that a subscription belongs to. */
  tenantOf(subscriptionId: string, call: Pick<CloudCall, "signal">): Promise<string>;
}

/** Gets tokens from Microsoft Entra and remembers them while they are good. */
export function azureTokens(options: AzureTokensOptions): AzureTokens {
  const { now, workloadToken } = options;
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
    { name, secret }: CloudCredentials,
    call: CloudCall,
  ): Promise<string> {
    const value = secret?.reveal() ?? "";
    const client = { id: name ?? "", secret: value };
    return remembered({ for: `${tenant} ${name}`, secret: value }, () => granted(options, tenant, client, call));
  }

  return {
    tenantOf,
    async tokenFor(subscriptionId, call) {
      const { credentials } = call;
      if (credentials.kind === "delegated" && credentials.secret !== null) return credentials.secret.reveal();
      const tenant = await tenantOf(subscriptionId, call);
      if (credentials.kind === "servicePrincipal") return servicePrincipal(tenant, credentials, call);
      if (credentials.kind === "workload" && workloadToken !== undefined) return workloadToken(tenant);
      throw new LiveplaneError(
        "ProviderCredentialsRejected",
        "Azure takes a service principal, a person's sign-in or a workload identity.",
      );
    },
  };
}

/** Asked without a token, Azure names the tenant in its refusal. */
async function challengedTenant(options: AzureTokensOptions, subscriptionId: string, call: Pick<CloudCall, "signal">) {
  const path = `/subscriptions/${encodeURIComponent(subscriptionId)}?api-version=2022-12-01`;
  const { headers, status } = await ask(options, ownUrl(options.managementUrl, path), {}, call);
  const challenge = headers.get("www-authenticate") ?? "";
  const tenant = /authorization_uri="?https?:\/\/[^/"]+\/([^/",]+)/i.exec(challenge)?.[1];
  if (tenant !== undefined) return tenant;
  const retryable = status >= 500;
  throw new LiveplaneError("ProviderError", "The subscription's tenant could not be found out.", { retryable });
}

async function granted(
  options: AzureTokensOptions,
  tenant: string,
  client: { id: string; secret: string },
  call: CloudCall,
) {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.id,
    client_secret: client.secret,
    scope: `${options.managementUrl}/.default`,
  });
  const url = ownUrl(options.loginUrl, `/${encodeURIComponent(tenant)}/oauth2/v2.0/token`);
  return grantOf(await ask(options, url, { method: "POST", body: form }, call));
}
