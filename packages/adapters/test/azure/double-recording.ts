import { createHttpHeaders, type HttpClient } from "@azure/core-rest-pipeline";
import { type AzureDoubleOptions, azureDouble, type DoubleRequest } from "./azure-double.ts";

/** A request as far as it says anything: what only names the client or the moment is left out. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface OlderRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly headers: {
    headersArray(): readonly { readonly name: string; readonly value: string }[];
    clone(): OlderRequest["headers"] & { set(name: string, value: string): void };
  };
}

/** Headers that mean something to Azure. */
const telling = ["if-match", "if-none-match", "content-type"];

/** The double, writing down what it is asked. */
export function recordingDouble(options: AzureDoubleOptions = {}) {
  const double = azureDouble(options);
  const recorded: Recorded[] = [];
  double.state.arriving = (request) => void recorded.push(recordOf(request));
  async function carried(method: string, url: string, named: readonly (readonly [string, string])[], body: unknown) {
    const { pathname, search } = new URL(url);
    const headers = Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value]));
    const text = typeof body === "string" ? body : "";
    const answer = await double.answer({ method, url: `${pathname}${search}`, headers, text });
    if (answer === null) throw new TypeError("the connection was cut");
    return { ...answer, bodyAsText: answer.body === null ? "" : JSON.stringify(answer.body) };
  }
  /** What Microsoft's clients send by, in place of a connection. */
  const httpClient: HttpClient = {
    async sendRequest(request) {
      const { method, url, body } = request;
      const { status, headers, bodyAsText } = await carried(method, url, [...request.headers], body);
      const own = { ...headers, ...(bodyAsText !== "" && { "content-type": "application/json" }) };
      return { request, status, headers: createHttpHeaders(own), bodyAsText };
    },
  };
  /** The same for the client of Resource Graph, which is of an older make. */
  const olderHttpClient = {
    async sendRequest(request: OlderRequest) {
      const sent = request.headers.headersArray().map(({ name, value }) => [name, value] as const);
      const { status, bodyAsText } = await carried(request.method, request.url, sent, request.body);
      const headers = request.headers.clone();
      headers.set("content-type", "application/json");
      return { request, status, headers, bodyAsText };
    },
  };
  return {
    ...double,
    httpClient,
    olderHttpClient,
    /** What was asked while something was done. */
    async during(work: () => Promise<unknown>): Promise<Recorded[]> {
      recorded.length = 0;
      await work();
      return [...recorded];
    },
  };
}

function recordOf({ method, url, headers, text }: DoubleRequest): Recorded {
  const { pathname, searchParams } = new URL(url, "http://cloud.invalid");
  const own = telling.flatMap((name) => {
    const value = headers[name]?.split(";", 1)[0];
    const isIdle = name === "content-type" && text === "";
    return value === undefined || isIdle ? [] : [[name, value]];
  });
  return {
    method,
    // Azure compares its own words without case, and its clients spell them in two ways.
    path: decodeURIComponent(pathname).replace(/\/resourcegroups\b/, "/resourceGroups"),
    query: Object.fromEntries([...searchParams].sort()),
    headers: Object.fromEntries(own),
    body: text === "" ? null : (JSON.parse(text) as unknown),
  };
}
