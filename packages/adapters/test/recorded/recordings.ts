import { isObject, type JsonObject } from "@liveplane/core/clouds";

/** A request to a cloud and its answer, as somebody recorded them. */
export interface Exchange {
  readonly method: string;
  /** Without the host, in the form that the vendor's descriptions use. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly sent: JsonObject | null;
  readonly status: number;
  readonly answered: JsonObject | null;
}

/** What a creation sent, and what the cloud showed of it once it was done. */
export interface Pair {
  /** Of the resource. */
  readonly path: string;
  readonly sent: JsonObject;
  readonly shown: JsonObject;
}

/** Reads a recording: a session of an Azure SDK (JSON), or a log of requests to Google (text). */
export function exchangesIn(text: string): readonly Exchange[] {
  return text.trimStart().startsWith("{") ? azureSession(text) : googleLog(text);
}

/** The creations of a recording whose result it shows, before anybody writes the resource again. */
export function pairsIn(exchanges: readonly Exchange[]): readonly Pair[] {
  const begun = new Set<string>();
  return exchanges.flatMap((exchange, at) => {
    const path = createdAt(exchange);
    const { sent, method, status } = exchange;
    if (path === null || sent === null || status >= 300) return [];
    const key = path.toLowerCase();
    const wasThere = begun.has(key) || (method === "PUT" && isRead(exchanges.slice(0, at), key));
    begun.add(key);
    const shown = wasThere ? null : resultAfter(exchanges, at, key);
    return shown === null ? [] : [{ path, sent, shown }];
  });
}

function createdAt({ method, path, query, sent, answered }: Exchange): string | null {
  if (method === "PUT") return path;
  if (method !== "POST" || /:[a-zA-Z]+$/.test(path) || sent === null) return null;
  const inQuery = [...query].find(([name]) => /[a-z]Id$/.test(name) && name !== "requestId")?.[1];
  const named =
    inQuery ??
    sent.name ??
    (isObject(answered)
      ? String(answered.name ?? "")
          .split("/")
          .at(-1)
      : "");
  return typeof named === "string" && named !== "" ? `${path}/${named.split("/").at(-1)}` : null;
}

function isRead(before: readonly Exchange[], key: string): boolean {
  return before.some(({ method, path, status }) => method === "GET" && status < 300 && path.toLowerCase() === key);
}

function resultAfter(exchanges: readonly Exchange[], from: number, key: string): JsonObject | null {
  for (const [step, { method, path, answered, status }] of exchanges.slice(from).entries()) {
    const isOwn = step === 0 ? method === "PUT" : path.toLowerCase() === key;
    if (step > 0 && method !== "GET" && `${path.toLowerCase()}/`.startsWith(`${key}/`)) return null;
    if (!isOwn) continue;
    if (status < 300 && status !== 202 && isDone(answered)) return answered;
  }
  return null;
}

const unfinished = /ing$|^(accepted|in_?progress|pending.*)$/i;

function isDone(body: JsonObject | null): body is JsonObject {
  if (body === null || Object.keys(body).length === 0 || body.operationType !== undefined) return false;
  const { properties, state = body.status } = body;
  const { provisioningState = "succeeded" } = isObject(properties) ? properties : {};
  const isAtIt = typeof state === "string" && unfinished.test(state) && state !== "RUNNING";
  return /^(succeeded|created)$/i.test(String(provisioningState)) && !isAtIt && body.reconciling !== true;
}

function azureSession(text: string): Exchange[] {
  // Some sessions have a comma behind the last item of a list.
  const { Entries = [] } = JSON.parse(text.replaceAll(/,(?=\s*[\]}])/g, "")) as {
    Entries?: readonly Readonly<Record<string, unknown>>[];
  };
  return Entries.map(({ RequestUri, RequestMethod, RequestBody, ResponseBody, StatusCode }) => {
    const { pathname, searchParams } = new URL(String(RequestUri), "https://management.azure.com");
    return {
      method: String(RequestMethod),
      path: decodeURIComponent(pathname).replace(/\/$/, ""),
      query: searchParams,
      sent: jsonIn(RequestBody),
      status: Number(StatusCode),
      answered: jsonIn(ResponseBody),
    };
  });
}

/** Blocks between lines of three hyphens: the request's line, its headers, its body, then the same of the answer. */
function googleLog(text: string): Exchange[] {
  // Placeholders such as ${projectId} are no names.
  return text
    .replaceAll(/\$\{(\w+)\}/g, "$1")
    .split(/\n---\n/)
    .flatMap((block) => {
      const request = /^\s*([A-Z]+) (https:\/\/\S+)/.exec(block);
      const answer = /\n(\d{3}) [A-Za-z ]+\n/.exec(block);
      if (request === null || answer === null) return [];
      const { hostname, pathname, searchParams } = new URL(request[2] ?? "");
      // Numbers for words: what a declaration can't hold.
      if (/enum-encoding/.test(decodeURIComponent(searchParams.toString()))) return [];
      const service = hostname.split(".")[0] ?? "";
      const own = decodeURIComponent(pathname)
        .replace(/^\/(compute\/)(beta|alpha)\//, "/$1v1/")
        .replace("/sql/v1beta4/", "/v1/");
      return {
        method: request[1] ?? "",
        path: `/${service}${own}`,
        query: searchParams,
        sent: asRecorded(service, jsonIn(bodyIn(block.slice(0, answer.index)))),
        status: Number(answer[1]),
        answered: jsonIn(bodyIn(block.slice(answer.index + 1))),
      };
    });
}

/** What the recorder removes from everything that Compute Engine answers. It can't be compared. */
const notRecorded = ["enableConfidentialCompute", "locked", "multiWriter", "sizeGb"];

function asRecorded(service: string, sent: JsonObject | null): JsonObject | null {
  if (service !== "compute" || sent === null) return sent;
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !notRecorded.includes(name)));
}

function bodyIn(part: string): string {
  const at = part.indexOf("\n{");
  return at === -1 ? "" : part.slice(at);
}

function jsonIn(text: unknown): JsonObject | null {
  if (typeof text !== "string" || text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
