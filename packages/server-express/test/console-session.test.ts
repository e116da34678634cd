import { fetchHandler } from "@liveplane/core/fetch";
import { describe, expect, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { send } from "./raw-http.ts";
import { operatorPassword, runServer, startServer } from "./running-server.ts";

const path = "/console/session";

/** A server, and how its own page asks to stay signed in. */
async function asked(settings: Readonly<Record<string, string>> = {}) {
  const server = await runServer(settings);
  return { ...server, ...pageOf(server.url) };
}

function pageOf(url: string) {
  const post = (what: unknown, headers: Readonly<Record<string, string>> = {}, token?: string) =>
    send(url, {
      method: "POST",
      path,
      headers: { origin: url, ...headers },
      json: { do: what },
      ...(token && { token }),
    });
  return {
    post,
    /** The cookie that a browser would send from then on. */
    async begin(token: string) {
      const { status, headers } = await post("begin", {}, token);
      expect(status).toBe(204);
      const [pair = ""] = (headers["set-cookie"] ?? "").split(";");
      return { cookie: pair, set: headers["set-cookie"] ?? "" };
    },
  };
}

describe("the console's session", () => {
  test("is kept by a cookie that no script reads, no other site sends, and no other path is sent", async () => {
    const { url, person, begin, post } = await asked();
    const { token } = await person("ada");
    const { cookie, set } = await begin(token);
    const { port } = new URL(url);
    expect(set).toMatch(
      new RegExp(
        `^liveplane-session-${port}=[0-9a-f-]{36}\\.[\\w-]{43}; Path=/console/session; HttpOnly; SameSite=Strict$`,
      ),
    );
    const renewed = await post("renew", { cookie: `other=1; ${cookie}` });
    expect(renewed).toMatchObject({ status: 200, json: { expiresIn: 600 } });
    expect(renewed.headers).not.toHaveProperty("set-cookie");
    const me = await send(url, { path: "/accounts/me", token: String(renewed.json?.accessToken) });
    expect(me.json).toMatchObject({ username: "ada" });
  });

  test("is renewed by two tabs at once, and after the server has started anew", async () => {
    const dataDir = emptyFolder();
    const first = await startServer({ LIVEPLANE_DATA: dataDir });
    const { token } = await first.person("ada");
    const { post, begin } = pageOf(first.url);
    const { cookie } = await begin(token);
    const both = await Promise.all([post("renew", { cookie }), post("renew", { cookie })]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    await first.end();
    const again = await runServer({ LIVEPLANE_DATA: dataDir, PORT: new URL(first.url).port });
    expect(await pageOf(again.url).post("renew", { cookie })).toMatchObject({ status: 200 });
  });

  test("over TLS, as a trusted proxy says, its cookie is Secure; without trust such a page is another's", async () => {
    const { url, person, post } = await asked({ LIVEPLANE_TRUST_PROXY: "1" });
    const { token } = await person("ada");
    const origin = url.replace("http:", "https:");
    const begun = await post("begin", { origin, "x-forwarded-proto": "https" }, token);
    expect(begun.status).toBe(204);
    expect(begun.headers["set-cookie"]).toMatch(/^__Secure-liveplane-session-\d+=.*; Secure$/);
    expect((await post("begin", { origin }, token)).status).toBe(403);
    const bare = await asked();
    expect(
      (await bare.post("renew", { origin: bare.url.replace("http:", "https:"), "x-forwarded-proto": "https" })).status,
    ).toBe(403);
  });

  test("is for pages of its own origin alone, whatever other origins may call", async () => {
    const elsewhere = "https://app.example";
    const { url, person, post, begin } = await asked({ LIVEPLANE_CORS_ORIGINS: elsewhere });
    const { token } = await person("ada");
    const { cookie } = await begin(token);
    for (const origin of [elsewhere, "null", `${url}.evil.example`, `${url}/`, url.toUpperCase()]) {
      const refused = await post("renew", { origin, cookie });
      expect([origin, refused.status, refused.json?.code]).toEqual([origin, 403, "PermissionDenied"]);
      expect(Object.keys(refused.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    const none = await send(url, { method: "POST", path, headers: { cookie }, json: { do: "renew" } });
    expect(none).toMatchObject({ status: 403 });
    const headers = { origin: elsewhere, "access-control-request-method": "POST" };
    const preflight = await send(url, { method: "OPTIONS", path, headers });
    expect(preflight).toMatchObject({ status: 405, headers: { allow: "POST" } });
    expect(preflight.headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("isn't opened by another tenant's handle, nor by one's own token for another's session", async () => {
    const { person, begin, post, url } = await asked();
    const [ada, grace] = [await person("ada"), await person("grace")];
    const { cookie } = await begin(ada.token);
    const [name = "", handle = ""] = cookie.split("=");
    const [, secret = ""] = handle.split(".");
    const graceSession = (await grace.api.sessions.list()).items[0]?.id ?? "";
    const forged = await post("renew", { cookie: `${name}=${graceSession}.${secret}` });
    expect(forged).toMatchObject({ status: 401, json: { code: "TokenRevoked" } });
    expect(forged.headers["set-cookie"]).toMatch(/=; .*Max-Age=0$/);
    // The token says whose session is meant, and the cookie isn't asked.
    const mixed = await post("begin", { cookie }, grace.token);
    const own = (mixed.headers["set-cookie"] ?? "").split(";")[0] ?? "";
    const { json } = await post("renew", { cookie: own });
    expect((await send(url, { path: "/accounts/me", token: String(json?.accessToken) })).json).toMatchObject({
      username: "grace",
    });
    expect(await post("renew", { cookie })).toMatchObject({ status: 200 });
  });

  test("ends where it is signed out, here or elsewhere; without a cookie nobody is signed in", async () => {
    const { person, begin, post } = await asked();
    expect(await post("renew")).toMatchObject({ status: 204, text: "" });
    const { token, api } = await person("ada");
    const { cookie } = await begin(token);
    const ended = await post("end", { cookie });
    expect([ended.status, ended.headers["set-cookie"]]).toEqual([204, expect.stringMatching(/=; .*Max-Age=0$/)]);
    expect(await post("renew", { cookie })).toMatchObject({ status: 401 });
    await expect(api.accounts.me()).rejects.toMatchObject({ code: "TokenRevoked" });
    const other = await person("grace");
    const second = await begin(other.token);
    await other.api.sessions.delete({ sessionId: (await other.api.sessions.list()).items[0]?.id ?? "" });
    expect(await post("renew", { cookie: second.cookie })).toMatchObject({ status: 401 });
  });

  test("takes what it knows and nothing else", async () => {
    const { url, post, operator } = await asked();
    expect(await post("begin")).toMatchObject({ status: 401, json: { code: "Unauthenticated" } });
    expect(await post("toString")).toMatchObject({ status: 400, json: { code: "ValidationFailed" } });
    expect(await send(url, { path })).toMatchObject({ status: 405, headers: { allow: "POST" } });
    const headers = { origin: url };
    expect(await send(url, { method: "POST", path, headers, body: "do=end" })).toMatchObject({ status: 415 });
    const long = await send(url, { method: "POST", path, headers, json: { do: "x".repeat(2000) } });
    expect(long).toMatchObject({ status: 413 });
    const { accessToken } = await operator.sessions.create({ username: "operator", password: operatorPassword });
    expect(await post("begin", {}, accessToken)).toMatchObject({ status: 204 });
  });

  test("is asked as often as tokens are, by address", async () => {
    const { post } = await asked({ LIVEPLANE_RATE_LIMITS: '{"token": 2}' });
    const statuses = [];
    for (let time = 0; time < 3; time++) statuses.push((await post("renew")).status);
    expect(statuses).toEqual([204, 204, 429]);
  });

  test("is there for hosts that speak in Request and Response, where they say so", async () => {
    const { liveplane, person } = await runServer();
    const { token } = await person("ada");
    const origin = "https://host.example";
    const ask = (handle: (request: Request) => Promise<Response>, headers: Record<string, string>, what: string) =>
      handle(
        new Request(`${origin}/plane${path}`, {
          method: "POST",
          headers: { origin, "content-type": "application/json", ...headers },
          body: JSON.stringify({ do: what }),
        }),
      );
    const options = { basePath: "/plane", rateLimits: "off" } as const;
    const handle = fetchHandler(liveplane, { ...options, consoleSession: true });
    const begun = await ask(handle, { authorization: `Bearer ${token}` }, "begin");
    const set = begun.headers.get("set-cookie") ?? "";
    expect(set).toMatch(
      /^__Secure-liveplane-session=.*; Path=\/plane\/console\/session; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await ask(handle, { cookie: set.split(";")[0] ?? "" }, "renew")).status).toBe(200);
    expect((await ask(handle, { cookie: set, origin: "https://other.example" }, "renew")).status).toBe(403);
    expect((await ask(fetchHandler(liveplane, options), {}, "renew")).status).toBe(404);
  });
});
