import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, type Visited } from "../../adapters/test/openid/browser.ts";
import type { Person } from "./running-server.ts";
import { codeIn, offerOnPage, said, startSignInWorld } from "./sign-in-world.ts";

const invalid = { status: 400, code: "SignInInvalid" };

/** Return paths that a browser resolves to another host, or that look like one. */
const strangers = [
  ...["/.//evil.example", "/..//evil.example", "/x/..//evil.example", "/.///evil.example", "/././/evil.example"],
  ...["/%2e//evil.example", "/%2E//evil.example", "/%2e%2e//evil.example", "/a/.%2e//evil.example", "/a/%2e.//evil"],
  ...[
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "\\/evil.example",
    "/.\\/evil.example",
  ],
  ...["/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\t//evil.example", "/.\t//evil.example", " //evil"],
  ...["https://evil.example/", "https:evil.example", "http:\\\\evil.example", "javascript:alert(1)", "data:,x"],
  ...["/x/../\\evil.example", "/.%09//evil.example", "\0//evil.example"],
];

describe.each(["Express", "fetch"])("over %s", (edge) => {
  let world: Awaited<ReturnType<typeof startSignInWorld>>;
  let victim: Person;
  let mallory: Person;
  beforeAll(async () => {
    world = await startSignInWorld({}, { isOverFetch: edge === "fetch" });
    victim = await world.server.person("victim");
    mallory = await world.server.person("mallory");
    world.provider.people.vic = { email: "vic@example.com" };
    world.provider.who = "vic";
    await (await world.link(victim.api)).identity();
    for (const name of ["new", "other"]) world.provider.people[name] = { email: `${name}@example.com` };
  });
  afterEach(() => {
    world.provider.who = "vic";
  });
  afterAll(() => world.end());

  /** Every address that a browser was sent to was the server's or the provider's. */
  function expectAtHome({ way }: Pick<Visited, "way">) {
    const home = [new URL(world.server.url).origin, new URL(world.provider.issuer).origin];
    expect(way.filter((at) => !home.includes(new URL(at).origin))).toEqual([]);
  }

  /** The path of a link that its owner was given, and that is about to be misused. */
  const ticketOf = async ({ api }: Person) => (await api.accounts.identities.authorize()).url;

  test.each(strangers)("a sign-in returns to this server when it is asked to return to %j", async (returnTo) => {
    const visited = await world.onPage(openBrowser(), returnTo);
    expectAtHome(visited);
    expect(visited.url.origin).toBe(new URL(world.server.url).origin);
    expect(visited.url.pathname).not.toMatch(/^\/[/\\]/);
  });

  test.each(strangers)("signing out returns to this server when it is asked to return to %j", async (returnTo) => {
    const visited = await openBrowser().visit(
      `${world.server.url}/auth/oidc/sign-out?${new URLSearchParams({ returnTo })}`,
    );
    expectAtHome(visited);
    const back = visited.url.searchParams.get("post_logout_redirect_uri") ?? visited.url.href;
    expect(new URL(back).origin).toBe(new URL(world.server.url).origin);
    expect(new URL(back).pathname).not.toMatch(/^\/[/\\]/);
  });

  test("a sign-in returns to the resolved path, with its query and fragment", async () => {
    const { url } = await world.onPage(openBrowser(), "/nowhere/./a/../docs?b=//c#d");
    expect(url.href).toBe(`${world.server.url}/nowhere/docs?b=//c#d`);
  });

  test("a link with somebody's ticket begins nothing that ends on a page", async () => {
    for (const returnTo of ["/openapi.json", "/.//evil.example"]) {
      const lured = openBrowser();
      const query = new URLSearchParams({ returnTo });
      const visited = await lured.visit(`${world.server.url}${await ticketOf(mallory)}&${query}`);
      expect(said(visited)).toEqual(invalid);
      expect(lured.cookies("liveplane-sign-in")).toEqual([]);
    }
  });

  test("no page of another origin begins to link", async () => {
    const path = await ticketOf(mallory);
    for (const headers of [{}, { origin: "null" }, { origin: "https://evil.example" }]) {
      const lured = openBrowser();
      const answer = await lured.visit(`${world.server.url}${path}&returnTo=/openapi.json`, {
        method: "POST",
        headers,
      });
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, "PermissionDenied"]);
      expect(lured.cookies("liveplane-sign-in")).toEqual([]);
    }
  });

  test("a page begins to link with a ticket of its own alone", async () => {
    const answer = await openBrowser().visit(`${world.server.url}/auth/oidc/start?link=eyJ9.x&returnTo=/openapi.json`, {
      ...{ method: "POST", headers: { origin: world.server.url } },
    });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, "SignInInvalid"]);
  });

  test("a ticket begins one visit, in one browser", async () => {
    const { until, query } = world.program();
    const start = `${world.server.url}${await ticketOf(mallory)}&${query}`;
    await openBrowser().visit(start, { until: world.provider.issuer });
    const lured = openBrowser();
    expect(said(await lured.visit(start, { until }))).toEqual(invalid);
    expect(lured.cookies("liveplane-sign-in")).toEqual([]);
  });

  test("a person who is lured to a program's link sees both accounts first, and nothing is linked", async () => {
    world.provider.who = "new";
    const { until, query } = world.program();
    for (const end of [query, "device=1"]) {
      const lured = openBrowser();
      const offered = await lured.visit(`${world.server.url}${await ticketOf(mallory)}&${end}`, { until });
      expect(offered.status).toBe(200);
      for (const named of ["new@example.com", world.provider.issuer, "mallory"]) expect(offered.text).toContain(named);
      // What the attacker can see of it: the page has no code, nor does any address on the way but the provider's own.
      expect(offered.text).not.toContain("<code>");
      expect(offered.way.filter((at) => at.startsWith(until))).toEqual([]);
      expect(offered.headers.get("content-security-policy")).toBe(
        `default-src 'none'; base-uri 'none'; form-action 'self'${end === query ? " http://127.0.0.1:9" : ""}; frame-ancestors 'none'`,
      );
    }
    expect((await mallory.api.accounts.identities.list()).items).toEqual([]);
  });

  test("what is offered is confirmed in the browser that it was offered in, once", async () => {
    world.provider.who = "new";
    const [own, thief] = [openBrowser(), openBrowser()];
    const offered = await offerOnPage(world.server.url, await ticketOf(mallory), own);
    // Another browser, with no visit, and with a visit that is under way.
    expect(said(await thief.submit(offered))).toEqual(invalid);
    await offerOnPage(world.server.url, await ticketOf(victim), thief);
    expect(said(await thief.submit(offered))).toEqual(invalid);
    // A page of another site can post, but knows nothing of what the page says.
    for (const query of ["", "?state=", `?state=${"s".repeat(43)}`]) {
      const forging = openBrowser();
      forging.steal(own, "liveplane-sign-in");
      expect(said(await forging.visit(`${world.callback}${query}`, { method: "POST" }))).toEqual(invalid);
    }
    const copied = openBrowser();
    copied.steal(own, "liveplane-sign-in");
    const confirmed = await own.submit(offered);
    expect(codeIn(confirmed)).not.toBe("");
    expect(own.cookies("liveplane-sign-in")).toEqual([]);
    expect(said(await own.submit(offered))).toEqual(invalid);
    expect(said(await copied.submit(offered))).toEqual(invalid);
  });

  test("coming back isn't confirming, and confirming isn't coming back", async () => {
    world.provider.who = "new";
    const begun = openBrowser();
    const [path, headers] = [await ticketOf(mallory), { origin: world.server.url }];
    const answer = await begun.visit(`${world.server.url}${path}&returnTo=/openapi.json`, { method: "POST", headers });
    const { url } = await begun.visit(JSON.parse(answer.text).location, { until: world.callback });
    const copied = openBrowser();
    copied.steal(begun, "liveplane-sign-in");
    expect(said(await copied.visit(url.href, { method: "POST" }))).toEqual(invalid);
    const offered = await begun.visit(url.href);
    const [, action = ""] = /action="([^"]+)"/.exec(offered.text) ?? [];
    const code = url.searchParams.get("code") ?? "";
    expect(said(await begun.visit(`${world.server.url}${action}&code=${code}`))).toEqual(invalid);
  });

  test("a code links in the session that began alone, whoever has it", async () => {
    world.provider.who = "new";
    const { code } = await world.link(victim.api);
    await expect(mallory.api.accounts.identities.link({ code })).rejects.toMatchObject({ code: "SignInInvalid" });
    expect((await mallory.api.accounts.identities.list()).items).toEqual([]);
  });

  test("names are shown as text on the page that asks", async () => {
    const hostile = `"'><i>&`;
    world.provider.people[hostile] = {};
    world.provider.who = hostile;
    const offered = await offerOnPage(world.server.url, await ticketOf(victim), openBrowser());
    expect(offered.text).toContain("&quot;&#39;&gt;&lt;i&gt;&amp;");
    expect(offered.text).not.toMatch(/<script|style=|\son\w+=|<i>/);
    expect(offered.headers.get("cache-control")).toBe("no-store");
  });

  test("a session that has ended links nothing", async () => {
    const eve = await world.server.person(`eve${edge.toLowerCase()}`);
    world.provider.who = "other";
    const browser = openBrowser();
    const offered = await offerOnPage(world.server.url, await ticketOf(eve), browser);
    const { items } = await eve.api.sessions.list();
    for (const { id: sessionId } of items) await eve.api.sessions.delete({ sessionId });
    expect(said(await browser.submit(offered))).toEqual(invalid);
  });
});
