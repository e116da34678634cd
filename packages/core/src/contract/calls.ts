import { type CallParts, namingOptions, takeArguments } from "./call-arguments.ts";
import { type OperationId, parseRoute, type Route, routes } from "./routes.ts";

/** How a transport makes calls. */
export interface Carrier {
  /** Makes one call; rejects with a `LiveplaneError`. */
  call(parts: CallParts): Promise<unknown>;
  /** Opens a stream and yields its items until the reader stops. */
  stream(parts: CallParts): AsyncIterable<unknown>;
}

/** Parsed once, because hosts build this object for each caller. */
const operations = (Object.keys(routes) as OperationId[]).map((id) => [id, ...id.split(".")] as const);

/**
 * Builds the nested object of all operations over a carrier: path parameters first, then the body, then options. Lists have `.all`, which
 * follows the pages.
 */
export function callsOver(carrier: Carrier): unknown {
  const root: Record<string, unknown> = {};
  for (const [id, ...names] of operations) {
    const name = names.pop() as string;
    let node = root;
    for (const area of names) {
      node[area] ??= {};
      node = node[area] as typeof root;
    }
    node[name] = method(id, parseRoute(id), carrier);
  }
  return root;
}

function method(id: OperationId, route: Route, { stream, call: send }: Carrier): unknown {
  const carrier: Carrier = {
    stream,
    call: (parts) => send(parts).catch((error: unknown) => Promise.reject(namingOptions(error))),
  };
  const parts = (args: readonly unknown[]) => takeArguments(id, route, args);
  if (route.takes === "stream") return (...args: unknown[]) => events(() => carrier.stream(parts(args)));
  // Async, so that wrong arguments reject instead of throwing.
  const call = async (...args: unknown[]) => carrier.call(parts(args));
  return route.takes === "page"
    ? Object.assign(call, { all: (...args: unknown[]) => pages(() => parts(args), carrier) })
    : call;
}

async function* events(open: () => AsyncIterable<unknown>): AsyncGenerator<unknown> {
  yield* open();
}

async function* pages(begin: () => CallParts, carrier: Carrier): AsyncGenerator<unknown> {
  const parts = begin();
  let { query } = parts;
  for (;;) {
    const page = (await carrier.call({ ...parts, query })) as { items: unknown[]; nextCursor: string | null };
    yield* page.items;
    if (page.nextCursor === null) return;
    query = { ...query, cursor: page.nextCursor };
  }
}
