import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller, Liveplane } from "@liveplane/core";
import type { SimulatedConsole } from "@liveplane/core/clouds";
import { operationsById } from "@liveplane/core/contract";
import { LiveplaneError } from "@liveplane/core/errors";
import { callerOf } from "./credentials.ts";
import { requestIdOf, sendProblem } from "./exchange.ts";
import { setCommonHeaders } from "./headers.ts";
import { simulatorPage } from "./simulator-page.ts";

/** Options of the simulated clouds' console over HTTP. */
export interface SimulatorOptions {
  readonly liveplane: Liveplane;
  readonly consoles: readonly SimulatedConsole[];
}

type Work = (
  console: SimulatedConsole,
  names: readonly string[],
  body: unknown,
  query: URLSearchParams,
) => Promise<unknown>;

/** What the console takes, by method and by the path behind the provider. */
const table: readonly (readonly [method: string, path: RegExp, work: Work])[] = [
  ["GET", /^resources$/, (console, _names, _body, query) => console.list(pageOf(query))],
  ["GET", /^resources\/([^/]+)$/, (console, [id = ""]) => console.get(id)],
  ["PUT", /^resources\/([^/]+)$/, (console, [id = ""], body) => console.put(id, body)],
  ["DELETE", /^resources\/([^/]+)$/, (console, [id = ""]) => console.delete(id)],
  ["PUT", /^resources\/([^/]+)\/tags$/, (console, [id = ""], body) => console.putTags(id, body)],
  ["PATCH", /^resources\/([^/]+)\/parameters$/, (console, [id = ""], body) => console.patchParameters(id, body)],
  ["GET", /^faults$/, (console) => console.faults()],
  ["PUT", /^faults$/, (console, _names, body) => console.setFaults(body)],
  ["POST", /^devices\/([^/]+)\/complete$/, (console, [code = ""]) => console.completeDevice(code)],
  ["POST", /^devices\/([^/]+)\/deny$/, (console, [code = ""]) => console.denyDevice(code)],
];

/** Answers `/simulator/…`, for operators only; the page itself holds nothing and is open. */
export function createSimulator({
  liveplane,
  consoles,
}: SimulatorOptions): (request: IncomingMessage, response: ServerResponse, url: string) => Promise<void> {
  async function answer(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const [path = "", search = ""] = url.split("?", 2);
    if (request.method === "GET" && (path === "" || path === "/")) return sendPage(response);
    await requireOperator(liveplane, callerOf(request));
    const [, provider = "", rest = ""] = /^\/([^/]+)\/(.*)$/.exec(path) ?? [];
    const console = consoles.find((known) => known.provider === provider);
    const matching = table.filter(([, pattern]) => console !== undefined && pattern.test(rest));
    if (console === undefined || matching.length === 0)
      throw new LiveplaneError("NotFound", "There is nothing at this path.");
    const [, pattern, work] = matching.find(([method]) => method === request.method) ?? [];
    if (pattern === undefined || work === undefined) {
      response.setHeader("Allow", matching.map(([method]) => method).join(", "));
      throw new LiveplaneError("MethodNotAllowed");
    }
    const names = (pattern.exec(rest) ?? []).slice(1).map(decoded);
    const value = await work(console, names, await readJson(request), new URLSearchParams(search));
    if (value === null) throw new LiveplaneError("NotFound");
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    response.end(JSON.stringify(value));
  }

  return async (request, response, url) => {
    const requestId = requestIdOf(request);
    setCommonHeaders(response, requestId);
    try {
      await answer(request, response, url);
    } catch (error) {
      sendProblem(request, response, error, requestId);
    }
  };
}

/** The console is for whom the list of accounts is for: those who operate the installation. */
async function requireOperator({ access }: Liveplane, caller: Caller): Promise<void> {
  const row = operationsById["accounts.list"];
  await access.authorize(await access.identify(caller, row), row, { params: {}, query: {} });
}

function sendPage(response: ServerResponse): void {
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(simulatorPage);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new LiveplaneError("NotFound", "There is nothing at this path.");
  }
}

function pageOf(query: URLSearchParams): { cursor?: string; limit?: number } {
  const cursor = query.get("cursor");
  const limit = Number(query.get("limit") ?? Number.NaN);
  return { ...(cursor !== null && { cursor }), ...(Number.isInteger(limit) && { limit }) };
}

const largest = 1024 * 1024;

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (request.method === "GET" || request.method === "DELETE") return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > largest) throw new LiveplaneError("PayloadTooLarge", "The body must have at most 1024 KiB.");
    chunks.push(chunk as Buffer);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new LiveplaneError("InvalidJson");
  }
}
