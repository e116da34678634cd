import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { operationsById, toOpenApi } from "@liveplane/core/contract";
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import express, { type RequestHandler } from "express";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { apiPage } from "../src/api-page/api-page.ts";
import { curlLine, requestOf } from "../src/api-page/browser/request.js";
import { readDocument } from "../src/api-page/described.ts";
import { exampleOf } from "../src/api-page/examples.ts";
import { html } from "../src/api-page/markup.ts";
import { liveplaneRouter } from "../src/router.ts";
import { send } from "./raw-http.ts";
import { startServer } from "./running-server.ts";

const server = await startServer();
afterAll(server.end);
const page = apiPage(toOpenApi(), "docs/assets");
const browser = new URL("../src/api-page/browser/", import.meta.url);
const assets = readdirSync(browser).map((name) => [name, readFileSync(new URL(name, browser), "utf8")] as const);

const found = (pattern: RegExp, text = page) => [...text.matchAll(pattern)].map(([, one = ""]) => one);

/** The addresses of what the page loads, as the server has written them. */
async function loaded(url: string): Promise<string[]> {
  const { text } = await send(url, { path: "/docs" });
  return found(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g, text);
}

describe("what is served", () => {
  test("the page is asked for again each time, and sent only when it is another", async () => {
    const first = await send(server.url, { path: "/docs" });
    expect(first.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
    const headers = { "If-None-Match": String(first.headers.etag) };
    expect(await send(server.url, { path: "/docs", headers })).toMatchObject({ status: 304, text: "" });
    expect(await send(server.url, { path: "/docs", headers: { "If-None-Match": 'W/"another"' } })).toMatchObject({
      status: 200,
    });
    expect(await send(server.url, { method: "HEAD", path: "/docs" })).toMatchObject({ status: 200, text: "" });
    const redirected = await send(server.url, { path: "/docs/" });
    expect(redirected).toMatchObject({ status: 308, headers: { location: "/docs" } });
  });

  test("what the page loads may be kept for ever: its address names its content", async () => {
    for (const address of await loaded(server.url)) {
      const { status, headers, text } = await send(server.url, { path: `/${address}` });
      expect([address, status, headers["cache-control"]]).toEqual([
        address,
        200,
        "public, max-age=31536000, immutable",
      ]);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(text.length).toBeGreaterThan(100);
      for (const module of found(/from "\.\/([\w-]+\.js)"/g, text)) {
        const path = `/${address.replace(/[^/]+$/, module)}`;
        expect(await send(server.url, { path })).toMatchObject({
          status: 200,
          headers: { "content-type": "text/javascript; charset=utf-8" },
        });
      }
    }
  });

  test("no other version or file is answered", async () => {
    const [address = ""] = await loaded(server.url);
    const folder = address.slice(0, address.lastIndexOf("/"));
    for (const path of [
      `/${folder}/api-page.ts`,
      `/${folder}/..%2fmarkup.ts`,
      `/${folder}/constructor`,
      "/docs/x/page.js",
    ])
      expect([path, (await send(server.url, { path })).status]).toEqual([path, 404]);
    expect((await send(server.url, { method: "POST", path: `/${address}` })).status).toBe(405);
  });

  test("who takes gzip gets the page and the OpenAPI document compressed, the same text", async () => {
    for (const path of ["/docs", "/openapi.json"]) {
      const response = await fetch(`${server.url}${path}`, { headers: { "Accept-Encoding": "gzip" } });
      expect([path, response.headers.get("content-encoding")]).toEqual([path, "gzip"]);
      expect(response.headers.get("vary")).toContain("Accept-Encoding");
      const plain = await send(server.url, { path });
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(plain.headers.vary).toContain("Accept-Encoding");
      expect([path, (await response.text()) === plain.text]).toEqual([path, true]);
    }
  });

  test("the OpenAPI document has one name in both forms, and isn't sent again to who has it", async () => {
    const inForm = (coding: string, headers = {}) =>
      send(server.url, { path: "/openapi.json", headers: { "Accept-Encoding": coding, ...headers } });
    const [plain, zipped] = [await inForm("identity"), await inForm("gzip")];
    expect(plain.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "public, max-age=300",
      etag: expect.stringMatching(/^W\/"/),
    });
    expect(zipped.headers).toMatchObject({ "content-encoding": "gzip", etag: plain.headers.etag });
    expect(Number(zipped.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 5);
    for (const coding of ["identity", "gzip"]) {
      const again = await inForm(coding, { "If-None-Match": String(plain.headers.etag) });
      expect(again).toMatchObject({ status: 304, text: "" });
      expect(again.headers).toMatchObject({ etag: plain.headers.etag, vary: plain.headers.vary });
      expect((await inForm(coding, { "If-None-Match": 'W/"another"' })).status).toBe(200);
    }
    expect(await send(server.url, { method: "HEAD", path: "/openapi.json" })).toMatchObject({ status: 200, text: "" });
  });

  test("the policy allows this server's own files and nothing inline, in a host's app too, where the host has none", async () => {
    const policies = async (...before: RequestHandler[]) => {
      const app = express().use(...before, liveplaneRouter(server.liveplane, { rateLimits: "off" }));
      const running = createServer(app).listen(0, "127.0.0.1");
      onTestFinished(() => void running.close());
      await once(running, "listening");
      const url = `http://127.0.0.1:${(running.address() as AddressInfo).port}`;
      return (await send(url, { path: "/docs" })).headers["content-security-policy"];
    };
    const own = String((await send(server.url, { path: "/docs" })).headers["content-security-policy"]);
    expect(own).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
    expect(own).not.toContain("unsafe");
    expect(await policies((_request, _response, next) => next())).toBe(own);
    const hosts = "default-src 'self'; frame-ancestors 'none'";
    const withHosts: RequestHandler = (_request, response, next) => {
      response.set("Content-Security-Policy", hosts);
      next();
    };
    expect(await policies(withHosts)).toBe(hosts);
  });
});

describe("what the page holds", () => {
  const api = readDocument(toOpenApi());

  test("every operation with its words, its rights and a form to try it", () => {
    for (const { operationId, summary, path, method } of api.operations) {
      const section = page.split(`<article class="operation" id="${operationId}"`)[1]?.split("</article>")[0] ?? "";
      const wanted = [html`${path}`.markup, html`${summary}`.markup, `<form data-method="${method}"`];
      expect([operationId, wanted.filter((part) => !section.includes(part))]).toEqual([operationId, []]);
      expect([operationId, found(/class="rights">(No credential|Credential: )/g, section).length]).toEqual([
        operationId,
        1,
      ]);
    }
    expect(api.operations.length).toBeGreaterThanOrEqual(Object.keys(operationsById).length);
  });

  test("every link leads to a place of the page, and no place has two", () => {
    const ids = found(/ id="([^"]+)"/g);
    expect(ids.length).toBe(new Set(ids).size);
    const named = [
      ...found(/href="#([^"]+)"/g),
      ...found(/data-fill="([^"]+)"/g),
      ...found(/aria-(?:labelledby|describedby)="([^"]+)"/g),
    ];
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(found(/ href="([^#"][^"]*)"/g))).toEqual(
      new Set(["docs/assets/icon.svg", "docs/assets/page.css", "openapi.json"]),
    );
  });

  test("without its script it says where the document is", () => {
    expect(found(/<noscript><p>[^<]*<a href="(.*?)">/g)).toEqual(["openapi.json"]);
  });

  test("nothing inline that the policy refuses, and nothing from another host", () => {
    expect(found(/(<style|<script(?![^>]* src=)| style="| on\w+="|javascript:)/gi)).toEqual([]);
    for (const [name, text] of assets) {
      expect([
        name,
        found(/((?:https?:)?\/\/[\w.-]+\.\w+)/g, text.replaceAll("http://www.w3.org/2000/svg", "")),
      ]).toEqual([name, []]);
      expect([
        name,
        /\beval\b|new Function|innerHTML|insertAdjacent|document\.write|localStorage|sessionStorage|cookie =/.test(
          text,
        ),
      ]).toEqual([name, false]);
    }
  });

  test("script and style together weigh at most 10 kB compressed, the page at most 68 kB", () => {
    const weight = assets.reduce((sum, [, text]) => sum + gzipSync(text).length, 0);
    expect(weight).toBeLessThan(10 * 1024);
    expect(gzipSync(page).length).toBeLessThan(68 * 1024);
  });

  test("text that looks like markup stays text", () => {
    expect(html`<p title="${'"><b>'}">${"<script>&"}</p>`.markup).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;script&gt;&amp;</p>',
    );
  });

  test("every body that a form is filled with has the shape that its schema asks for", () => {
    const document = JSON.parse(JSON.stringify(toOpenApi()));
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, "document");
    for (const { operationId, requestBody } of api.operations) {
      const media = requestBody?.content["application/json"];
      if (media?.schema.$ref === undefined) continue;
      const isTaken = ajv.getSchema(`document${media.schema.$ref}`);
      isTaken?.(media.example ?? exampleOf(media.schema, api.schemas, "required"));
      expect([operationId, isTaken?.errors]).toEqual([operationId, null]);
    }
  });
});

