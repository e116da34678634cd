import type { CallAnswer } from "@liveplane/core/contract";
import { fromProblem, isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import ky, { HTTPError, type Options, type RetryOptions, TimeoutError } from "ky";

/** One request of the client. */
export interface HttpRequest {
  readonly method: string;
  /** The path and query, below the base. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; absent without a body. */
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onAnswer?: (answer: CallAnswer) => void;
  /**
   * Whether it may be sent again. `always`: repeating it does nothing twice. `afterReset`: once after a network failure; doing it twice is
   * harmless. `never`: not even if it does nothing twice, because its second answer would be wrong.
   */
  readonly repeats: "always" | "afterReset" | "never";
  /** Whether the caller may repeat the call without checking the outcome. */
  readonly isRepeatable: boolean;
}

/** How requests are made. */
export interface HttpOptions {
  /** The service's address: an absolute URL, with the path where it is mounted. */
  readonly baseUrl: string;
  /** Sends the requests. @default the runtime's `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** The time limit of one attempt, until its answer is complete. @default 30000 */
  readonly timeoutMs?: number;
  /** How often a request is retried if that does nothing twice. @default 3 */
  readonly retries?: number;
}

/** Makes requests; every failure is a `LiveplaneError` without the request and response. */
export interface Http {
  json(request: HttpRequest): Promise<unknown>;
  /** The body of an answer as it arrives. */
  stream(request: HttpRequest): Promise<ReadableStream<Uint8Array>>;
}

/** What is repeated, and when. */
const retryRules: RetryOptions = {
  methods: ["get", "put", "post", "delete"],
  statusCodes: [408, 429, 502, 503, 504],
  afterStatusCodes: [429, 503],
  maxRetryAfter: 60_000,
  backoffLimit: 10_000,
  jitter: true,
  retryOnTimeout: true,
};

/** The only place that uses ky. */
export function createHttp({ baseUrl, fetch, timeoutMs = 30_000, retries = 3 }: HttpOptions): Http {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "baseUrl must be an absolute address, such as http://localhost:8080.",
    );
  const base = baseUrl.replace(/\/+$/, "");
  const wholeFetch = wholly((...request) => (fetch ?? globalThis.fetch)(...request));

  async function send<T>(request: HttpRequest, take: (response: Response) => T): Promise<T> {
    const { method, url, headers, body, signal, repeats, onAnswer } = request;
    const call = signal && new AbortController();
    let isLost = false;
    const shouldRetry = ({ error }: { readonly error: Error }) => {
      isLost ||= mayHaveArrived(error);
      if (repeats === "afterReset") return isReset(error);
      // Undefined means ky's usual rules.
      return isInFlight(error) || undefined;
    };
    const limit = { always: retries, afterReset: Math.min(retries, 1), never: 0 }[repeats];
    // One object for each call: ky takes longer to merge it with another one than to send it.
    const options: Options = {
      method,
      headers,
      fetch: wholeFetch,
      // A redirect would send credentials and bodies to an address that nobody named.
      redirect: "manual",
      retry: { ...retryRules, limit, shouldRetry },
      timeout: request.timeoutMs ?? timeoutMs,
    };
    if (body !== undefined) options.body = body;
    if (call) options.signal = call.signal;
    const tell = ({ status, headers }: Response) =>
      onAnswer?.({ status, headers, requestId: headers.get("x-request-id") });
    const answered = ky(base + url, options).then((response) => {
      tell(response);
      return take(response);
    });
    try {
      return await unlessAborted(answered, signal, () => call?.abort());
    } catch (error) {
      if (error instanceof HTTPError) tell(error.response);
      const told = translated(error, signal, base);
      const isUnknown = told.code === "Unavailable" && (isLost || mayHaveArrived(error));
      throw isUnknown && !request.isRepeatable ? ofUnknownOutcome(told) : told;
    }
  }

  return {
    json: (request) => send(request, (response) => JSON.parse(texts.get(response) ?? "")),
    stream: (request) =>
      send(request, ({ body }) => {
        if (body === null) throw new LiveplaneError("Unavailable", "The server sent no stream.");
        return body;
      }),
  };
}

