import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Browser, openBrowser } from "../../adapters/test/openid/browser.ts";
import { clientId, openIdProvider, signingKey } from "../../adapters/test/openid/openid-provider.ts";
import { said, signInWorld, startSignInWorld } from "./sign-in-world.ts";

const invalid = { status: 400, code: "SignInInvalid" };
const down = { status: 503, code: "Unavailable" };
const settings = { LIVEPLANE_OIDC_PROVISION: "verified-email" };
const verified = { email: "ada@example.com", email_verified: true };

let world: Awaited<ReturnType<typeof startSignInWorld>>;
beforeAll(async () => {
  world = await startSignInWorld(settings);
});
afterEach(() => {
  Object.assign(world.provider, { meddle: null, who: "ada" });
});
afterAll(() => world.end());

/** Ada signs in: the address that her browser came back to. */
async function comingBack() {
  world.provider.people.ada = verified;
  const browser = openBrowser();
  const start = `${world.server.url}/auth/oidc/start?returnTo=/openapi.json`;
  const { url } = await browser.visit(start, { until: world.callback });
  return { ...world, browser, start, url };
}

test("who comes back comes back once", async () => {
  const { browser, url } = await comingBack();
  const thief = openBrowser();
  thief.steal(browser, "liveplane-sign-in");
  await browser.visit(url.href);
  expect(said(await browser.visit(url.href))).toEqual(invalid);
  // With the cookie of before, too; and with another code for it.
  expect(said(await thief.visit(url.href))).toEqual(invalid);
});

test("a code that was used at the provider is worth nothing in another sign-in", async () => {
  const { browser, start, url } = await comingBack();
  await browser.visit(url.href);
  const next = await browser.visit(start, { until: world.callback });
  const replayed = new URL(next.url);
  replayed.searchParams.set("code", url.searchParams.get("code") ?? "");
  expect(said(await browser.visit(replayed.href))).toEqual(invalid);
});

test("nobody completes what began in another browser", async () => {
  const { url, start } = await comingBack();
  expect(said(await openBrowser().visit(url.href))).toEqual(invalid);
  const other = openBrowser();
  await other.visit(start, { until: world.callback });
  expect(said(await other.visit(url.href))).toEqual(invalid);
});

test.each([
  ["no state", (url: URL) => url.searchParams.delete("state")],
  ["two states", (url: URL) => url.searchParams.append("state", "another")],
  ["no code", (url: URL) => url.searchParams.delete("code")],
  ["two codes", (url: URL) => url.searchParams.append("code", "another")],
  ["another's code", (url: URL) => url.searchParams.set("code", "another")],
  ["an answer in another issuer's name", (url: URL) => url.searchParams.set("iss", "https://other.example")],
  ["an answer in nobody's name, where the provider gives its own", (url: URL) => url.searchParams.delete("iss")],
])("it isn't valid to come back with %s", async (_, change) => {
  const { browser, url } = await comingBack();
  change(url);
  expect(said(await browser.visit(url.href))).toEqual(invalid);
});

test("the cookie is for the callback alone, ten minutes, and can't be made or changed", async () => {
  const { browser, url } = await comingBack();
  const [cookie] = browser.cookies("liveplane-sign-in");
  expect(cookie?.line.replace(/=[^;]+/, "=…")).toBe(
    `${cookie?.name}=…; Path=/auth/oidc/callback; HttpOnly; SameSite=Lax; Max-Age=600`,
  );
  const { value = "" } = cookie ?? {};
  const [payload = "", seal = ""] = value.split(".");
  const forged = Buffer.from(
    JSON.stringify({
      ...JSON.parse(Buffer.from(payload, "base64url").toString()),
      link: { accountId: "x", sessionId: "y" },
    }),
  ).toString("base64url");
  for (const text of [
    `${forged}.${seal}`,
    payload,
    `.${seal}`,
    `${payload}.`,
    "",
    ".",
    "x".repeat(8000),
    `${value}.x`,
  ]) {
    const headers = { cookie: `${cookie?.name}=${text}` };
    const answer = await fetch(url, { redirect: "manual", headers });
    if (text === `${value}.x`) continue;
    expect({ text, ...said({ status: answer.status, text: await answer.text() }) }).toEqual({ text, ...invalid });
  }
});

test.each(["0", "65536", "80.1", "evil.example", "80@evil.example", "", "-1"])(
  "no program listens at %j",
  async (loopback) => {
    const { server } = world;
    const query = new URLSearchParams({ loopback, state: "s".repeat(22), code_challenge: "c".repeat(43) });
    const visited = await openBrowser().visit(`${server.url}/auth/oidc/start?${query}`);
    expect(said(visited)).toEqual({ status: 400, code: "ValidationFailed" });
  },
);

test("a ticket that nobody gave begins nothing", async () => {
  const { server } = world;
  expect(said(await openBrowser().visit(`${server.url}/auth/oidc/start?link=eyJ9.x`))).toEqual(invalid);
});

