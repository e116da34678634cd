import { createClient } from "@liveplane/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../../adapters/test/openid/browser.ts";
import { personsPassword } from "./running-server.ts";
import { said, signInWorld, startSignInWorld } from "./sign-in-world.ts";

const notLinked = { status: 403, code: "IdentityNotLinked" };
const invalid = { status: 400, code: "SignInInvalid" };
const verified = (name: string) => ({ email: `${name}@example.com`, email_verified: true });

type World = Awaited<ReturnType<typeof startSignInWorld>>;
/** One that makes accounts, and one that makes none. */
let open: World;
let closed: World;
beforeAll(async () => {
  open = await startSignInWorld({ LIVEPLANE_OIDC_PROVISION: "verified-email" });
  closed = await startSignInWorld();
});
afterEach(() => {
  for (const { provider } of [open, closed]) provider.meddle = null;
});
afterAll(async () => {
  await open.end();
  await closed.end();
});

/** Makes somebody known to a provider, and sits them before the browser. */
function known({ provider }: World, name: string, person: object = verified(name)): void {
  provider.people[name] = person;
  provider.who = name;
}

test("who comes with a verified address gets an account, and the same one again", async () => {
  const { provider, signIn } = open;
  known(open, "ada", { ...verified("ada"), given_name: "Ada", family_name: "Lovelace" });
  const first = await signIn();
  const account = await first.api?.accounts.me();
  expect(account).toMatchObject({ email: "ada@example.com", name: "Ada", surname: "Lovelace", status: "Active" });
  const again = await signIn();
  expect((await again.api?.accounts.me())?.id).toBe(account?.id);
  expect(await again.api?.accounts.identities.list()).toMatchObject({
    items: [{ issuer: provider.issuer, subject: "ada", email: "ada@example.com", lastUsedAt: expect.any(String) }],
  });
  const listed = await again.api?.sessions.list();
  expect(listed?.items.map(({ signedInBy }) => signedInBy)).toEqual(["openid", "openid"]);
});

test("who comes back to a page is signed in there by its own cookie, and by nothing in the address", async () => {
  const { onPage, server } = open;
  known(open, "grace");
  const browser = openBrowser();
  const visited = await onPage(browser, "/openapi.json?tried=it");
  expect(visited.status).toBe(200);
  expect(visited.url.href).toBe(`${server.url}/openapi.json?tried=it`);
  const [cookie] = browser.cookies("liveplane-session");
  expect(cookie?.line.replace(/=[^;]+/, "=…")).toBe(
    `${cookie?.name}=…; Path=/console/session; HttpOnly; SameSite=Strict`,
  );
  const answer = await fetch(`${server.url}/console/session`, {
    method: "POST",
    headers: { cookie: `${cookie?.name}=${cookie?.value}`, origin: server.url, "content-type": "application/json" },
    body: JSON.stringify({ do: "renew" }),
  });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  const api = createClient({ baseUrl: server.url, token: accessToken });
  expect(await api.accounts.me()).toMatchObject({ email: "grace@example.com" });
  expect((await api.sessions.list()).items).toMatchObject([{ signedInBy: "openid", current: true }]);
  expect(browser.visited().join("\n")).not.toContain(cookie?.value.split(".")[1] ?? "");
});

test("without provisioning nobody comes in who isn't linked", async () => {
  const { provider, onPage, nobody } = closed;
  known(closed, "nobody");
  expect(said(await onPage())).toEqual(notLinked);
  // What decides nothing isn't asked for.
  expect(provider.asked("/me")).toBe(0);
  expect(await nobody.sessions.methods()).toEqual({
    password: true,
    openId: true,
    passkey: false,
    consoleUrl: null,
    revealSecrets: false,
  });
});

