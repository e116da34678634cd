import { fromProblem, isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { backoffMs, passTime } from "./pauses.ts";

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

/** A try that another one may better. */
interface Failure {
  readonly error: LiveplaneError;
  /** When the service asks to be asked again. `null`: it leaves that to us. */
  readonly afterMs: number | null;
}

/** Waits for one step of a try: as long as a step may take. */
type InTime = <T>(step: Promise<T>) => Promise<T>;

const passingStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const longestBackoffMs = 10_000;
const longestWaitMs = 60_000;

/** Builds the one place that knows `fetch`. */
export function createHttp({ baseUrl, fetch, timeoutMs = 30_000, retries = 3 }: HttpOptions): Http {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "baseUrl must be an absolute address, such as http://127.0.0.1:8080.",
    );
  const base = baseUrl.replace(/\/+$/, "");

  async function attempt(request: HttpRequest, late: AbortSignal, inTime: InTime): Promise<Response | Failure> {
    const { method, url, headers, body = null, signal } = request;
    const ends = signal === undefined ? late : AbortSignal.any([signal, late]);
    // A redirect would take credentials and bodies to a place that nobody named.
    const asked = new Request(base + url, { method, headers, body, redirect: "manual", signal: ends });
    let response: Response;
    try {
      response = await inTime((fetch ?? globalThis.fetch)(asked));
    } catch (error) {
      if (signal?.aborted) throw error;
      return { error: translated(error, signal), afterMs: null };
    }
    if (response.ok) return response;
    const problem: unknown = await inTime(response.json()).catch(() => undefined);
    const error = refusal(problem, response);
    if (error.code === "IdempotencyInFlight") return { error, afterMs: null };
    if (!passingStatuses.has(response.status)) throw error;
    return { error, afterMs: afterMsOf(error) };
  }

  async function send<T>(request: HttpRequest, take: (response: Response, inTime: InTime) => Promise<T>): Promise<T> {
    const { signal, repeatable } = request;
    try {
      for (let failures = 0; ; failures++) {
        signal?.throwIfAborted();
        const late = new AbortController();
        const inTime: InTime = (step) => unlessLate(step, timeoutMs, late);
        const outcome = await attempt(request, late.signal, inTime);
        if (!("error" in outcome)) return await take(outcome, inTime);
        if (!repeatable || failures >= retries) throw outcome.error;
        await passTime(outcome.afterMs ?? backoffMs(failures, longestBackoffMs), signal);
      }
    } catch (error) {
      throw translated(error, signal);
    }
  }

  return {
    json: (request) => send(request, (response, inTime) => inTime(response.json())),
    stream: (request) =>
      send(request, async ({ body }) => {
        if (body === null) throw new LiveplaneError("Unavailable", "The server sent no stream.");
        return body;
      }),
  };
}

/** Ends what takes too long. A timer, since `AbortSignal.timeout` would hold a try that has long been answered. */
async function unlessLate<T>(step: Promise<T>, ms: number, late: AbortController): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new LiveplaneError("Unavailable", "The server did not answer in time."));
      late.abort();
    }, ms);
  });
  try {
    return await Promise.race([step, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The two statuses by which a service asks for patience, of which it gets as much as a person would have. */
function afterMsOf({ status, details: { retryAfterSeconds } }: LiveplaneError): number | null {
  if (retryAfterSeconds === undefined || (status !== 429 && status !== 503)) return null;
  return Math.min(retryAfterSeconds * 1000, longestWaitMs);
}

/** What a call ends with whose caller aborted it. */
export function aborted({ reason }: AbortSignal): LiveplaneError {
  return new LiveplaneError("Aborted", "The caller aborted.", { cause: reason });
}

/** Nothing of the runtime's error goes on: it may quote a body. */
function translated(error: unknown, signal: AbortSignal | undefined): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  if (signal?.aborted) return aborted(signal);
  if (error instanceof SyntaxError) return new LiveplaneError("Unavailable", "The server's answer is not JSON.");
  return new LiveplaneError("Unavailable", `The server could not be reached${reasonOf(error)}.`);
}

function refusal(problem: unknown, { status, headers, type }: Response): LiveplaneError {
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    return new LiveplaneError("Unavailable", "The server answers from another address: set baseUrl to it.");
  }
  const error = fromProblem(problem, status);
  const seconds = secondsUntil(headers.get("retry-after"));
  if (seconds === null || error.details.retryAfterSeconds !== undefined) return error;
  const { code, message, details } = error;
  return new LiveplaneError(code, message, { status, details: { ...details, retryAfterSeconds: seconds } });
}

/** `Retry-After`, which is a number of seconds or a date. */
function secondsUntil(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = Number(retryAfter);
  const until = Number.isNaN(seconds) ? (Date.parse(retryAfter) - Date.now()) / 1000 : seconds;
  return Number.isFinite(until) ? Math.max(0, until) : null;
}

/** The runtime's own word for what is wrong with the network, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const code: unknown = Reflect.get(inner, "code");
    if (typeof code === "string" && /^[A-Z_]{3,40}$/.test(code)) return ` (${code})`;
  }
  return "";
}