/** The text of each answer; streams have none. */
const texts = new WeakMap<Response, string>();

/** An answer counts when it is complete: an interrupted one is a failed attempt. A stream counts when it begins. */
function wholly(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
      texts.set(response, await response.text());
    return response;
  };
}

/** The service's problem document; `undefined` if it can't be read. */
function problemOf({ response }: HTTPError): unknown {
  try {
    return JSON.parse(texts.get(response) ?? "");
  } catch {
    return undefined;
  }
}

/** A repeated request while the first one with its key is still running. */
function isInFlight(error: unknown): boolean {
  return error instanceof HTTPError && Reflect.get(Object(problemOf(error)), "code") === "IdempotencyInFlight";
}

/** Nobody answered: the network failed, or a proxy lost the service. */
function isReset(error: unknown): boolean {
  if (error instanceof HTTPError) return [502, 504].includes(error.response.status);
  return !(error instanceof TimeoutError);
}

/** Whether a failed attempt may have been carried out, because only its answer was lost. */
function mayHaveArrived(error: unknown): boolean {
  if (error instanceof HTTPError) return isReset(error) && problemOf(error) === undefined;
  return !/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(networkCode(error));
}

/** Tells the caller that the call can't simply be repeated. */
function ofUnknownOutcome(error: LiveplaneError): LiveplaneError {
  const message = `${error.message} The call may have been carried out. Check before you repeat it.`;
  return new LiveplaneError(error.code, message, {
    ...error,
    retryable: false,
    details: { ...error.details, outcome: "unknown" },
  });
}

/**
 * Waits for shared work: a caller who aborts ends only its own waiting. Uses the caller's own signal, because a combined one may be
 * garbage-collected before it fires.
 */
export function unlessAborted<T>(wait: Promise<T>, signal: AbortSignal | undefined, giveUp?: () => void): Promise<T> {
  if (signal === undefined) return wait;
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(aborted(signal));
      giveUp?.();
    };
    signal.addEventListener("abort", abort, { once: true });
    wait.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
  });
}

/** The error of an aborted call. */
function aborted({ reason }: AbortSignal): LiveplaneError {
  return new LiveplaneError("Aborted", "The caller aborted.", { cause: reason });
}

/** Nothing of another library's error is passed on: it contains the request with its credentials, or quotes a body. */
function translated(error: unknown, signal: AbortSignal | undefined, base: string): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  if (signal?.aborted) return aborted(signal);
  if (error instanceof HTTPError) return refusal(problemOf(error), error.response);
  // The origin leaves out a password in the address.
  return new LiveplaneError("Unavailable", `The server at ${new URL(base).origin}${troubleOf(error)}.`);
}

function troubleOf(error: unknown): string {
  if (error instanceof TimeoutError) return " did not answer in time";
  if (error instanceof SyntaxError) return " sent an answer that isn't JSON";
  const code = networkCode(error);
  return ` could not be reached${code && ` (${code})`}`;
}

function refusal(problem: unknown, { status, headers, type }: Response): LiveplaneError {
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    return new LiveplaneError("Unavailable", "The server redirects to another address. Use that one.");
  }
  const { code, message, details, requestId = headers.get("x-request-id") ?? undefined } = fromProblem(problem, status);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {};
  return new LiveplaneError(code, message, { status, requestId, details: { ...retryAfter, ...details } });
}

/** The runtime's code for the network failure, such as ECONNREFUSED. */
function networkCode(error: unknown): string {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const code: unknown = Reflect.get(inner, "code");
    if (typeof code === "string" && /^[A-Z_]{3,40}$/.test(code)) return code;
  }
  return "";
}
