import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../../adapters/test/openid/browser.ts";
import { said, startSignInWorld } from "./sign-in-world.ts";

const invalid = { status: 400, code: "SignInInvalid" };
const verified = (name: string) => ({ email: `${name}@example.com`, email_verified: true });

let world: Awaited<ReturnType<typeof startSignInWorld>>;
beforeAll(async () => {
  world = await startSignInWorld({ LIVEPLANE_OIDC_PROVISION: "verified-email" }, { isOverFetch: true });
  for (const name of ["ada", "bob"]) world.provider.people[name] = verified(name);
});
afterEach(() => {
  Object.assign(world.provider, { meddle: null, who: "ada" });
});
afterAll(() => world.end());

/** Somebody is on the way back from the provider. */
async function comingBack(browser = openBrowser()) {
  const { url } = await browser.visit(`${world.server.url}/auth/oidc/start?returnTo=/`, { until: world.callback });
  return { browser, url: url.href };
}

test("a program and a page are signed in over the fetch handler as over Express", async () => {
  const { api } = await world.signIn();
  expect(await api?.accounts.me()).toMatchObject({ email: "ada@example.com" });
  const browser = openBrowser();
  const { url, status } = await world.onPage(browser, "/openapi.json");
  expect([url.href, status]).toEqual([`${world.server.url}/openapi.json`, 200]);
  const [cookie] = browser.cookies("liveplane-session");
  expect(cookie?.line.replace(/=[^;]+/, "=…")).toBe(
    `${cookie?.name}=…; Path=/console/session; HttpOnly; SameSite=Strict`,
  );
});

test("a visit is completed once, with its own code, in the browser that began it", async () => {
  const { browser, url } = await comingBack();
  const thief = openBrowser();
  expect(said(await thief.visit(url))).toEqual(invalid);
  thief.steal(browser, "liveplane-sign-in");
  await browser.visit(url);
  expect(said(await browser.visit(url))).toEqual(invalid);
  expect(said(await thief.visit(url))).toEqual(invalid);
  const next = await comingBack(browser);
  const replayed = new URL(next.url);
  replayed.searchParams.set("code", new URL(url).searchParams.get("code") ?? "");
  expect(said(await browser.visit(replayed.href))).toEqual(invalid);
});

test("two visits at once, in two browsers, sign in two people; in one browser the later counts", async () => {
  const ada = await comingBack();
  world.provider.who = "bob";
  const bob = await comingBack();
  await Promise.all([ada, bob].map(({ browser, url }) => browser.visit(url)));
  for (const { browser } of [ada, bob]) expect(browser.cookies("liveplane-session")).toHaveLength(1);
  const [first, second] = [await comingBack(ada.browser), await comingBack(ada.browser)];
  expect(said(await ada.browser.visit(first.url))).toEqual(invalid);
  expect(said(await ada.browser.visit(second.url))).toEqual(invalid);
});

test("a foreign issuer's answer and an address that isn't verified open nothing", async () => {
  const { browser, url } = await comingBack();
  const foreign = new URL(url);
  foreign.searchParams.set("iss", "https://other.example");
  expect(said(await browser.visit(foreign.href))).toEqual(invalid);
  Object.assign(world.provider.people, { eve: { ...verified("eve"), email_verified: false } });
  world.provider.who = "eve";
  expect(said(await world.onPage())).toEqual({ status: 403, code: "AddressNotVerified" });
  expect((await world.signIn()).refused).toBe("AddressNotVerified");
});
