import type { Api } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { type CallParts, callsOver } from "@liveplane/core/routes";
import { followStream } from "./event-source.ts";
import { createHttp, type HttpOptions, type HttpRequest, unlessAborted } from "./http.ts";
import { toRequest } from "./requests.ts";
import { type ClientCredentials, createClientTokens, givenTokens, type TokenSource } from "./tokens.ts";

/** Options of a client: the service's address and the caller's credentials. */
export interface ClientOptions extends HttpOptions {
  /** A bearer token, or a function that returns one before each request. */
  readonly token?: TokenSource;
  /** Signs in and refreshes automatically. */
  readonly credentials?: ClientCredentials;
}

/**
 * Creates the API of a liveplane service, in the shape of the embedded one.
 *
 * @example
 * const api = createClient({ baseUrl, credentials: { username, password } });
 * await api.environments.get({ type: "Personal", ownerId, shortName: "production" });
 */
export function createClient({ token, credentials, ...options }: ClientOptions): Api {
  const http = createHttp(options);
  const tokens = credentials === undefined ? givenTokens(token) : createClientTokens(http, credentials);

  /** A refused token is replaced once, because it may have been revoked. */
  async function authorized<T>(request: HttpRequest, send: (request: HttpRequest) => Promise<T>): Promise<T> {
    const bearer = await unlessAborted(tokens.current(), request.signal);
    try {
      return await send(withToken(request, bearer));
    } catch (error) {
      const ended = isLiveplaneError(error, "TokenExpired") || isLiveplaneError(error, "TokenRevoked");
      if (bearer === null || !ended || !tokens.refused(bearer)) throw error;
      const next = await unlessAborted(tokens.current(), request.signal);
      if (next === bearer) throw error;
      return send(withToken(request, next));
    }
  }

  function follow({ query: { after, ...query }, ...parts }: CallParts): AsyncIterable<unknown> {
    const { signal } = parts.options;
    return followStream({
      after: after === undefined ? undefined : String(after),
      signal,
      open(last) {
        const request = toRequest({ ...parts, query });
        const headers: Record<string, string> = { ...request.headers, accept: "text/event-stream" };
        if (last !== undefined) headers["last-event-id"] = last;
        return authorized({ ...request, headers }, http.stream);
      },
    });
  }

  return callsOver({ call: (parts) => authorized(toRequest(parts), http.json), stream: follow }) as Api;
}

function withToken(request: HttpRequest, token: string | null): HttpRequest {
  return token === null ? request : { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
