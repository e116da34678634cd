import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLiveplane } from "@liveplane/core";
import { simulatedConsole } from "@liveplane/core/clouds";
import { eventTypes } from "@liveplane/core/contract";
import express from "express";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/configuration/config.ts";
import { openPorts } from "../../src/ports.ts";
import { liveplaneRouter } from "../../src/router.ts";
import { createServer } from "../../src/server.ts";
import { send } from "../raw-http.ts";
import { type EndableServer, runServer, startServer } from "../running-server.ts";

let server: EndableServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.end());

/** A server over simulated clouds where the console isn't installed. */
async function bareServer(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bare-"));
  const ports = await openPorts(readConfig({ environment: { LIVEPLANE_DATA: dataDir } }));
  const consoles = ports.simulatedClouds.map(simulatedConsole);
  const bare = createServer({ liveplane: createLiveplane(ports), needsAgent: false, consoles });
  const url = await bare.listen(0);
  onTestFinished(async () => {
    await bare.close();
    await ports.store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return url;
}

test("/openapi.json describes every path", async () => {
  const { status, json } = await send(server.url, { path: "/openapi.json" });
  expect(status).toBe(200);
  expect(json?.openapi).toMatch(/^3\.1/);
  expect(Object.keys(json?.paths as object)).toContain("/environments/{type}/{ownerId}/{shortName}");
});

test("/asyncapi.json describes every event", async () => {
  const { status, json } = await send(server.url, { path: "/asyncapi.json" });
  expect([status, json?.asyncapi]).toEqual([200, "3.0.0"]);
  expect(Object.keys(Reflect.get(Object(json?.components), "messages"))).toEqual(eventTypes);
});

test("/.well-known/security.txt names the configured contact and expires within a year (RFC 9116)", async () => {
  const { url } = await runServer({ LIVEPLANE_SECURITY_CONTACT: "mailto:security@example.com" });
  const { status, headers, text } = await send(url, { path: "/.well-known/security.txt" });
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  const fields = Object.fromEntries(
    text
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(/: (.*)/)),
  );
  expect(fields).toMatchObject({ Contact: "mailto:security@example.com", "Preferred-Languages": "en" });
  const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(30);
  expect(days).toBeLessThan(365);
  expect((await send(url, { path: "/.well-known/security.txt", method: "POST" })).status).toBe(405);
});

test("without a contact there is no /.well-known/security.txt", async () => {
  expect((await send(server.url, { path: "/.well-known/security.txt" })).status).toBe(404);
});

test("the OpenAPI document has one name in both encodings, and isn't sent again to a client that has it", async () => {
  const inForm = (coding: string, headers = {}) =>
    send(server.url, { path: "/openapi.json", headers: { "Accept-Encoding": coding, ...headers } });
  const [plain, zipped] = [await inForm("identity"), await inForm("gzip")];
  expect(plain.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "public, max-age=300",
    vary: expect.stringContaining("Accept-Encoding"),
    etag: expect.stringMatching(/^W\/"/),
  });
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(zipped.headers).toMatchObject({ "content-encoding": "gzip", etag: plain.headers.etag });
  expect(Number(zipped.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 5);
  const unzipped = await (await fetch(`${server.url}/openapi.json`, { headers: { "Accept-Encoding": "gzip" } })).text();
  expect(unzipped).toBe(plain.text);
  for (const coding of ["identity", "gzip"]) {
    const again = await inForm(coding, { "If-None-Match": String(plain.headers.etag) });
    expect(again).toMatchObject({ status: 304, text: "" });
    expect(again.headers).toMatchObject({ etag: plain.headers.etag, vary: plain.headers.vary });
    expect((await inForm(coding, { "If-None-Match": 'W/"another"' })).status).toBe(200);
  }
  expect(await send(server.url, { method: "HEAD", path: "/openapi.json" })).toMatchObject({ status: 200, text: "" });
});

test.each([
  ["/docs", "./#/api"],
  ["/docs/", "../#/api"],
  ["/simulator", "./#/simulator"],
  ["/simulator/", "../#/simulator"],
])("with the console %s redirects to its page", async (path, location) => {
  expect(await send(server.url, { path })).toMatchObject({ status: 302, headers: { location } });
});

test("without the console /docs and /simulator say in plain text where to go", async () => {
  const url = await bareServer();
  for (const [path, words] of [
    ["/docs", "openapi.json"],
    ["/simulator", "simulated clouds"],
  ] as const) {
    const answer = await send(url, { path });
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
    expect(answer.text).toContain(words);
    expect(await send(url, { method: "HEAD", path })).toMatchObject({ status: 200, text: "" });
  }
});

test("in an app the documents are below the router's mount", async () => {
  const app = express().use("/of/:tenant", liveplaneRouter(server.liveplane, { rateLimits: "off" }));
  const running = createHttpServer(app);
  await new Promise<void>((resolve) => running.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void running.close());
  const url = `http://127.0.0.1:${(running.address() as AddressInfo).port}`;
  for (const tenant of [1, 2]) {
    const { json } = await send(url, { path: `/of/${tenant}/openapi.json` });
    expect(json?.servers).toEqual([expect.objectContaining({ url: `/of/${tenant}` })]);
  }
  expect((await send(url, { path: "/of/1/docs" })).text).toContain("openapi.json");
});
