import { randomUUID } from "node:crypto";
import { fetchHandler } from "@liveplane/core/fetch";
import { type OperationId, parseRoute, routes } from "@liveplane/core/routes";
import { afterAll, expect, test } from "vitest";
import { operatorPassword, startServer } from "../running-server.ts";

const server = await startServer();
const handle = fetchHandler(server.liveplane, { rateLimits: "off" });
const ada = await server.person("ada");
const { accessToken } = await server.operator.sessions.create({ username: "operator", password: operatorPassword });
afterAll(server.end);

const callers = {
  stranger: undefined,
  ada: ada.token,
  operator: accessToken,
  forger: `${ada.token.slice(0, -8)}AAAAAAAA`,
};
const ids = Object.keys(routes) as OperationId[];

/** What the connection's own keeper says, and when. */
const ofTheEdge = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What both edges answer to the same request: every header in their order by name, and every byte. */
async function answers({ path, ...init }: Asked): Promise<readonly unknown[]> {
  const ask = async (fetch: (request: Request) => Promise<Response>) => {
    const leaving = new AbortController();
    const response = await fetch(new Request(`${server.url}${path}`, { ...init, signal: leaving.signal }));
    const headers = [...response.headers].filter(([name]) => !ofTheEdge.has(name));
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = isStream ? await firstPiece(response) : await response.text();
    leaving.abort();
    return { status: response.status, headers, body };
  };
  return [await ask(fetch), await ask(handle)];
}

async function firstPiece({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/** Requests to an operation that change nothing: as they are where it reads, and refused in several ways. */
function requestsTo(id: OperationId): Omit<Asked, "headers">[] {
  const { methods, path: pattern, params } = parseRoute(id);
  const named: Readonly<Record<string, string>> = {
    type: "Personal",
    ownerId: ada.id,
    shortName: "none",
    componentId: "a/b",
  };
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(named[name] ?? "00000000-0000-4000-8000-000000000000"),
  );
  const wrongMethods = ["PATCH", "OPTIONS"].map((method) => ({ method, path }));
  return methods.flatMap((method) => {
    if (method === "GET")
      return [{ method, path }, { method: "HEAD", path }, { method, path: `${path}?nonsense=1` }, ...wrongMethods];
    const body = JSON.stringify({ nonsense: "ä" });
    const bad = { method, path: `${path}?nonsense=1` };
    return params.length === 0 ? [{ ...bad, body }] : [{ method, path, body }, bad, ...wrongMethods];
  });
}

const manners: readonly object[] = [
  {},
  { accept: "text/html" },
  { "api-version": "2" },
  { "if-match": "nonsense", "content-type": "application/json" },
  { "idempotency-key": "a key" },
  { "content-type": "text/plain" },
  { "content-encoding": "gzip" },
];

test("every path answers 405 to each method that it hasn't got, over Express and fetch", async () => {
  const methodsOf = new Map<string, Set<string>>();
  for (const id of ids) {
    const [{ methods }, [request]] = [parseRoute(id), requestsTo(id)];
    const path = request?.path.split("?")[0] ?? "";
    methodsOf.set(path, new Set([...(methodsOf.get(path) ?? []), ...methods]));
  }
  for (const [path, methods] of methodsOf)
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => !methods.has(one)))
      for (const answer of await answers({ method, path, headers: {} })) {
        const { status, headers } = answer as { status: number; headers: [string, string][] };
        const allow = new Map(headers)
          .get("allow")
          ?.split(", ")
          .filter((one) => one !== "HEAD");
        expect({ method, path, status, allow: allow?.sort() }).toEqual({
          ...{ method, path, status: 405, allow: [...methods].sort() },
        });
      }
});

test("the document of the API is the same over Express and fetch, and told once", async () => {
  const ask = (method: string, headers: Readonly<Record<string, string>>, path = "/openapi.json") =>
    answers({ method, path, headers: { "x-request-id": randomUUID(), ...headers } });
  const bare = (answer: unknown) => {
    const { status, headers, body } = answer as { status: number; headers: [string, string][]; body: string };
    // What Express can compress, it says that it may; a host of fetch's compresses by itself.
    const own = headers.filter(([name]) => !["vary", "accept-ranges"].includes(name));
    return { status, headers: Object.fromEntries(own), body };
  };
  const [express, handled] = (await ask("GET", { "accept-encoding": "identity" })).map(bare);
  expect(handled).toEqual(express);
  expect(JSON.parse(handled?.body ?? "")).toMatchObject({ openapi: "3.1.1", servers: [{ url: "/" }] });
  const etag = handled?.headers.etag ?? "";
  // Over the wire Node's fetch would say beside it that nothing is to be from a cache.
  const statusFor = async (known: string) =>
    (await handle(new Request(`${server.url}/openapi.json`, { headers: { "if-none-match": known } }))).status;
  for (const known of [etag, etag.slice(2), `"other", ${etag}`, "*"]) expect(await statusFor(known)).toBe(304);
  expect(await statusFor('"other"')).toBe(200);
  const [post, posted] = (await ask("POST", {})).map(bare);
  expect([post?.status, post?.headers.allow]).toEqual([405, "GET, HEAD"]);
  expect([posted?.status, posted?.headers.allow]).toEqual([405, "GET, HEAD"]);
  const [, head] = (await ask("HEAD", {})).map(bare);
  expect([head?.status, head?.body, head?.headers["content-length"]]).toEqual([
    200,
    "",
    String(Buffer.byteLength(handled?.body ?? "")),
  ]);

  const mounted = fetchHandler(server.liveplane, { rateLimits: "off", basePath: "/control" });
  const document = await (await mounted(new Request("https://app.example/control/openapi.json"))).json();
  expect(document.servers).toEqual([{ url: "/control" }]);
  expect((await mounted(new Request("https://app.example/openapi.json"))).status).toBe(404);
});

test.each(ids)("%s answers the same bytes over Express and fetch", async (id) => {
  for (const [who, token] of Object.entries(callers)) {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const requests = requestsTo(id).flatMap((asked): Asked[] => {
      const json = asked.body === undefined ? {} : { "content-type": "application/json" };
      const one = (manner: object) => ({
        ...asked,
        headers: { "x-request-id": randomUUID(), ...authorization, ...json, ...manner },
      });
      return who === "ada" || asked.method === "GET" ? manners.map(one) : [one({})];
    });
    await Promise.all(
      requests.map(async (asked) => {
        const [express, handled] = await answers(asked);
        expect([asked, handled]).toEqual([asked, express]);
      }),
    );
  }
});
