import type { CloudCall } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";

/** How an identity provider is called. */
export interface TokenRequestOptions {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

/** Calls an identity provider. Failures are coded errors without any part of the request. */
export async function ask(
  options: TokenRequestOptions,
  url: string | URL,
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

/** The token in an answer, with its lifetime in seconds. */
export async function grantOf(response: Response): Promise<{ readonly token: string; readonly expiresIn: number }> {
  if (response.status === 400 || response.status === 401) throw new LiveplaneError("ProviderCredentialsRejected");
  const body = (await response.json().catch(() => ({}))) as { access_token?: unknown; expires_in?: unknown };
  if (!response.ok || typeof body.access_token !== "string") {
    throw new LiveplaneError("ProviderError", "The identity provider failed.", { retryable: true });
  }
  return { token: body.access_token, expiresIn: Number(body.expires_in ?? 0) };
}

/** A token is renewed this long before it expires. */
const marginMs = 120_000;
const mostRemembered = 500;

/**
 * Caches tokens while they are valid, by a digest of the credential: the secret itself is stored nowhere. A refused token is requested
 * again.
 */
export function tokenMemory(now: () => number) {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>();
  return async (
    of: { readonly for: string; readonly secret: string },
    get: () => ReturnType<typeof grantOf>,
    refused?: string,
  ): Promise<string> => {
    const key = `${of.for} ${await digest(of.secret)}`;
    const known = tokens.get(key);
    if (known !== undefined && known.until > now() && known.token !== refused) return known.token;
    const { token, expiresIn } = await get();
    if (tokens.size >= mostRemembered) tokens.delete(tokens.keys().next().value ?? "");
    tokens.set(key, { token, until: now() + expiresIn * 1000 - marginMs });
    return token;
  };
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(bytes).toString("base64url");
}
