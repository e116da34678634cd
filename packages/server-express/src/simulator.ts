import type { Liveplane } from "@liveplane/core";
import type { SimulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { callerOf, readJson, requireEditor, requireOperator, splitTarget } from "@liveplane/core/http";
import type { Request, RequestHandler, Response } from "express";
import { setCommonHeaders } from "./http/headers.ts";
import { NodeRequest } from "./http/node-request.ts";
import { pageElsewhere } from "./page-elsewhere.ts";

/** Options of the simulated clouds' console over HTTP. */
export interface SimulatorOptions {
  readonly liveplane: Liveplane;
  readonly consoles: readonly SimulatedConsole[];
  /** Whether `@liveplane/console` is at this mount. */
  readonly hasConsole: boolean;
}

interface Asked extends Pick<SimulatorOptions, "liveplane"> {
  readonly console: SimulatedConsole;
  /** The variable parts of the path. */
  readonly names: readonly string[];
  readonly body: unknown;
  readonly query: URLSearchParams;
}

type Work = (asked: Asked) => Promise<unknown>;

/** The console's operations, by method and by the path after the provider. */
const table: readonly (readonly [method: string, path: RegExp, work: Work])[] = [
  ["GET", /^resources$/, listed],
  ["GET", /^resources\/([^/]+)$/, ({ console, names: [id = ""] }) => console.get(id)],
  ["PUT", /^resources\/([^/]+)$/, ({ console, names: [id = ""], body }) => console.put(id, body)],
  ["DELETE", /^resources\/([^/]+)$/, ({ console, names: [id = ""] }) => console.delete(id)],
  ["PUT", /^resources\/([^/]+)\/tags$/, ({ console, names: [id = ""], body }) => console.putTags(id, body)],
  ["PATCH", /^resources\/([^/]+)\/tags$/, ({ console, names: [id = ""], body }) => console.patchTags(id, body)],
  [
    "PATCH",
    /^resources\/([^/]+)\/parameters$/,
    ({ console, names: [id = ""], body }) => console.patchParameters(id, body),
  ],
  ["GET", /^faults$/, ({ console }) => console.faults()],
  ["PUT", /^faults$/, ({ console, body }) => console.setFaults(body)],
  ["POST", /^devices\/([^/]+)\/complete$/, ({ console, names: [code = ""] }) => console.completeDevice(code)],
  ["POST", /^devices\/([^/]+)\/deny$/, ({ console, names: [code = ""] }) => console.denyDevice(code)],
];

/** A page of resources, each with the component that it belongs to. */
async function listed({ liveplane, console, query }: Asked): Promise<unknown> {
  const { items, nextCursor } = await console.list(pageOf(query));
  const ids = items.map(({ id }) => id);
  const components = await liveplane.componentsOf(console.provider, ids);
  return { items: items.map((item, at) => ({ ...item, component: components[at] })), nextCursor };
}

const noCode = "The code is wrong, has expired, or was used before. Check it, or start the sign-in again.";
const noResource = "The simulated cloud has no resource of this ID.";

/**
 * Answers everything below `/simulator`, for operators. People who may edit a live system can also change the tags of its resources.
 * `/simulator` itself is open and redirects to the console's page.
 */
export function createSimulator(options: SimulatorOptions): RequestHandler {
  const { liveplane, consoles, hasConsole } = options;
  const leadToPage = pageElsewhere({
    page: hasConsole ? "simulator" : null,
    instead: "Below this address an operator changes the simulated clouds. With @liveplane/console they have a page.",
  });
  return async (request, response) => {
    const { path, search } = splitTarget(request.url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && (path === "/" || path === "")) return leadToPage(request, response);
    setCommonHeaders(request, response);
    const caller = callerOf(request.headers.authorization);
    const body = (limitKiB: number) => readJson(bodyOf(request, response), limitKiB);
    const [, componentId] = /^\/components\/([^/]+)\/tags$/.exec(path) ?? [];
    if (componentId !== undefined) {
      if (request.method !== "PATCH") throw methodNotAllowed(response, "PATCH");
      await tagComponent(options, { caller, componentId: decoded(componentId), body });
      return void response.status(204).end();
    }
    const { console, names, work } = find(request, response, path, consoles);
    await requireOperator(liveplane, caller);
    const query = new URLSearchParams(search);
    const value = await work({ liveplane, console, names, body: await body(1024), query });
    if (value === null) throw new LiveplaneError("NotFound", /\/devices\//.test(path) ? noCode : noResource);
    response.json(value);
  };
}

interface Tagging {
  readonly caller: ReturnType<typeof callerOf>;
  readonly componentId: string;
  readonly body: (limitKiB: number) => Promise<unknown>;
}

/** Changes tags of a component's resource. Nothing of the resource is shown: it may contain secrets. */
async function tagComponent(
  { liveplane, consoles }: SimulatorOptions,
  { caller, componentId, body }: Tagging,
): Promise<void> {
  const place = { id: componentId.split("/", 1)[0] ?? "", componentId };
  const { provider, resourceId } = await liveplane.as(caller).liveSystems.components.get(place);
  await requireOperator(liveplane, caller).catch(() => requireEditor(liveplane, caller, place));
  const patch = await body(64);
  const console = consoles.find((known) => known.provider === provider);
  const isThere = resourceId !== null && (await console?.patchTags(resourceId, patch));
  if (!isThere) throw new LiveplaneError("NotFound", noResource);
}

function find(request: Request, response: Response, path: string, consoles: readonly SimulatedConsole[]) {
  const [, provider = "", rest = ""] = /^\/([^/]+)\/(.*)$/.exec(path) ?? [];
  const console = consoles.find((known) => known.provider === provider);
  const matching = table.filter(([, pattern]) => pattern.test(rest));
  if (console === undefined || matching.length === 0) throw new LiveplaneError("NotFound", "This path does not exist.");
  const wanted = request.method === "HEAD" ? "GET" : request.method;
  const [, pattern, work] = matching.find(([method]) => method === wanted) ?? [];
  if (pattern === undefined || work === undefined) {
    const allow = matching.map(([method]) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
    throw methodNotAllowed(response, allow);
  }
  return { console, work, names: (pattern.exec(rest) ?? []).slice(1).map(decoded) };
}

function methodNotAllowed(response: Response, allow: string): LiveplaneError {
  response.set("Allow", allow);
  return new LiveplaneError("MethodNotAllowed", `This path accepts ${allow}.`);
}

function bodyOf(request: Request, response: Response): NodeRequest {
  return new NodeRequest({ request, response, target: request.url, base: request.baseUrl, trustedProxies: 0 });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new LiveplaneError("NotFound", "This path does not exist.");
  }
}

function pageOf(query: URLSearchParams): { cursor?: string; limit?: number } {
  const cursor = query.get("cursor");
  const limit = Number(query.get("limit") ?? Number.NaN);
  return { ...(cursor !== null && { cursor }), ...(Number.isInteger(limit) && { limit }) };
}
