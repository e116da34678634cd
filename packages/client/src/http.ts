import { fromProblem, isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import ky, { HTTPError, type KyInstance, type Options, TimeoutError } from "ky";

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
  /** Where the service is: an absolute address, with the path that it is mounted at. */
  readonly baseUrl: string;
  /** Sends the requests. @default the runtime's `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** How long one try may take until it is answered, and then until its answer is whole. @default 30000 */
  readonly timeoutMs?: number;
  /** How often a request is tried again where that can do nothing twice. @default 3 */
  readonly retries?: number;
}

/** Makes requests; every failure is a `LiveplaneError` that carries neither request nor response. */
export interface Http {
  json(request: HttpRequest): Promise<unknown>;
  /** The body of an answer as it comes in. */
  stream(request: HttpRequest): Promise<ReadableStream<Uint8Array>>;
}

/** Builds the one place that knows ky. */
export function createHttp({ baseUrl, fetch, timeoutMs = 30_000, retries = 3 }: HttpOptions): Http {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "baseUrl must be an absolute address, such as http://127.0.0.1:8080.",
    );
  const base = baseUrl.replace(/\/+$/, "");
  const client: KyInstance = ky.create({
    timeout: timeoutMs,
    // A redirect would take credentials and bodies to a place that nobody named.
    redirect: "manual",
    ...(fetch && { fetch }),
    retry: {
      limit: retries,
      methods: ["get", "put", "post", "delete"],
      statusCodes: [408, 429, 502, 503, 504],
      afterStatusCodes: [429, 503],
      maxRetryAfter: 60_000,
      backoffLimit: 10_000,
      jitter: true,
      retryOnTimeout: true,
      shouldRetry: async ({ error }) => (isInFlight(await problemOf(error)) ? true : undefined),
    },
  });

  const problems = new WeakMap<HTTPError, Promise<unknown>>();

  async function send<T>(
    request: HttpRequest,
    take: (response: Response, giveUp: () => void) => Promise<T>,
  ): Promise<T> {
    const { method, url, headers, body, signal, repeatable } = request;
    const call = new AbortController();
    const signals = signal === undefined ? [call.signal] : [call.signal, signal];
    const options: Options = { method, headers, signal: AbortSignal.any(signals) };
    if (body !== undefined) options.body = body;
    if (!repeatable) options.retry = 0;
    try {
      return await take(await client(base + url, options), () => call.abort());
    } catch (error) {
      throw translated(error, await problemOf(error), signal);
    }
  }

  /** What ky leaves to us: an answer that begins and never becomes whole. */
  function whole(response: Response, giveUp?: () => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(late());
        giveUp?.();
      }, timeoutMs);
      response
        .json()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  /** What a service says of its refusal; `undefined`: nothing that can be read. Read once, however often it is asked for. */
  function problemOf(error: unknown): Promise<unknown> {
    if (!(error instanceof HTTPError)) return Promise.resolve();
    const problem = problems.get(error) ?? whole(error.response).catch(() => undefined);
    problems.set(error, problem);
    return problem;
  }

  return {
    json: (request) => send(request, whole),
    stream: (request) =>
      send(request, async ({ body }) => {
        if (body === null) throw new LiveplaneError("Unavailable", "The server sent no stream.");
        return body;
      }),
  };
}

/** A request that was sent again while the first one with its key is still carried out. */
function isInFlight(problem: unknown): boolean {
  return Reflect.get(Object(problem), "code") === "IdempotencyInFlight";
}

function late(): LiveplaneError {
  return new LiveplaneError("Unavailable", "The server did not answer in time.");
}

/** What a call ends with whose caller aborted it. */
export function aborted({ reason }: AbortSignal): LiveplaneError {
  return new LiveplaneError("Aborted", "The caller aborted.", { cause: reason });
}

/** Nothing of another library's error goes on: it holds the request with its credentials, or quotes a body. */
function translated(error: unknown, problem: unknown, signal: AbortSignal | undefined): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  if (signal?.aborted) return aborted(signal);
  if (error instanceof HTTPError) return refusal(problem, error.response);
  if (error instanceof TimeoutError) return late();
  if (error instanceof SyntaxError) return new LiveplaneError("Unavailable", "The server's answer is not JSON.");
  return new LiveplaneError("Unavailable", `The server could not be reached${reasonOf(error)}.`);
}

function refusal(problem: unknown, { status, headers, type }: Response): LiveplaneError {
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    return new LiveplaneError("Unavailable", "The server answers from another address: set baseUrl to it.");
  }
  const error = fromProblem(problem, status);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  if (!Number.isFinite(seconds) || error.details.retryAfterSeconds !== undefined) return error;
  const { code, message, details } = error;
  return new LiveplaneError(code, message, { status, details: { ...details, retryAfterSeconds: seconds } });
}

/** The runtime's own word for what is wrong with the network, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const code: unknown = Reflect.get(inner, "code");
    if (typeof code === "string" && /^[A-Z_]{3,40}$/.test(code)) return ` (${code})`;
  }
  return "";
}