describe("what a form asks for", () => {
  const form = { method: "PUT", path: "/teams/{id}/of/{name}", base: "http://127.0.0.1/cp/", token: "a-token" };

  test("fields go to their places, encoded; what is empty is left out", () => {
    const wanted = requestOf({
      ...form,
      fields: [
        { name: "path:id", value: "a/b c" },
        { name: "path:name", value: "main" },
        { name: "query:status", value: "Active, Done", isList: true },
        { name: "query:limit", value: "" },
        { name: "header:If-Match", value: '"1"' },
        { name: "body", value: "{}" },
      ],
    });
    expect(wanted).toMatchObject({
      method: "PUT",
      url: "http://127.0.0.1/cp/teams/a%2Fb%20c/of/main?status=Active&status=Done",
      body: "{}",
    });
    expect(wanted.headers).toEqual({
      "If-Match": '"1"',
      Authorization: "Bearer a-token",
      "Content-Type": "application/json",
    });
  });

  test("a mailed challenge is sent in place of the token", () => {
    const wanted = requestOf({ ...form, fields: [{ name: "challenge", value: "handle.secret" }] });
    expect(wanted.headers).toEqual({ Authorization: "Bearer handle.secret" });
  });

  test("the line for curl holds no credential, and a quote can't end it", () => {
    const fields = [
      { name: "path:id", value: "1" },
      { name: "path:name", value: "2" },
      { name: "header:X-Provider-Secret", value: "hidden", isSecret: true },
      { name: "body", value: `{"name":"it's"}` },
    ];
    const line = curlLine(requestOf({ ...form, fields }));
    expect(line).not.toMatch(/a-token|hidden/);
    expect(line).toContain('-H "Authorization: Bearer $TOKEN"');
    expect(line).toContain('-H "X-Provider-Secret: $X_PROVIDER_SECRET"');
    expect(line).toContain(`--data-raw '{"name":"it'\\''s"}'`);
  });
});