test.each([
  ["says nothing of it", {}],
  ["hasn't verified it", { email: "ada@example.com", email_verified: false }],
  ["says it in other words", { email: "ada@example.com", email_verified: "true" }],
  ["has one that is none", { email: "ada@", email_verified: true }],
])("an address makes no account where the provider %s", async (_, person) => {
  const before = (await open.server.operator.accounts.list()).items.length;
  known(open, "unverified", person);
  expect(said(await open.onPage())).toEqual({ status: 403, code: "AddressNotVerified" });
  expect((await open.server.operator.accounts.list()).items).toHaveLength(before);
});

test("an account that somebody uses is opened by what they linked, and never by its address", async () => {
  const { provider, signIn, onPage, link, server, nobody } = open;
  known(open, "emmy");
  const first = await signIn();
  const { id } = (await first.api?.accounts.me()) ?? { id: "" };
  // The same address at the same provider, and another person there.
  known(open, "eve", verified("emmy"));
  expect(said(await onPage())).toEqual(notLinked);

  const bob = await server.person("bob");
  provider.who = "bob";
  const { identity, visited } = await link(bob.api);
  expect(visited.url.pathname).toBe("/openapi.json");
  expect(await identity()).toMatchObject({ issuer: provider.issuer, subject: "bob" });
  expect((await (await signIn()).api?.accounts.me())?.id).toBe(bob.id);
  expect(bob.id).not.toBe(id);
  expect((await nobody.sessions.create({ username: "bob", password: personsPassword })).accessToken).toBeTruthy();
});

test("the operator's account is opened by what the operator linked", async () => {
  known(open, "root");
  await (await open.link(open.server.operator)).identity();
  const { api } = await open.signIn();
  expect(await api?.accounts.me()).toMatchObject({ username: "operator", email: null });
  expect((await api?.accounts.list({ username: "operator" }))?.items).toHaveLength(1);
});

test("what was linked is good for the session that asked alone, once, and for one account", async () => {
  const { provider, link, server } = closed;
  const [ada, bob] = [await server.person("ada"), await server.person("bob")];
  provider.who = "mallory";
  const { code, identity } = await link(ada.api);
  // Who is sent to a page with somebody else's code links nothing by it.
  await expect(bob.api.accounts.identities.link({ code })).rejects.toMatchObject({ code: "SignInInvalid" });
  await expect(identity()).rejects.toMatchObject({ code: "SignInInvalid" });
  await (await link(ada.api)).identity();
  const other = await link(bob.api);
  await expect(other.identity()).rejects.toMatchObject({ code: "AlreadyExists" });
  expect((await bob.api.accounts.identities.list()).items).toEqual([]);
});

test("what is unlinked opens nothing any more, and its other sessions have ended", async () => {
  const { provider, link, signIn, onPage, server } = closed;
  provider.who = "bert";
  const bob = await server.person("bert");
  const { id: identityId } = await (await link(bob.api)).identity();
  const { api } = await signIn();
  await api?.accounts.me();
  const eve = await server.person("eve");
  await expect(eve.api.accounts.identities.delete({ identityId })).rejects.toMatchObject({ code: "NotFound" });
  await bob.api.accounts.identities.delete({ identityId });
  await expect(api?.accounts.me()).rejects.toMatchObject({ code: "TokenRevoked" });
  await bob.api.accounts.me();
  expect(said(await onPage())).toEqual(notLinked);
});

test("who has no password keeps an identity", async () => {
  const { signIn } = open;
  known(open, "mary");
  const { api } = await signIn();
  const { items } = (await api?.accounts.identities.list()) ?? { items: [] };
  const removal = api?.accounts.identities.delete({ identityId: items[0]?.id ?? "" });
  await expect(removal).rejects.toMatchObject({ code: "InvalidState" });
});

test("a suspended account lets nobody in", async () => {
  const { signIn, onPage, server } = open;
  known(open, "suspended");
  const { api } = await signIn();
  const { id: accountId } = (await api?.accounts.me()) ?? { id: "" };
  await server.operator.accounts.suspend({ accountId });
  expect(said(await onPage())).toEqual({ status: 403, code: "AccountNotActive" });
  expect((await signIn()).refused).toBe("AccountNotActive");
});