test("what is said in a query stands escaped, where it stands at all", async () => {
  const { server } = world;
  const hostile = `"><script>alert(1)</script>`;
  for (const path of ["start", "callback", "sign-out"]) {
    const query = new URLSearchParams({ returnTo: hostile, state: hostile, error: hostile, loopback: hostile });
    const { text } = await openBrowser().visit(`${server.url}/auth/oidc/${path}?${query}`);
    expect(text).not.toContain("<script");
  }
});

/** Answers token requests with an ID token of the test's own. */
async function withToken(make: (claims: Record<string, unknown>) => Promise<string>) {
  const { provider, browser, url } = await comingBack();
  const nonce = nonceOf(browser);
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, sub: "ada", aud: clientId, nonce, iat: now, exp: now + 600, ...verified };
  provider.meddle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url !== "/token") return false;
    const body = { access_token: "any", token_type: "Bearer", id_token: await make(claims) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  };
  return said(await browser.visit(url.href));
}

/** The nonce that the browser took to the provider. */
function nonceOf(browser: Browser): string {
  const [first = ""] = browser.visited().filter((one) => one.startsWith(`${world.provider.issuer}/auth?`));
  return new URL(first).searchParams.get("nonce") ?? "";
}

test("a token of the provider's own, made as it makes them, is taken", async () => {
  expect(await withToken((claims) => world.provider.sign(claims))).toEqual({ status: 200, code: null });
});

test.each([
  ["of another issuer", { iss: "https://other.example" }],
  ["for another client", { aud: "another" }],
  ["for another sign-in", { nonce: "another" }],
  ["for no sign-in", { nonce: undefined }],
  ["that is over", { exp: 1_000_000_000 }],
  ["without an end", { exp: undefined }],
  ["of nobody", { sub: undefined }],
])("a token %s is none", async (_, other) => {
  expect(await withToken((claims) => world.provider.sign({ ...claims, ...other }))).toEqual(invalid);
});

test("a token that another key signed is none, whatever it says", async () => {
  const other = await openIdProvider();
  await other.serve("http://127.0.0.1:9/");
  expect(await withToken((claims) => other.sign(claims))).toEqual(invalid);
  await other.end();
  const unsigned = (claims: object) =>
    `${[{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;
  expect(await withToken(async (claims) => unsigned(claims))).toEqual(invalid);
  const { SignJWT } = await import("jose");
  const { jwk } = await signingKey();
  const symmetric = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: String(jwk.kid) }).sign(Buffer.from("x".repeat(32)));
  expect(await withToken(async (claims) => symmetric(claims))).toEqual(invalid);
});

test("keys that the provider has rotated are good at once, and the old ones no more", async () => {
  world.provider.people.ada = verified;
  const { provider, signIn, callback } = world;
  expect((await signIn()).refused).toBeNull();
  await provider.serve(callback);
  expect((await signIn()).refused).toBeNull();
});

test("while the provider is down people are told so, and passwords go on", async () => {
  const { browser, start, url } = await comingBack();
  const { provider, callback, server, signIn } = world;
  await provider.stop();
  expect(said(await browser.visit(url.href))).toEqual(down);
  await server.person("bob");
  await provider.resume();
  expect((await signIn()).refused).toBeNull();
  for (const path of ["/token", "/jwks", "/me"]) {
    provider.people[path] = { email: `${path.slice(1)}@example.com`, email_verified: true };
    provider.who = path;
    const other = openBrowser();
    const next = await other.visit(start, { until: callback });
    await provider.serve(callback);
    provider.meddle = (request, response) => {
      if (request.url !== path) return false;
      response.writeHead(500, { "content-type": "text/html" }).end("<h1>canary</h1>");
      return true;
    };
    const visited = await other.visit(next.url.href);
    expect({ path, ...said(visited) }).toEqual({ path, ...down });
    expect(visited.text).not.toContain("canary");
    provider.meddle = null;
  }
});

test("a provider that was never up stops nobody else from coming in", async () => {
  const provider = await openIdProvider();
  await provider.end();
  const { server, onPage } = await signInWorld({ LIVEPLANE_OIDC_ISSUER: provider.issuer });
  await server.person("bob");
  expect(said(await onPage())).toEqual(down);
});

test("a provider that calls itself otherwise is none", async () => {
  const { provider, onPage } = await signInWorld();
  provider.meddle = (request, response) => {
    if (request.url !== "/.well-known/openid-configuration") return false;
    const metadata = { issuer: "https://other.example", authorization_endpoint: "https://other.example/auth" };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
    return true;
  };
  expect(said(await onPage())).toEqual(down);
});

test("strangers come no more often than their address may", async () => {
  const { server } = await signInWorld({ LIVEPLANE_RATE_LIMITS: '{"token":2}' });
  const come = async () => said(await openBrowser().visit(`${server.url}/auth/oidc/callback?state=x`)).code;
  expect([await come(), await come(), await come()]).toEqual(["SignInInvalid", "SignInInvalid", "RateLimited"]);
});
