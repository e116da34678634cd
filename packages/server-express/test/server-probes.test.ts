import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLiveplane } from "@liveplane/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { openPorts } from "../src/ports.ts";
import { createServer } from "../src/server.ts";
import { send } from "./raw-http.ts";
import { runServer } from "./running-server.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "liveplane-probes-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe("probes", () => {
  test("a server lives and is ready, part by part", async () => {
    const server = await runServer();
    expect(await send(server.url, { path: "/healthz" })).toMatchObject({ status: 200, json: { status: "ok" } });
    expect(await send(server.url, { path: "/readyz" })).toMatchObject({
      status: 200,
      json: { store: true, clouds: true, agent: true },
    });
    expect(await send(server.url, { method: "HEAD", path: "/healthz" })).toMatchObject({ status: 200, text: "" });
  });

  test("without its store a server lives, isn't ready, and refuses calls without a word of why", async () => {
    const ports = await openPorts(readConfig({ environment: { LIVEPLANE_DATA: folder() } }));
    const liveplane = createLiveplane(ports);
    const server = createServer({ liveplane, needsAgent: false });
    const url = await server.listen(0);
    onTestFinished(() => server.close());
    expect((await send(url, { path: "/readyz" })).status).toBe(200);

    await ports.store.close();
    expect((await send(url, { path: "/healthz" })).status).toBe(200);
    expect(await send(url, { path: "/readyz" })).toMatchObject({ status: 503, json: { store: false } });
    const signIn = { username: "ada", password: "correct horse battery" };
    const answer = await send(url, { method: "POST", path: "/auth/sessions", json: signIn });
    expect([500, 503]).toContain(answer.status);
    expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(answer.text).not.toMatch(/sqlite|database|stack|\.ts|horse/i);
  });

  test("a server that needs an agent isn't ready without one", async () => {
    const ports = await openPorts(readConfig({ environment: { LIVEPLANE_DATA: folder() } }));
    const server = createServer({ liveplane: createLiveplane(ports) });
    const url = await server.listen(0);
    onTestFinished(async () => {
      await server.close();
      await ports.store.close();
    });
    expect(await send(url, { path: "/readyz" })).toMatchObject({ status: 503, json: { store: true, agent: false } });
  });
});

describe("/metrics", () => {
  test("is for this machine, and for operators from elsewhere", async () => {
    const server = await runServer();
    const ada = await server.person("ada");
    const { accessToken } = await server.operator.sessions.create({
      username: "operator",
      password: "a long enough secret",
    });
    const near = await send(server.url, { path: "/metrics" });
    expect(near.status).toBe(200);
    expect(near.headers["content-type"]).toMatch(/^text\/plain/);
    const far = { "x-forwarded-for": "192.0.2.1" };
    expect((await send(server.url, { path: "/metrics", headers: far })).status).toBe(401);
    expect((await send(server.url, { path: "/metrics", headers: far, token: ada.token })).status).toBe(403);
    expect((await send(server.url, { path: "/metrics", headers: far, token: accessToken })).status).toBe(200);
  });

  test("tells answers by operation and status, and no path, name or id", async () => {
    const server = await runServer();
    const ada = await server.person("ada-of-the-canary");
    await send(server.url, { path: "/accounts/me", token: ada.token });
    await send(server.url, { path: "/a-canary-path" });
    const { text } = await send(server.url, { path: "/metrics" });
    expect(text).toMatch(/liveplane_http_request_seconds_count\{operation="accounts.me",status="200"\} 1/);
    expect(text).toMatch(/operation="unknown",status="404"/);
    expect(text).not.toContain("canary");
    expect(text).not.toContain(ada.id);
  });
});

describe("documents", () => {
  test("/openapi.json is the document, cacheable, with every path", async () => {
    const server = await runServer();
    const answer = await send(server.url, { path: "/openapi.json" });
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json; charset=utf-8" } });
    expect(answer.headers["cache-control"]).toBe("public, max-age=300");
    expect(answer.json?.openapi).toMatch(/^3\.1/);
    expect(Object.keys(answer.json?.paths as object)).toContain("/environments/{type}/{ownerId}/{shortName}");
  });

  test("/docs names every operation, and loads nothing from elsewhere", async () => {
    const server = await runServer();
    const { text, headers } = await send(server.url, { path: "/docs" });
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(text).toContain("environments.create");
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(text).not.toContain("<script");
    expect(headers["content-security-policy"]).toContain("default-src 'self'");
  });

  test("the simulated clouds' page is open, and holds nothing", async () => {
    const server = await runServer();
    const page = await send(server.url, { path: "/simulator" });
    expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect((await send(server.url, { path: "/simulator/" })).status).toBe(308);
    expect((await send(server.url, { path: "/simulator/page.js" })).status).toBe(200);
  });
});
