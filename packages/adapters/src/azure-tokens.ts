import type { CloudCall, CloudCredentials } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";

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

/** A token is renewed this long before its end. */
const marginMs = 120_000;
const mostRemembered = 500;

/** Gets tokens from Microsoft Entra and remembers them while they are good. */
export function azureTokens(options: AzureTokensOptions): AzureTokens {
  const { now, workloadToken } = options;
  const tenants = new Map<string, string>();
  const tokens = new Map<string, { readonly token: string; readonly until: number }>();

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
    const key = `${tenant} ${name} ${await digest(value)}`;
    const known = tokens.get(key);
    if (known !== undefined && known.until > now()) return known.token;
    const { token, expiresIn } = await granted(options, tenant, { id: name ?? "", secret: value }, call);
    if (tokens.size >= mostRemembered) tokens.delete(tokens.keys().next().value ?? "");
    tokens.set(key, { token, until: now() + expiresIn * 1000 - marginMs });
    return token;
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
  const url = `${options.managementUrl}/subscriptions/${subscriptionId}?api-version=2022-12-01`;
  const { headers, status } = await ask(options, url, {}, call);
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
  const url = `${options.loginUrl}/${tenant}/oauth2/v2.0/token`;
  const response = await ask(options, url, { method: "POST", body: form }, call);
  if (response.status === 400 || response.status === 401) throw new LiveplaneError("ProviderCredentialsRejected");
  const body = (await response.json().catch(() => ({}))) as { access_token?: unknown; expires_in?: unknown };
  if (!response.ok || typeof body.access_token !== "string") {
    throw new LiveplaneError("ProviderError", "The identity provider failed.", { retryable: true });
  }
  return { token: body.access_token, expiresIn: Number(body.expires_in ?? 0) };
}

async function ask(
  options: AzureTokensOptions,
  url: string,
  init: RequestInit,
  { signal }: Pick<CloudCall, "signal">,
): Promise<Response> {
  if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
  const timeout = AbortSignal.timeout(options.timeoutMs);
  try {
    return await options.fetch(url, {
      ...init,
      redirect: "error",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (timeout.aborted) throw new LiveplaneError("ProviderTimeout", "The identity provider did not answer in time.");
    throw new LiveplaneError("ProviderError", "The identity provider could not be reached.", { retryable: true });
  }
}

/** What is remembered is found by a digest: the secret itself is kept nowhere. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(bytes).toString("base64url");
}
