import { credentialHeaders, type OperationId, parseRoute, type Route, routes } from "./routes.ts";

/** One call, taken apart from its arguments: what every transport is given. */
export interface CallParts {
  readonly id: OperationId;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, string>>;
  readonly options: CallSettings;
}

/** What every call may be given beside its own members. */
export interface CallSettings {
  readonly signal?: AbortSignal;
  /** The version that the record must still have, or `*`. */
  readonly ifMatch?: string;
  /** A version that the record must not have; `*`: there must be none. */
  readonly ifNoneMatch?: string;
  readonly idempotencyKey?: string;
  readonly requestId?: string;
}

/** How a transport carries calls out. */
export interface Carrier {
  /** Carries one call out; rejects with a `LiveplaneError`. */
  call(parts: CallParts): Promise<unknown>;
  /** Opens a stream and gives what comes along it, until the reader stops. */
  stream(parts: CallParts): AsyncIterable<unknown>;
}

const settingNames = new Set(["signal", "ifMatch", "ifNoneMatch", "idempotencyKey", "requestId"]);

/**
 * Builds the nested object of all operations over a carrier: path parameters first where the path has any, then the body
 * where there is one, then options. Lists carry `.all`, which follows the pages.
 */
export function callsOver(carrier: Carrier): unknown {
  const root: Record<string, unknown> = {};
  for (const id of Object.keys(routes) as OperationId[]) {
    const path = id.split(".");
    const name = path.pop() as string;
    let node = root;
    for (const part of path) {
      node[part] ??= {};
      node = node[part] as Record<string, unknown>;
    }
    node[name] = method(id, parseRoute(id), carrier);
  }
  return root;
}

function method(id: OperationId, route: Route, carrier: Carrier): unknown {
  if (route.takes === "stream") return (...args: unknown[]) => carrier.stream(partsOf(id, route, args));
  const call = (...args: unknown[]) => carrier.call(partsOf(id, route, args));
  return route.takes === "page"
    ? Object.assign(call, { all: (...args: unknown[]) => pages(id, route, carrier, args) })
    : call;
}

async function* pages(id: OperationId, route: Route, carrier: Carrier, args: unknown[]): AsyncGenerator<unknown> {
  const parts = partsOf(id, route, args);
  let cursor: unknown;
  do {
    const query = cursor === undefined ? parts.query : { ...parts.query, cursor };
    const page = (await carrier.call({ ...parts, query })) as { items: unknown[]; nextCursor: string | null };
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function partsOf(id: OperationId, route: Route, args: unknown[]): CallParts {
  const rest = [...args];
  const params = (route.params.length > 0 ? rest.shift() : {}) as Record<string, string>;
  const body = route.takes === "body" ? rest.shift() : undefined;
  const query: Record<string, unknown> = {};
  const credentials: Record<string, string> = {};
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries((rest.shift() ?? {}) as object)) {
    if (value === undefined) continue;
    if (settingNames.has(name)) options[name] = value;
    else if (name in credentialHeaders) credentials[name] = value as string;
    else query[name] = value;
  }
  return { id, route, params, body, query, credentials, options };
}
