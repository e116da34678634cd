import { describe, expect, test } from "vitest";
import { send } from "../raw-http.ts";
import { runServer } from "../running-server.ts";

const origin = "https://app.example";
const preflight = {
  "access-control-request-method": "PUT",
  // Those of traces too: a page that follows its calls sends them by itself.
  "access-control-request-headers": "authorization,if-match,traceparent,tracestate",
};

describe("pages from elsewhere", () => {
  test("may not call, unless the configuration says so", async () => {
    const server = await runServer();
    const answer = await send(server.url, { path: "/healthz", headers: { origin } });
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
    const asked = await send(server.url, {
      method: "OPTIONS",
      path: "/accounts/me",
      headers: { origin, ...preflight },
    });
    expect(asked.headers).not.toHaveProperty("access-control-allow-methods");
  });

  test("may call from the origins that are named, and from no other", async () => {
    const server = await runServer({ LIVEPLANE_CORS_ORIGINS: `${origin}, https://other.example` });
    const asked = await send(server.url, {
      method: "OPTIONS",
      path: "/accounts/me",
      headers: { origin, ...preflight },
    });
    expect(asked).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": expect.stringContaining("PUT"),
        "access-control-allow-headers": preflight["access-control-request-headers"],
      },
    });
    for (const path of ["/accounts/me", "/nothing"]) {
      const { headers } = await send(server.url, { path, headers: { origin } });
      expect(headers["access-control-allow-origin"]).toBe(origin);
      expect(headers["access-control-expose-headers"]).toContain("ETag");
      expect(headers.vary).toContain("Origin");
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
    }
    for (const stranger of ["https://evil.example", `${origin}.evil.example`, "null", ""]) {
      const { headers } = await send(server.url, { path: "/nothing", headers: { origin: stranger } });
      expect(headers).not.toHaveProperty("access-control-allow-origin");
      expect(headers.vary).toContain("Origin");
    }
  });

  test("may call from anywhere with a star", async () => {
    const server = await runServer({ LIVEPLANE_CORS_ORIGINS: "*" });
    const { headers } = await send(server.url, { path: "/nothing", headers: { origin: "https://any.example" } });
    expect(headers["access-control-allow-origin"]).toBe("https://any.example");
  });

  test("may send PATCH to the simulated clouds' console", async () => {
    const server = await runServer({ LIVEPLANE_CORS_ORIGINS: origin });
    const path = "/simulator/provider-a/resources/x/parameters";
    const headers = { origin, "access-control-request-method": "PATCH" };
    const answer = await send(server.url, { method: "OPTIONS", path, headers });
    expect(answer.headers["access-control-allow-methods"]).toContain("PATCH");
  });
});
