import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@liveplane/client";
import express, { type RequestHandler } from "express";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { liveplaneRouter } from "../../src/router.ts";
import { send } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer();
const ada = await server.person("ada");
afterAll(server.end);

/** An app of somebody's own that has the control plane below a path, behind what else they use. */
async function host(...before: RequestHandler[]): Promise<string> {
  const app = express();
  for (const handler of before) app.use(handler);
  app.use("/control-plane", liveplaneRouter(server.liveplane, { rateLimits: "off" }));
  app.get("/own", (_request, response) => void response.send("own"));
  return listening(app);
}

async function listening(app: express.Express): Promise<string> {
  const running: Server = createServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void running.close());
  await once(running, "listening");
  return `http://127.0.0.1:${(running.address() as AddressInfo).port}`;
}

const parsers: readonly (readonly [string, RequestHandler[]])[] = [
  ["nothing", []],
  ["a parser of JSON and forms", [express.json(), express.urlencoded()]],
  ["a parser that keeps the bytes", [express.raw({ type: "*/*" })]],
];

describe.each(parsers)("behind %s", (_what, before) => {
  test("calls with a body work, and are repeated under their key", async () => {
    const url = await host(...before);
    const api = createClient({ baseUrl: `${url}/control-plane`, token: ada.token });
    const at = { type: "Personal", ownerId: ada.id, shortName: `e${new URL(url).port}` } as const;
    const key = { idempotencyKey: `key-${at.shortName}` };
    const made = await api.environments.create(at, { name: "Acme" }, key);
    expect(made).toMatchObject({ name: "Acme" });
    expect(await api.environments.create(at, { name: "Acme" }, key)).toEqual(made);
    const other = api.environments.create(at, { name: "Other" }, key);
    await expect(other).rejects.toMatchObject({ code: "IdempotencyKeyReused" });
  });

  test("tokens take their forms, and what has no body is told so", async () => {
    const url = await host(...before);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const body = "grant_type=refresh_token&refresh_token=x";
    const refused = await send(url, { method: "POST", path: "/control-plane/auth/token", headers: form, body });
    expect(refused).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    const empty = await send(url, { method: "POST", path: "/control-plane/auth/sessions" });
    expect(empty).toMatchObject({ status: 400, json: { errors: [{ pointer: "#", code: "Required" }] } });
  });
});

test("a router that is mounted twice describes itself as mounted where it was asked", async () => {
  const router = liveplaneRouter(server.liveplane, { rateLimits: "off" });
  const url = await listening(express().use("/one", router).use("/two/:tenant", router));
  const described = async (mount: string) => (await send(url, { path: `${mount}/openapi.json` })).json?.servers;
  for (const mount of ["/one", "/two/a", "/two/b", "/one"]) expect(await described(mount)).toEqual([{ url: mount }]);
});

test("what answers name lies below the path of the mount, and the rest is the host's own", async () => {
  const url = await host();
  const path = `/control-plane/environments/Personal/${ada.id}/mounted`;
  const headers = { "content-type": "application/json" };
  const made = await send(url, { method: "POST", path, token: ada.token, headers, body: "{}" });
  expect(made).toMatchObject({ status: 201, headers: { location: path } });
  const document = await send(url, { path: "/control-plane/openapi.json" });
  expect(document.json?.servers).toEqual([{ url: "/control-plane" }]);
  expect(await send(url, { path: "/control-plane/nothing" })).toMatchObject({
    status: 404,
    json: { code: "NotFound" },
  });
  expect(await send(url, { path: "/own" })).toMatchObject({ status: 200, text: "own" });
});
