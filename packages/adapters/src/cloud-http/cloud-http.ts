import { type CloudCall, isObject, type JsonObject } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";

/** One request to a cloud's REST API. */
export interface CloudRequest {
  readonly method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  /** The address of the cloud, or of its service: a token goes there and nowhere else. */
  readonly base: string;
  /** A path behind it, or a whole address that the cloud gave: of a next page, of an operation. */
  readonly at: string;
  /** Gets the token, once it is clear where it goes. */
  readonly token: () => Promise<string>;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** It changes something: without an answer nobody knows whether it did. @default by method */
  readonly changes?: boolean;
}

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
  /** What the time is, for `Retry-After` as a date. @default Date.now */
  readonly now?: () => number;
}

/** Sends a request. */
export type SendRequest = (request: CloudRequest, call: Pick<CloudCall, "signal">) => Promise<CloudResponse>;

/**
 * Where a request goes: a path behind an address, exactly as it is written, or a whole address of the same origin. Whatever else a URL
 * would make of it is refused.
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

/** The refusal of an id or address that leads out of the cloud. Nothing was asked, so nothing is known of what is there. */
export function elsewhere(): LiveplaneError {
  return new LiveplaneError("ProviderError", "The id or address leads out of the cloud that it belongs to.", {
    details: { reason: "ForeignAddress" },
  });
}

/** Sends requests to a cloud, and turns every failure into the code that the cloud port asks for. No redirect is followed. */
export function cloudHttp({ fetch: send = fetch, timeoutMs = 30_000, now = Date.now }: CloudHttpOptions): SendRequest {
  return async ({ method, base, at, token, body, headers, changes = method !== "GET" }, { signal }) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    const url = ownUrl(base, at);
    const authorization = `Bearer ${await token()}`;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(url, {
        method,
        headers: {
          accept: "application/json",
          authorization,
          ...(body && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        redirect: "error",
      });
      const text = await response.text();
      if (!response.ok) throw refusal(response, text, { changes, now: now() });
      return { status: response.status, body: parsed(text), headers: response.headers };
    } catch (error) {
      if (error instanceof LiveplaneError) throw error;
      throw unanswered({ aborted: signal?.aborted === true, timedOut: timeout.aborted, changes });
    }
  };
}

/** Vendor errors carry requests and tokens: none of them is passed on, not even as a cause. */
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

/** These say that the request was not carried out; other failures of a server leave that open. */
const notCarriedOut = new Set([501, 503]);

function refusal(
  response: Response,
  text: string,
  { changes, now }: { changes: boolean; now: number },
): LiveplaneError {
  const { status } = response;
  const reason = vendorCode(text);
  const retryAfterSeconds = retryAfter(response.headers, now);
  const details = {
    ...(reason !== null && { reason }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    ...(changes && status >= 500 && !notCarriedOut.has(status) && { outcome: "unknown" }),
  };
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
      return new LiveplaneError("RateLimited", "The cloud asks to slow down.", {
        details: { retryAfterSeconds: 10, ...details },
      });
    default: {
      const retryable = status >= 500 || status === 409;
      return new LiveplaneError(
        "ProviderError",
        `The cloud refused with ${status}${reason === null ? "" : ` ${reason}`}.`,
        { retryable, details },
      );
    }
  }
}

/**
 * The vendors' error codes are words of closed lists: Azure's `error.code`; Google's `error.errors[0].reason`, or `error.status` where
 * there is none. Their messages may quote what was sent, and stay inside.
 */
function vendorCode(text: string): string | null {
  const { error } = parsed(text);
  if (!isObject(error)) return wordOf(error);
  const [first] = Array.isArray(error.errors) ? error.errors : [];
  return wordOf(error.code) ?? (isObject(first) ? wordOf(first.reason) : null) ?? wordOf(error.status);
}

function wordOf(value: unknown): string | null {
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : null;
}

function retryAfter(headers: Headers, now: number): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null;
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
