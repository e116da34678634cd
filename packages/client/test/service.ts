import { type HttpHandler, HttpResponse, type JsonBodyType, http as mock } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll } from "vitest";

/**
 * Where the service of these tests seems to be. Over TLS a broken line of msw's would leave an error in OpenSSL, and the next key that is
 * read in this process would be refused for it.
 */
export const baseUrl = "http://liveplane.test/control";

/** What reached the service. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

type Reply = Response | (() => Response);

/** Stands in for a service at the network's edge, for the tests of one file. */
export function standInService() {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());

  /** Answers requests in turn, the last answer for ever, and shows what came in. */
  function answers(first: Reply, ...others: Reply[]): Seen[] {
    const seen: Seen[] = [];
    const replies = [first, ...others];
    const take = (handler: HttpHandler) => server.use(handler);
    take(
      mock.all(`${baseUrl}/*`, async ({ request }) => {
        const { pathname, search } = new URL(request.url);
        const path = pathname.slice(new URL(baseUrl).pathname.length) + search;
        seen.push({ method: request.method, path, headers: request.headers, body: await request.text() });
        const reply = replies[Math.min(seen.length, replies.length) - 1] as Reply;
        return typeof reply === "function" ? reply() : reply.clone();
      }),
    );
    return seen;
  }

  return { answers };
}

/** An answer of JSON. */
export function json(value: JsonBodyType, init: { status?: number; headers?: Record<string, string> } = {}): Response {
  return HttpResponse.json(value, init);
}

/** A refusal as the service writes it. */
export function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  return json({ status, code, title: code, detail: `It is ${code}.`, requestId: "request-1" }, { status, headers });
}

/** No network. */
export const unreachable = () => HttpResponse.error();

/** A stream of events that ends after what is given. */
export function events(...blocks: string[]): () => Response {
  return () => new HttpResponse(blocks.join(""), { headers: { "content-type": "text/event-stream" } });
}
