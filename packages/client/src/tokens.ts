import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { Http } from "./http.ts";

/** A client's credentials. */
export type ClientCredentials =
  /** Signs in as a person, and refreshes. */
  | { readonly username: string; readonly password: string }
  /** A service account's secret. */
  | { readonly clientId: string; readonly clientSecret: string; readonly scope?: string }
  /** A refresh token from an earlier sign-in. Each is valid once. */
  | {
      readonly refreshToken: string;
      /** Receives the next refresh token, to be stored instead of the spent one. */
      readonly keep?: (refreshToken: string) => void | Promise<void>;
    };

/** A token, or a function that is asked before each request, and again when a token has expired. */
export type TokenSource = string | (() => string | Promise<string>);

/** Provides access tokens for requests. */
export interface Tokens {
  /** A valid token; `null` if none is needed. */
  current(): Promise<string | null>;
  /** Drops a refused token. Returns whether another can be had. */
  refused(token: string): boolean;
}

/** A token is replaced this long before it expires; a short-lived one after half its lifetime. */
const marginMs = 30_000;

/** Tokens from the host. */
export function givenTokens(source: TokenSource | undefined): Tokens {
  return {
    async current() {
      if (source === undefined) return null;
      return typeof source === "string" ? source : source();
    },
    refused: () => typeof source === "function",
  };
}

/** Tokens for credentials: one request for however many calls wait. */
export function createClientTokens(http: Http, credentials: ClientCredentials, now: () => number = Date.now): Tokens {
  let known: { readonly token: string; readonly until: number } | null = null;
  let refreshToken = "refreshToken" in credentials ? credentials.refreshToken : null;
  let pending: Promise<string> | null = null;

  async function fetchToken(): Promise<string> {
    if (refreshToken === null) return keep(await signIn(http, credentials));
    try {
      return await keep(await post(http, "/auth/token", { grant_type: "refresh_token", refresh_token: refreshToken }));
    } catch (error) {
      if (!isLiveplaneError(error, "InvalidCredentials")) throw error;
      refreshToken = null;
      return keep(await signIn(http, credentials));
    }
  }

  async function keep(answer: TokenAnswer): Promise<string> {
    const token = answer.accessToken ?? answer.access_token ?? "";
    const lifeMs = (answer.expiresIn ?? answer.expires_in ?? 0) * 1000;
    refreshToken = answer.refreshToken ?? answer.refresh_token ?? null;
    known = { token, until: now() + Math.max(lifeMs - marginMs, lifeMs / 2) };
    if ("refreshToken" in credentials && refreshToken !== null) await credentials.keep?.(refreshToken);
    return token;
  }

  return {
    async current() {
      if (known !== null && known.until > now()) return known.token;
      pending ??= fetchToken().finally(() => {
        pending = null;
      });
      return pending;
    },
    refused(token) {
      if (known?.token === token) known = null;
      return true;
    },
  };
}

function signIn(http: Http, credentials: ClientCredentials): Promise<TokenAnswer> {
  if ("username" in credentials) {
    const { username, password } = credentials;
    return post(http, "/auth/sessions", { username, password });
  }
  if ("clientId" in credentials) {
    const { clientId, clientSecret, scope } = credentials;
    const client = { client_id: clientId, client_secret: clientSecret };
    return post(http, "/auth/token", {
      grant_type: "client_credentials",
      ...client,
      ...(scope !== undefined && { scope }),
    });
  }
  throw new LiveplaneError("TokenRevoked", "The refresh token is no longer valid. Sign in again.");
}

/** The answer of both token operations. */
interface TokenAnswer {
  readonly accessToken?: string;
  readonly access_token?: string;
  readonly refreshToken?: string;
  readonly refresh_token?: string;
  readonly expiresIn?: number;
  readonly expires_in?: number;
}

async function post(http: Http, url: string, body: Readonly<Record<string, string>>): Promise<TokenAnswer> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  return (await http.json({
    method: "POST",
    url,
    headers,
    body: JSON.stringify(body),
    repeats: "afterReset",
    isRepeatable: true,
  })) as TokenAnswer;
}
