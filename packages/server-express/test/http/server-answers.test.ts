import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { securityHeaders } from "@liveplane/core/http";
import helmet from "helmet";
import { afterAll, describe, expect, test } from "vitest";
import { type RawAnswer, send } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer();
const ada = await server.person("ada");
afterAll(server.end);

const nowhere = "00000000-0000-4000-8000-000000000000";

function expectProblem(answer: RawAnswer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json?.code }).toEqual({ status, code });
  expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
  const requestId = answer.headers["x-request-id"];
  expect(answer.json).toMatchObject({ status, requestId, instance: `urn:liveplane:request:${requestId}` });
  expect(answer.json?.title).toEqual(expect.any(String));
  expect(answer.json?.detail).toEqual(expect.any(String));
  expect(answer.headers).toMatchObject({ "cache-control": "no-store", "api-version": "1" });
}

describe("problems", () => {
  test.each(["/nothing", "/accounts", "/environments/Personal/web", "/simulator/provider-z/resources", "//"])(
    "GET %s is a problem, whoever asks",
    async (path) => {
      const answer = await send(server.url, { path });
      expect([404, 401]).toContain(answer.status);
      expectProblem(answer, answer.status, answer.status === 404 ? "NotFound" : "Unauthenticated");
    },
  );

  test("a name where an ID belongs is told from a path that doesn't exist", async () => {
    const named = await send(server.url, { path: "/environments/Organizational/Acme/dev" });
    expectProblem(named, 404, "NotFound");
    expect(named.json?.detail).toMatch(/^ownerId must be an ID, such as /);
    expect((await send(server.url, { path: "/nothing" })).json?.detail).toBe("This path does not exist.");
  });

  test.each([
    ["PATCH", "/accounts/me", ["GET", "PUT", "DELETE", "HEAD"]],
    ["DELETE", "/auth/token", ["POST"]],
    ["PUT", "/healthz", ["GET", "HEAD"]],
    ["POST", "/metrics", ["GET", "HEAD"]],
    ["TRACE", "/organizations", ["POST", "PUT", "GET", "HEAD"]],
    ["PROPFIND", `/organizations/${nowhere}`, ["GET", "DELETE", "HEAD"]],
    ["POST", "/openapi.json", ["GET", "HEAD"]],
    ["DELETE", "/docs", ["GET", "HEAD"]],
    ["POST", "/simulator/provider-a/resources", ["GET", "HEAD"]],
    ["DELETE", "/simulator/provider-a/faults", ["GET", "HEAD", "PUT"]],
  ])("%s %s is 405 with what is allowed", async (method, path, allow) => {
    const answer = await send(server.url, { method, path, token: ada.token });
    expectProblem(answer, 405, "MethodNotAllowed");
    expect(answer.headers.allow?.split(", ").sort()).toEqual([...allow].sort());
    expect(answer.json?.detail).toBe(`This path accepts ${answer.headers.allow}.`);
  });

  test("OPTIONS says what a path takes, and needs nobody", async () => {
    const answer = await send(server.url, { method: "OPTIONS", path: "/accounts/me" });
    expect(answer.status).toBe(204);
    expect(answer.headers.allow?.split(", ").sort()).toEqual(["DELETE", "GET", "HEAD", "PUT"]);
    expect((await send(server.url, { method: "OPTIONS", path: "/nothing" })).status).toBe(404);
  });

  test("a 401 names the scheme", async () => {
    const answer = await send(server.url, { path: "/accounts/me" });
    expectProblem(answer, 401, "Unauthenticated");
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });

  test.each([
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "bearer x",
    "Bearer a b",
    "Digest x",
    "Bearer eyJhbGciOiJub25lIn0.e30.",
  ])("the credential %j is nobody's", async (authorization) => {
    expect((await send(server.url, { path: "/accounts/me", headers: { authorization } })).status).toBe(401);
  });

  test("a URL of more than 8 KiB is 414, with and without a route", async () => {
    for (const path of [`/accounts/me?x=${"a".repeat(8200)}`, `/${"a".repeat(9000)}`])
      expectProblem(await send(server.url, { path, token: ada.token }), 414, "UriTooLong");
  });
});

