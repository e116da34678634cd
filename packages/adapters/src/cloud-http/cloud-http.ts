import { type CloudCall, isObject, type JsonObject } from "@liveplane/core/clouds";
import { type ErrorDetails, isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";

/** One request to a cloud's REST API. */
export interface CloudRequest {
  readonly method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  /** The base URL of the cloud or its service: a token is sent nowhere else. */
  readonly base: string;
  /** A path below the base URL, or a whole URL from the cloud: a next page or an operation. */
  readonly at: string;
  /** How the caller proves its identity, once the destination is known. */
  readonly proof: Proof;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It changes something: if the answer is lost, the outcome is unknown. @default by method */
  readonly changes?: boolean;
  /** It asks for an operation's result: a 409 is that result, not a temporary conflict. @default false */
  readonly isOfEnd?: boolean;
}

/** The parts of a request that a signature covers. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A token; if the cloud has just refused one, a different one if possible. Or a signature, as headers. */
export type Proof =
  | { readonly token: (refused?: string) => Promise<string> }
  | { readonly sign: (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>> };

/** An answer below 300. */
export interface CloudResponse {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers;
}

/** How requests are sent. */
export interface CloudHttpOptions {
  /** Sends the requests. @default the runtime's `fetch` */
  readonly fetch?: typeof fetch;
  /** @default 30000 */
  readonly timeoutMs?: number;
  /** The current time, for `Retry-After` as a date. @default Date.now */
  readonly now?: () => number;
}

/** A refusal, in the cloud's own words. */
export interface CloudRefusal {
  readonly status: number;
  /** A word from a closed list; `null` if there is none. */
  readonly code: string | null;
  readonly message: string;
  /** If it is a JSON object, otherwise empty. */
  readonly body: JsonObject;
  readonly details: ErrorDetails;
}

/** The settings shared by a cloud's requests. */
export interface CloudHttpSettings extends CloudHttpOptions {
  /** The error for a refusal whose code tells more than its status; `null` to use the status. */
  readonly refusalOf?: (refused: CloudRefusal) => LiveplaneError | null;
  /** Reads an answer. What isn't an object is read as an empty one. @default as JSON */
  readonly parse?: (text: string) => JsonObject;
}

/** The caller. Its credentials are in no error. */
export type Asking = Pick<CloudCall, "signal"> & Partial<Pick<CloudCall, "credentials">>;

export type SendRequest = (request: CloudRequest, call: Asking) => Promise<CloudResponse>;

/**
 * The URL of a request: a path below a base, exactly as written, or a whole URL of the same origin. Anything that a URL parser would change
 * is refused.
 */
export function ownUrl(base: string, at: string): URL {
  const root = base.replace(/\/$/, "");
  const isPath = at.startsWith("/");
  const text = isPath ? `${root}${at}` : at;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOwn = url?.origin === new URL(root).origin && url.username === "" && url.password === "" && url.hash === "";
  if (url === null || !isOwn || (isPath && url.href !== text)) throw elsewhere();
  return url;
}

/** The refusal of an ID or address that leads out of the cloud. Nothing was requested, so nothing is known. */
export function elsewhere(): LiveplaneError {
  return new LiveplaneError("ProviderError", "The ID or address points outside its cloud.", {
    details: { reason: "ForeignAddress" },
  });
}

/** Sends requests to a cloud, and turns every failure into the code that the cloud port requires. Redirects aren't followed. */
export function cloudHttp(settings: CloudHttpSettings): SendRequest {
  const {
    fetch: send = fetch,
    timeoutMs = 30_000,
    now = Date.now,
    refusalOf = () => null,
    parse = parseJson,
  } = settings;

  async function sent(request: CloudRequest, url: URL, token: string | null, { signal }: Asking): Promise<Answered> {
    const { method, changes = method !== "GET", proof } = request;
    const body = request.body && {
      body: typeof request.body === "string" ? request.body : JSON.stringify(request.body),
    };
    const headers = {
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...request.headers,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const signed = "sign" in proof ? await proof.sign({ method, url, headers, ...body }) : headers;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(url, {
        method,
        headers: signed,
        ...body,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        redirect: "error",
      });
      return { response, body: parse(await response.text()) };
    } catch {
      throw unanswered({ aborted: signal?.aborted === true, timedOut: timeout.aborted, changes });
    }
  }

  return async (request, call) => {
    const { signal, credentials } = call;
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    const url = ownUrl(request.base, request.at);
    const { proof } = request;
    let token = "token" in proof ? await proof.token() : null;
    let answered = await sent(request, url, token, call);
    if (answered.response.status === 401 && "token" in proof && token !== null) {
      const another = await proof.token(token);
      if (another !== token) {
        token = another;
        answered = await sent(request, url, token, call);
      }
    }
    const { response, body } = answered;
    if (response.ok) return { status: response.status, body, headers: response.headers };
    const { method, changes = method !== "GET" } = request;
    const refused = refusedBy(response, body, {
      changes,
      now: now(),
      secrets: [token ?? undefined, credentials?.secret?.reveal()],
    });
    if (request.isOfEnd && refused.status === 409) throw endedBadly(refused);
    throw refusalOf(refused) ?? refusalByStatus(refused);
  };
}

function endedBadly({ details }: CloudRefusal): LiveplaneError {
  return new LiveplaneError("ProviderError", "The cloud could not complete the operation.", {
    retryable: false,
    details,
  });
}

interface Answered {
  readonly response: Response;
  readonly body: JsonObject;
}

/** Vendor errors contain requests and tokens, so none is passed on, not even as a cause. */
function unanswered({
  aborted,
  timedOut,
  changes,
}: {
  aborted: boolean;
  timedOut: boolean;
  changes: boolean;
}): LiveplaneError {
  const details = changes ? { outcome: "unknown" } : {};
  if (aborted) return new LiveplaneError("Aborted", undefined, { details });
  if (timedOut) return new LiveplaneError("ProviderTimeout", "The cloud did not answer in time.", { details });
  return new LiveplaneError("ProviderError", "The cloud could not be reached.", { retryable: true, details });
}

/** These statuses mean that the request wasn't carried out; other server errors leave that open. */
const notCarriedOut = new Set([501, 503]);

const requestIdHeaders = ["x-ms-request-id", "x-request-id", "x-amzn-requestid"];

function refusedBy(
  { status, headers }: Response,
  body: JsonObject,
  { changes, now, secrets }: { changes: boolean; now: number; secrets: readonly (string | undefined)[] },
): CloudRefusal {
  const code = vendorCode(body);
  const message = withoutSecrets(vendorMessage(body), secrets);
  const retryAfterSeconds = retryAfter(headers, now);
  const requestId = wordOf(requestIdHeaders.map((name) => headers.get(name)).find((value) => value !== null));
  const details = {
    ...(code !== null && { reason: code }),
    providerCode: code ?? `HTTP ${status}`,
    ...(message !== "" && { providerMessage: message }),
    ...(requestId !== null && { providerRequestId: requestId }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    ...(changes && status >= 500 && !notCarriedOut.has(status) && { outcome: "unknown" }),
  };
  return { status, code, message, body, details };
}

/** What the clouds say in a 403, which is about a right. A 401 is about the credentials. */
const aboutRights: ReadonlySet<unknown> = new Set([
  "AccessDenied",
  "AuthorizationFailed",
  "Forbidden",
  "HTTP 403",
  "LinkedAuthorizationFailed",
  "PERMISSION_DENIED",
  "forbidden",
  "insufficientPermissions",
]);

/** Whether a cloud will say no again to the same credentials: a right is missing, or a service is disabled. */
export function isFinalRefusal(error: unknown): boolean {
  if (isLiveplaneError(error, "ProviderCredentialsRejected")) return aboutRights.has(error.details.providerCode);
  return isLiveplaneError(error, "NotFound") || (isLiveplaneError(error, "ProviderError") && !error.retryable);
}

function refusalByStatus({ status, code, details }: CloudRefusal): LiveplaneError {
  switch (status) {
    case 401:
    case 403:
      return new LiveplaneError("ProviderCredentialsRejected", undefined, { details });
    case 404:
      return new LiveplaneError("NotFound", "The cloud has no such resource.", { details });
    case 408:
    case 504:
      return new LiveplaneError("ProviderTimeout", "The cloud did not answer in time.", { details });
    case 412:
      return new LiveplaneError("PreconditionFailed", "The resource has changed.", { details });
    case 429:
      return new LiveplaneError("RateLimited", "The cloud is throttling requests.", {
        details: { retryAfterSeconds: 10, ...details },
      });
    default: {
      const retryable = status >= 500 || status === 409;
      return new LiveplaneError(
        "ProviderError",
        `The cloud refused with ${status}${code === null ? "" : ` ${code}`}.`,
        {
          retryable,
          details,
        },
      );
    }
  }
}

const longestMessage = 1024;

/** Error messages may quote what was sent. */
function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter((secret) => secret !== undefined && secret.length > 0) as string[];
  return known.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text).slice(0, longestMessage);
}

function vendorMessage(body: JsonObject): string {
  const { error, Error: failure = error, error_description, message = error_description, Message } = body;
  const found = isObject(failure) ? (failure.message ?? failure.Message) : (Message ?? message);
  return typeof found === "string" ? found : "";
}

/**
 * The vendors' error codes are words from closed lists: Azure's `error.code`; Google's `error.errors[0].reason`, otherwise `error.status`;
 * the end of AWS's `__type`, and `Error.Code` in its oldest services.
 */
function vendorCode({ error, __type: type, Error: failure }: JsonObject): string | null {
  if (typeof type === "string") return wordOf(type.slice(type.lastIndexOf("#") + 1));
  if (isObject(failure)) return wordOf(failure.Code);
  if (!isObject(error)) return wordOf(error);
  const [first] = Array.isArray(error.errors) ? error.errors : [];
  return wordOf(error.code) ?? (isObject(first) ? wordOf(first.reason) : null) ?? wordOf(error.status);
}

function wordOf(value: unknown): string | null {
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : null;
}

/** How many seconds a cloud asks to wait; `null` if it doesn't say. */
export function retryAfter(headers: Headers, now: number): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null;
}

/** The JSON object in a text; an empty one if it is something else. */
export function parseJson(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