test("a refusal is a page that runs and loads nothing, and leaves no cookie", async () => {
  const { onPage } = closed;
  known(closed, "stranger");
  const browser = openBrowser();
  const visited = await onPage(browser);
  expect(said(visited)).toEqual(notLinked);
  expect(visited.headers.get("content-security-policy")).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(visited.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(visited.headers.get("cache-control")).toBe("no-store");
  expect(visited.text).not.toMatch(/<script|style=|\son\w+=/);
  expect(browser.cookies("liveplane-sign-in")).toEqual([]);
});

test("a refused identity leads to the console, and to another account at the provider", async () => {
  const { onPage, server, provider } = closed;
  known(closed, "stranger");
  const { text } = await onPage();
  expect(text).toContain('<a href="/">Sign in another way</a>');
  const again = /href="([^"]+)">Start again</.exec(text)?.[1] ?? "";
  let asked = new URLSearchParams();
  provider.meddle = (request) => {
    if (request.url?.startsWith("/auth?") === true) asked = new URL(request.url, provider.issuer).searchParams;
    return false;
  };
  await openBrowser().visit(`${server.url}${again}`);
  expect(asked.get("prompt")).toBe("login");
  const elsewhere = await signInWorld({ LIVEPLANE_CONSOLE_URL: "https://console.example/at" });
  known(elsewhere, "stranger");
  const visited = await elsewhere.onPage();
  expect(visited.text).toContain('<a href="https://console.example/at">Sign in another way</a>');
});

test("who says no at the provider is told so", async () => {
  const { provider, onPage } = closed;
  provider.meddle = (request, response) => {
    if (request.url?.startsWith("/auth?") !== true) return false;
    const { searchParams: asked } = new URL(request.url, provider.issuer);
    const back = new URLSearchParams({ error: "access_denied", state: asked.get("state") ?? "", iss: provider.issuer });
    response.writeHead(303, { location: `${asked.get("redirect_uri")}?${back}` }).end();
    return true;
  };
  const visited = await onPage();
  expect(said(visited)).toEqual(invalid);
  expect(visited.text).toContain("You declined the sign-in");
});

test("what is asked for is asked for with PKCE, a state and a nonce, of which nothing repeats", async () => {
  const { provider, onPage } = closed;
  const asked: URLSearchParams[] = [];
  provider.meddle = (request) => {
    if (request.url?.startsWith("/auth?") === true) asked.push(new URL(request.url, provider.issuer).searchParams);
    return false;
  };
  await onPage();
  await onPage();
  for (const query of asked)
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256",
    });
  for (const name of ["state", "nonce", "code_challenge"]) {
    const [one, other] = asked.map((query) => query.get(name));
    expect(one).toMatch(/^[\w-]{43}$/);
    expect(one).not.toBe(other);
  }
});

test("signing out goes by the provider, and comes back here alone", async () => {
  const { provider, server } = closed;
  const signOut = `${server.url}/auth/oidc/sign-out`;
  const { url, status } = await openBrowser().visit(signOut);
  expect(`${url.origin}${url.pathname}`).toBe(`${provider.issuer}/session/end`);
  expect(url.searchParams.get("post_logout_redirect_uri")).toBe(`${server.url}/`);
  expect(status).toBe(200);
});

test("what begins in another tab, or with a client of its own, has a code for its verifier alone", async () => {
  const { server, program, nobody } = open;
  known(open, "tabs");
  const [one, other] = [program(), program()];
  const start = `${server.url}/auth/oidc/start?${one.query}`;
  const { url } = await openBrowser().visit(start, { until: one.until });
  const code = url.searchParams.get("code") ?? "";
  const taken = (codeVerifier: string) =>
    createClient({ baseUrl: server.url }).sessions.createByCode({ code, codeVerifier });
  await expect(taken(other.codeVerifier)).rejects.toMatchObject({ code: "SignInInvalid" });
  // Whoever tried without the verifier has spent it.
  await expect(nobody.sessions.createByCode({ code, codeVerifier: one.codeVerifier })).rejects.toMatchObject({
    code: "SignInInvalid",
  });
});
