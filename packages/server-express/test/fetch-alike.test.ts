import { randomUUID } from "node:crypto";
import { fetchHandler } from "@liveplane/core/fetch";
import { type OperationId, parseRoute, routes } from "@liveplane/core/routes";
import { afterAll, expect, test } from "vitest";
import { operatorPassword, startServer } from "./running-server.ts";

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
