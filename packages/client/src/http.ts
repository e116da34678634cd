import { fromProblem, isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import ky, { HTTPError, type KyInstance, TimeoutError } from "ky";

/** One request, as the client wants it made. */
export interface HttpRequest {
  readonly method: string;
  /** The path and query, below the base. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; absent: no body. */
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Trying again can do nothing twice. */
  readonly repeatable: boolean;
}

/** How requests are made. */
export interface HttpOptions {
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
  /** @default 30000 */
  readonly timeoutMs?: number;
  /** How often a repeatable request is tried again. @default 3 */
  readonly retries?: number;
}

/** Makes requests; every failure is a `LiveplaneError` that carries neither request nor response. */
export interface Http {
  json(request: HttpRequest): Promise<unknown>;
  /** The body of an answer as it comes in. */
  stream(request: HttpRequest): Promise<ReadableStream<Uint8Array>>;
}

const retriedStatuses = [408, 429, 502, 503, 504];

/** Builds the one place that knows ky. */
export function createHttp({ baseUrl, fetch, timeoutMs = 30_000, retries = 3 }: HttpOptions): Http {
  const base = baseUrl.replace(/\/+$/, "");
  const client: KyInstance = ky.create({
    timeout: timeoutMs,
    ...(fetch && { fetch }),
    retry: {
      limit: retries,
      methods: ["get", "head", "put", "post", "delete"],
      statusCodes: retriedStatuses,
      afterStatusCodes: [429, 503],
      maxRetryAfter: 60_000,
      jitter: true,
    },
  });

  function send({ method, url, headers, body, signal, repeatable }: HttpRequest, timeout: number | false) {
    const options = {
      method,
      headers,
      timeout,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(!repeatable && { retry: 0 }),
    };
    return client(base + url, options);
  }

  return {
    async json(request) {
      try {
        const response = await send(request, timeoutMs);
        return response.status === 204 ? undefined : await response.json();
      } catch (error) {
        throw translated(error, request.signal);
      }
    },
    async stream(request) {
      try {
        const { body } = await send(request, false);
        if (body === null) throw new LiveplaneError("Unavailable", "The server sent no stream.");
        return body;
      } catch (error) {
        throw translated(error, request.signal);
      }
    },
  };
}

/** Nothing of a vendor's error goes on: it holds the request with its credentials. */
function translated(error: unknown, signal: AbortSignal | undefined): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  if (error instanceof HTTPError) {
    const failure = fromProblem(error.data, error.response.status);
    const seconds = Number(error.response.headers.get("retry-after") ?? Number.NaN);
    if (!Number.isFinite(seconds) || failure.details.retryAfterSeconds !== undefined) return failure;
    return new LiveplaneError(failure.code, failure.message, {
      status: failure.status,
      details: { ...failure.details, retryAfterSeconds: seconds },
    });
  }
  if (signal?.aborted) return new LiveplaneError("Aborted", "The caller aborted.", { cause: signal.reason });
  if (error instanceof TimeoutError) return new LiveplaneError("Unavailable", "The server did not answer in time.");
  return new LiveplaneError("Unavailable", "The server could not be reached.");
}
