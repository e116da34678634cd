import { createClient } from "@liveplane/client";
import { isLiveplaneError } from "@liveplane/core/errors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Browser, openBrowser } from "../../adapters/test/openid/browser.ts";
import { clientId } from "../../adapters/test/openid/openid-provider.ts";
import { codeAt, said, startSignInWorld } from "./sign-in-world.ts";

const ada = { email: "ada@example.com", email_verified: true };
const hourAgo = () => Math.floor(Date.now() / 1000) - 3600;

let world: Awaited<ReturnType<typeof startSignInWorld>>;
beforeEach(async () => {
  world = await startSignInWorld({ LIVEPLANE_OIDC_PROVISION: "verified-email" });
  world.provider.people.ada = ada;
});
afterEach(() => world.end());

/** Signs in, and does what is costly: the refusal, or `null`. */
async function costly(browser: Browser, end?: string) {
  const { code, codeVerifier } = await codeAt(world.server.url, browser, end);
  const { accessToken: token } = await world.nobody.sessions.createByCode({ code, codeVerifier });
  const { accounts } = createClient({ baseUrl: world.server.url, token });
  return accounts.factors.addTotp({}).then(
    () => null,
    (error: unknown) => (isLiveplaneError(error) ? error.code : error),
  );
}

test("whoever is still signed in at the provider comes in, but not for what is costly, until they sign in there again", async () => {
  const browser = openBrowser();
  expect(await costly(browser)).toBeNull();
  world.provider.people.ada = { ...ada, signedInAt: hourAgo() };
  const late = openBrowser();
  expect(await costly(late)).toBe("SignInNotFresh");
  world.provider.people.ada = ada;
  const seen = () => late.visited().filter((one) => one.includes("/interaction/")).length;
  const before = seen();
  expect(await costly(late)).toBe("SignInNotFresh");
  expect(seen()).toBe(before);
  expect(await costly(late, "fresh=1")).toBeNull();
  expect(seen()).toBeGreaterThan(before);
});

test("the provider is always asked when somebody signed in there, and to ask again only where that is wanted", async () => {
  const asked = async (query: string) => {
    const begun = await fetch(`${world.server.url}/auth/oidc/start?returnTo=/${query}`, { redirect: "manual" });
    const { searchParams } = new URL(begun.headers.get("location") ?? "");
    return [searchParams.get("max_age"), searchParams.get("prompt")];
  };
  expect(await asked("")).toEqual([String(30 * 86_400), null]);
  expect(await asked("&fresh=1")).toEqual(["600", "login"]);
});

/** Comes back to the server with an ID token of the provider that says when Ada signed in there. */
async function comingBack(authTime: unknown, query: string) {
  const { provider, server, callback } = world;
  const browser = openBrowser();
  const { url } = await browser.visit(`${server.url}/auth/oidc/start?returnTo=/openapi.json${query}`, {
    until: callback,
  });
  const [first = ""] = browser.visited().filter((one) => one.startsWith(`${provider.issuer}/auth?`));
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, aud: clientId, sub: "ada", iat: now, exp: now + 60, ...ada };
  const nonce = new URL(first).searchParams.get("nonce");
  provider.meddle = async (request, response) => {
    if (request.url !== "/token") return false;
    const idToken = await provider.sign({ ...claims, nonce, ...(authTime !== undefined && { auth_time: authTime }) });
    const body = { access_token: "any", token_type: "Bearer", id_token: idToken };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  };
  const visited = await browser.visit(url.href);
  return { ...said(visited), text: visited.text };
}

test("a provider that lets somebody in without asking again, or doesn't say when it asked, makes no fresh sign-in", async () => {
  const notFresh = { status: 403, code: "SignInNotFresh" };
  const old = await comingBack(hourAgo(), "&fresh=1");
  expect(old).toMatchObject(notFresh);
  expect(old.text).toContain("The provider didn&#39;t ask you to sign in again. Sign out there, then start again.");
  const silent = await comingBack(undefined, "&fresh=1");
  expect(silent).toMatchObject(notFresh);
  expect(silent.text).toContain("Sign in with a password or a passkey instead.");
  expect(await comingBack(hourAgo() - 31 * 86_400, "")).toMatchObject(notFresh);
  expect(await comingBack(hourAgo() + 3600, "&fresh=1")).toMatchObject({ status: 200 });
  expect(await comingBack(hourAgo(), "")).toMatchObject({ status: 200 });
  for (const wrong of ["now", -1]) expect(await comingBack(wrong, "&fresh=1")).toMatchObject({ code: "SignInInvalid" });
});