describe("what stands on every answer", () => {
  test("is what helmet would set, but for a policy that is ours and the transport's security, which is the proxy's", () => {
    const sample = new ServerResponse(new IncomingMessage(new Socket()));
    helmet({ contentSecurityPolicy: false, strictTransportSecurity: false })(sample.req, sample, () => {});
    const own = securityHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(own.filter((name) => name !== "content-security-policy")).toEqual(sample.getHeaderNames());
    for (const name of sample.getHeaderNames())
      expect(securityHeaders[2 * own.indexOf(name) + 1]).toBe(sample.getHeader(name));
  });

  test.each(["/accounts/me", "/healthz", "/readyz", "/nothing", "/metrics", "/simulator/provider-a/resources"])(
    "%s carries the common headers and helmet's",
    async (path) => {
      const { headers } = await send(server.url, { path, token: ada.token });
      expect(headers).toMatchObject({ "cache-control": "no-store", "api-version": "1" });
      expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "x-frame-options": "SAMEORIGIN" });
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers).not.toHaveProperty("x-powered-by");
      expect(headers).not.toHaveProperty("server");
    },
  );

  test.each([
    ["abcd-1234", true],
    ["A.b_c-9876", true],
    ["x".repeat(128), true],
    ["short", false],
    ["x".repeat(129), false],
    ["has space", false],
    ["<script>alert", false],
    ["", false],
  ])("a request id %j is kept: %s", async (sent, kept) => {
    const { headers, json } = await send(server.url, { path: "/nothing", headers: { "x-request-id": sent } });
    expect(headers["x-request-id"] === sent).toBe(kept);
    expect(json?.requestId).toBe(headers["x-request-id"]);
  });

  test("two request ids are neither", async () => {
    const answer = await send(server.url, { path: "/nothing", headers: { "x-request-id": ["aaaaaaaa", "bbbbbbbb"] } });
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("negotiation", () => {
  test.each([
    ["application/json", 200],
    ["*/*", 200],
    ["application/*;q=0.5, text/html", 200],
    ["text/html", 406],
    ["application/json;q=0", 406],
    ["application/json;q=0, */*", 406],
    ["text/event-stream", 406],
  ])("Accept: %s is %i", async (accept, status) => {
    const answer = await send(server.url, { path: "/accounts/me", token: ada.token, headers: { accept } });
    expect(answer.status).toBe(status);
    if (status === 406) expectProblem(answer, 406, "NotAcceptable");
  });

  test.each([
    ["1", 200],
    ["2", 400],
    ["", 400],
    ["1.0", 400],
  ])("Api-Version %j is %i", async (version, status) => {
    const headers = { "api-version": version };
    const answer = await send(server.url, { path: "/accounts/me", token: ada.token, headers });
    expect(answer.status).toBe(status);
    if (status === 400) {
      expectProblem(answer, 400, "UnsupportedApiVersion");
      expect(answer.json?.errors).toMatchObject([{ header: "Api-Version" }]);
    }
  });

  test("HEAD answers GET's headers without its body", async () => {
    const request = { path: "/accounts/me", token: ada.token };
    const [got, head] = await Promise.all([
      send(server.url, request),
      send(server.url, { ...request, method: "HEAD" }),
    ]);
    expect(head).toMatchObject({ status: 200, text: "" });
    for (const name of ["etag", "content-length", "content-type"]) expect(head.headers[name]).toBe(got.headers[name]);
    expect(await send(server.url, { method: "HEAD", path: "/nothing" })).toMatchObject({ status: 404, text: "" });
  });

  test("an address in absolute form is the same address", async () => {
    const answer = await send(server.url, { path: `${server.url}/accounts/me`, token: ada.token });
    expect(answer).toMatchObject({ status: 200, json: { id: ada.id } });
  });
});

test("the deprecated operations name their successors, and when they go", async () => {
  const deprecated: readonly [method: string, path: string, successor: string][] = [
    ["PUT", "/accounts/resourcegroups/mine", "/accounts/me/resourcegroups/mine"],
    ["GET", "/accounts/resourcegroups/mine", "/accounts/me/resourcegroups/mine"],
    ["POST", `/accounts/${nowhere}/activate`, "/accounts/activate"],
  ];
  for (const [method, path, successor] of deprecated) {
    const { headers } = await send(server.url, {
      method,
      path,
      token: ada.token,
      ...(method !== "GET" && { json: {} }),
    });
    expect(headers.deprecation).toMatch(/^@\d{9,}$/);
    expect(Date.parse(headers.sunset ?? "")).toBeGreaterThan(0);
    expect(headers.link).toBe(`<${successor}>; rel="successor-version"`);
  }
  expect(
    (await send(server.url, { path: "/accounts/me/resourcegroups/mine", token: ada.token })).headers,
  ).not.toHaveProperty("deprecation");
});
