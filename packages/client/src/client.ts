import type { Api } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { type CallParts, callsOver, credentialHeaders } from "@liveplane/core/routes";
import { followStream } from "./event-source.ts";
import { createHttp, type HttpOptions, type HttpRequest } from "./http.ts";
import { type ClientCredentials, createTokens, givenTokens, type TokenSource } from "./tokens.ts";

/** Options of a client: where the service is, and how to prove oneself to it. */
export interface ClientOptions extends HttpOptions {
  /** A bearer token, or a function that gives one before each request. */
  readonly token?: TokenSource;
  /** Signs in and refreshes by itself. */
  readonly credentials?: ClientCredentials;
}

/**
 * Builds the API of a liveplane service, in the same shape as the embedded one.
 *
 * @example
 * const api = createClient({ baseUrl, credentials: { username, password } });
 * await api.environments.get({ type: "Personal", ownerId, shortName: "production" });
 */
export function createClient({ token, credentials, ...options }: ClientOptions): Api {
  const http = createHttp(options);
  const tokens = credentials === undefined ? givenTokens(token) : createTokens(http, credentials);

  /** A token that is refused is replaced once: it may have been revoked since it was given. */
  async function authorized<T>(request: HttpRequest, send: (request: HttpRequest) => Promise<T>): Promise<T> {
    const bearer = await tokens.current();
    try {
      return await send(withToken(request, bearer));
    } catch (error) {
      const expired = isLiveplaneError(error, "TokenExpired") || isLiveplaneError(error, "TokenRevoked");
      if (bearer === null || !expired || !tokens.refused(bearer)) throw error;
      return send(withToken(request, await tokens.current()));
    }
  }

  const calls = callsOver({
    call: (parts) => authorized(requestOf(parts), http.json),
    stream: (parts) => follow(parts),
  });

  function follow({ query, options: { signal }, ...parts }: CallParts): AsyncIterable<unknown> {
    const { after, ...filter } = query;
    return followStream({
      after: after === undefined ? undefined : String(after),
      signal,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      open(last) {
        const request = requestOf({ ...parts, query: filter, options: signal ? { signal } : {} });
        const headers = {
          ...request.headers,
          accept: "text/event-stream",
          ...(last !== undefined && { "last-event-id": last }),
        };
        return authorized({ ...request, headers }, http.stream);
      },
    });
  }

  return calls as Api;
}

function withToken(request: HttpRequest, token: string | null): HttpRequest {
  return token === null ? request : { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

function requestOf({ route, params, query, body, credentials, options }: CallParts): HttpRequest {
  const [method] = route.methods;
  const { signal, idempotencyKey, requestId, ifMatch, ifNoneMatch } = options;
  const headers: Record<string, string> = { accept: "application/json", "api-version": "1" };
  const put = (name: string, value: string | undefined) => {
    if (value !== undefined) headers[name] = value;
  };
  put("idempotency-key", idempotencyKey);
  put("x-request-id", requestId);
  put("if-match", ifMatch === undefined ? undefined : entityTag(ifMatch));
  put("if-none-match", ifNoneMatch === undefined ? undefined : entityTag(ifNoneMatch));
  put("content-type", body === undefined ? undefined : "application/json");
  for (const [option, value] of Object.entries(credentials))
    put(credentialHeaders[option as keyof typeof credentialHeaders].toLowerCase(), value);
  return {
    method,
    url: urlOf(route.path, params, query),
    headers,
    repeatable: method !== "POST" || idempotencyKey !== undefined,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
}

function entityTag(version: string): string {
  return version === "*" ? "*" : `"${version}"`;
}

function urlOf(
  path: string,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, unknown>>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  const text = search.toString();
  return text === "" ? filled : `${filled}?${text}`;
}
