import { waitForMutation } from "@liveplane/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, type TestContext, test } from "vitest";
import { type EndableServer, request, startServer } from "../../server-express/test/running-server.ts";
import {
  axeObjections,
  consolesOfChromium,
  type Demo,
  operatorToken,
  signIn,
  theOperator,
  twoDaysLater,
  withDemo,
} from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let demo: Demo;
let operatorId: string;
let signedIn: () => Promise<string>;

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
  signedIn = operatorToken(server.url);
  demo = await withDemo(server);
  operatorId = (await server.operator.accounts.me()).id;
}, 60_000);
afterAll(() => server.end());

async function opened(context: TestContext, hash: string) {
  const console = await openConsole(context, server.url, theOperator);
  await go(console.page, hash);
  return { ...console, main: console.page.getByRole("main") };
}
const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
const ended = (begun: Parameters<typeof waitForMutation>[1]) =>
  waitForMutation(server.operator, begun, { intervalMs: 50 });

async function simulator(method: string, path: string, json?: object) {
  const at = `${server.url}/simulator/provider-a/${path}`;
  const { status } = await request(at, { method, token: await signedIn(), ...(json && { json }) });
  expect(status, path).toBeLessThan(300);
}
const goWrong = (faults: object) => simulator("PUT", "faults", faults);
const quota = { slow: { takesMs: 1, fails: { code: "QuotaExceeded", message: "There is no more of it." } } };

const vnet = (path: string, dependsOn: readonly string[] = []) => ({
  path,
  provider: "provider-a",
  type: "Microsoft.Network/virtualNetworks@2024-05-01",
  parameters: { location: "westeurope", addressSpace: "10.0.0.0/16" },
  dependsOn: [...dependsOn],
});
const inDemo = () => ({ type: "Personal", ownerId: operatorId, shortName: "demo" }) as const;
/** Three resources, of which each comes after the one before. */
const chain = (name: string) => ({
  name,
  environmentId: inDemo(),
  components: [vnet("a"), vnet("b", ["a"]), vnet("c", ["b"])],
});

test("what the server has turned off isn't offered, and the page says who turns it on", async (context) => {
  await server.operator.environments.secrets.create(inDemo(), { shortName: "db", value: "never shown" });
  const { page, main, wrong } = await opened(context, `#/environments/Personal/${operatorId}/demo`);
  await main
    .getByText("The values of secrets can't be revealed here. The people who run the server can allow it.")
    .waitFor();
  await main
    .getByText(
      "Operators see the values that simulated resources received, on the Simulator page, except those that the cloud itself never shows.",
    )
    .waitFor();
  await main.getByRole("cell", { name: "db", exact: true }).waitFor();
  expect(await main.getByRole("button", { name: /^Reveal/ }).count()).toBe(0);
  await main.getByText("Simulated clouds").waitFor();
  await go(page, "#/account");
  await main.getByText("This server offers no passkeys at this address.").waitFor();
  await main.getByText("This server has no OpenID provider.").waitFor();
  const guides = main.getByRole("link", { name: "Guide to signing in" });
  expect(await guides.first().getAttribute("href")).toMatch(/docs\/how-to\/sign-in\.md$/);
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("what needs a fresh sign-in offers it, and leads back to what was asked", async (context) => {
  const principalId = crypto.randomUUID();
  await server.operator.environments.serviceAccounts.assign(
    { ...inDemo(), principalId },
    { serviceAccountRole: "Bot", description: "ci" },
  );
  const { page, main } = await opened(context, `#/environments/Personal/${operatorId}/demo`);
  const refusal = { title: "Sign in again first", status: 403, code: "SignInNotFresh", detail: "Sign in again." };
  let isStale = true;
  await page.route(/service-accounts\/.*\/secret$/, (route) =>
    isStale ? route.fulfill({ status: 403, contentType: "application/problem+json", json: refusal }) : route.continue(),
  );
  await main.getByRole("button", { name: "Issue a secret ci" }).click();
  await main.getByRole("button", { name: "Issue a secret ci" }).click();
  await main.getByText("This needs a sign-in within the last ten minutes.").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  const before = (await server.operator.sessions.list()).items.length;
  await main.getByRole("button", { name: "Sign in again" }).click();
  await page.getByRole("button", { name: "Go back" }).click();
  await main.getByRole("button", { name: "Sign in again" }).click();
  await page.getByText("Sign in again to confirm that it's you.").waitFor();
  expect(await page.getByLabel("User name or e-mail").inputValue()).toBe("operator");
  expect(await axeObjections(page)).toEqual([]);
  isStale = false;
  await signIn(page);
  await main.getByRole("button", { name: "Issue a secret ci" }).waitFor();
  await main.getByText("This needs a sign-in").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Issue a secret ci");
  await main.getByRole("button", { name: "Issue a secret ci" }).click();
  await main.locator(".revealed output").waitFor();
  await main.getByRole("button", { name: "Copy", exact: true }).waitFor();
  expect((await server.operator.sessions.list()).items.length).toBe(before);
}, 60_000);

test("a declaration may name its owner, and a plan says what is created, changed and held", async (context) => {
  await server.operator.organizations.create({ name: "Acme" });
  const { page, main, wrong } = await opened(context, "#/live-systems/new");
  const editor = main.getByLabel("Declaration (JSON or YAML)");
  const plan = main.getByRole("button", { name: "Plan", exact: true });
  const { components } = chain("named");
  const named = (ownerId: string) => ({ name: "named", environmentId: { ...inDemo(), ownerId }, components });
  await editor.fill(JSON.stringify(named("me")));
  await plan.click();
  await main.getByText("3 to create.").waitFor();
  expect(await editor.inputValue()).toContain(operatorId);
  await editor.fill(
    "name: x\nenvironmentId: { type: Organizational, ownerId: Nobody, shortName: demo }\ncomponents: []",
  );
  await plan.click();
  await main.getByText("No organization is named Nobody.").waitFor();
  await editor.fill("name: x\nenvironmentId: { type: Organizational, ownerId: Acme, shortName: demo }\ncomponents: []");
  await plan.click();
  await expect.poll(() => editor.inputValue()).not.toContain("Acme");
  await editor.fill(JSON.stringify(named("operator")));
  await main.getByRole("button", { name: "Create and deploy" }).click();
  await main.getByText("Deployed").first().waitFor();

  const id = /live-systems\/([\w-]+)/.exec(page.url())?.[1] ?? "";
  const at = { id, componentId: `${id}/a` };
  const { resourceId } = await server.operator.liveSystems.components.get(at);
  await simulator("PUT", `resources/${encodeURIComponent(resourceId ?? "")}/tags`, {});
  await server.operator.liveSystems.components.check(at);
  const text = await editor.inputValue();
  await editor.fill(text.replaceAll("10.0.0.0/16", "10.9.0.0/16"));
  await plan.click();
  await main.getByText("2 to change, 1 to leave alone.").waitFor();
  await main.getByRole("cell", { name: "leave alone It is taken over." }).waitFor();

  // What was typed stays until it is deployed.
  await go(page, "#/overrides");
  await main.getByText("1 override").waitFor();
  await go(page, `#/live-systems/${id}`);
  await main.getByText("You edited this text before").waitFor();
  expect(await editor.inputValue()).toContain("10.9.0.0/16");
  expect(await axeObjections(page)).toEqual([]);
  await main.getByRole("button", { name: "Discard it" }).click();
  expect(await editor.inputValue()).toBe(text);

  // The history of a live system, and what was held then.
  const { definition } = await server.operator.liveSystems.get({ id });
  await ended(await server.operator.liveSystems.deploy({ id }, { ...definition, description: "again" }));
  await server.operator.liveSystems.get({ id });
  await main.getByText(/because they were taken over at that time: a/).waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("dependents count, however they are declared; failures say at which component, and with which code", async (context) => {
  const { livesystemId: id } = await ended(await server.operator.liveSystems.create(chain("chain")));
  const { page, main, wrong } = await opened(context, `#/component/${id}/a`);
  const dependents = main.getByRole("region", { name: "Dependents" });
  await dependents.getByRole("link", { name: "b", exact: true }).waitFor();
  expect(await dependents.getByText("No component depends on it.").count()).toBe(0);
  // A large window has the history beside the values, and a small one below.
  const history = main.getByRole("region", { name: "History" });
  const values = main.getByRole("region", { name: "2 declared values" });
  await values.getByRole("row", { name: "/addressSpace 10.0.0.0/16" }).waitFor();
  const isBeside = async (width: number) => {
    await page.setViewportSize({ width, height: 720 });
    const [one, other] = [await values.boundingBox(), await history.boundingBox()];
    return one !== null && other !== null && other.y < one.y && other.x > one.x + one.width + 300;
  };
  expect([await isBeside(1920), await isBeside(1280), await isBeside(390)]).toEqual([true, false, false]);
  await page.setViewportSize({ width: 1280, height: 720 });
  await go(page, `#/component/${demo.livesystemId}/network/vnet`);
  await dependents.getByText("web reads id").waitFor();
  expect(await dependents.getByRole("listitem").count()).toBe(1);

  await goWrong(quota);
  const { definition } = await server.operator.liveSystems.get({ id });
  const changed = definition.components.map((one) =>
    one.path === "b" ? { ...one, parameters: { ...one.parameters, addressSpace: "10.7.0.0/16" } } : one,
  );
  await go(page, `#/live-systems/${id}`);
  const begun = await server.operator.liveSystems.deploy({ id }, { ...definition, components: changed } as never);
  await main
    .getByText(/\d of 3 done/)
    .first()
    .waitFor();
  await ended(begun);
  await main.getByRole("link", { name: "b", exact: true }).first().waitFor();

  await go(page, `#/component/${id}/a`);
  await history.getByRole("link", { name: "b", exact: true }).waitFor();
  await go(page, `#/component/${id}/b`);
  await history.getByRole("button", { name: "Show writes and failures" }).click();
  await history.getByText("A failure that repeats is recorded once.").waitFor();
  const failed = history.getByRole("listitem").filter({ hasText: /failed/ });
  await failed.getByText("QuotaExceeded").first().waitFor();
  await failed.getByText("There is no more of it.").first().waitFor();
  await twoDaysLater(page);
  // While a write runs, there is no next try.
  const nextTries = async () => {
    await page.reload();
    await main.getByRole("region", { name: "Problems" }).waitFor();
    return main.getByText("Next try: due now").count();
  };
  await expect.poll(nextTries, { timeout: 20_000 }).toBe(1);
  expect(await axeObjections(page)).toEqual([]);
  await goWrong({});
  expect(wrong).toEqual([]);
}, 60_000);

test("a plan says that the deploy would fail, a reference shows what the cloud has, and a loss is told unasked", async (context) => {
  const components = [vnet("a"), { ...vnet("b"), parameters: { at: { $output: "a#id" } } }];
  const { livesystemId: id } = await ended(
    await server.operator.liveSystems.create({ ...chain("lost"), components } as never),
  );
  const { resourceId } = await server.operator.liveSystems.components.get({ id, componentId: `${id}/a` });
  const { page, main, wrong } = await opened(context, `#/component/${id}/b`);
  await main.getByRole("row", { name: `/at {"$output":"a#id"} ${resourceId}` }).waitFor();

  const { page: other, main: system } = await opened(context, `#/live-systems/${id}`);
  const editor = system.getByLabel("Declaration (JSON or YAML)");
  await editor.fill((await editor.inputValue()).replace("westeurope", "northeurope"));
  await system.getByRole("button", { name: "Plan", exact: true }).click();
  await system.getByText("The deploy would fail first at a: location can't change once the resource exists.").waitFor();
  await other.close();

  await simulator("DELETE", `resources/${encodeURIComponent(resourceId ?? "")}`);
  await go(page, `#/component/${id}/a`);
  const history = main.getByRole("region", { name: "History" });
  await history.getByText("its resource was missing in the cloud").waitFor();
  await expect.poll(() => history.getByText(/: created$/).count()).toBe(2);
  expect(wrong).toEqual([]);
}, 60_000);

test("what doesn't exist yet isn't said to be as declared", async (context) => {
  await goWrong(quota);
  onTestFinished(() => goWrong({}));
  const { livesystemId: id } = await server.operator.liveSystems.create(chain("unborn"));
  const { page, main, wrong } = await opened(context, `#/component/${id}/c`);
  await main.getByText("Doesn't exist", { exact: true }).waitFor();
  expect(await main.getByText("as declared", { exact: true }).count()).toBe(0);
  expect(await page.getByText("declared value").count()).toBe(0);
  expect(await main.getByRole("link", { name: "Open in the simulated Azure" }).count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);

test("what something keeps changing back says why the agent waits, and for how long", async (context) => {
  const { livesystemId: id } = await ended(await server.operator.liveSystems.create(chain("contested")));
  const at = { id, componentId: `${id}/a` };
  const { resourceId } = await server.operator.liveSystems.components.get(at);
  const changeBack = () =>
    simulator("PATCH", `resources/${encodeURIComponent(resourceId ?? "")}/parameters`, { addressSpace: "10.9.0.0/16" });
  // Each correction makes the next pause longer.
  for (let times = 0; times < 12; times++) {
    await changeBack();
    await server.operator.liveSystems.components.check(at);
  }
  await changeBack();
  const { page, main, wrong } = await opened(context, `#/component/${id}/a`);
  const problems = main.getByRole("region", { name: "Problems" });
  await problems.getByText(/^Something else has changed it back \d+ times\. .* Next try: in a moment$/).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("a missing resource that somebody had: the deploy says that it ends the override", async (context) => {
  const { livesystemId: id } = await ended(await server.operator.liveSystems.create(chain("gone")));
  const at = { id, componentId: `${id}/c` };
  const { resourceId } = await server.operator.liveSystems.components.get(at);
  const resource = `resources/${encodeURIComponent(resourceId ?? "")}`;
  await simulator("PUT", `${resource}/tags`, {});
  await server.operator.liveSystems.components.check(at);
  await simulator("DELETE", resource);
  await server.operator.liveSystems.components.check(at);
  const { main } = await opened(context, `#/component/${id}/c`);
  await main.getByText("Doesn't exist").waitFor();
  expect(await main.getByText(/Missing, unchanged|The resource does not exist/).count()).toBe(0);
  await main.getByText("Deploying the live system creates it again, and the override ends.").waitFor();
  await main.getByRole("button", { name: "Deploy again" }).click();
  await main.getByText("Missing resources are created again, and their overrides end.").waitFor();
  await main.getByRole("button", { name: "Deploy again" }).click();
  await main.locator(".badge", { hasText: "In sync" }).waitFor();
}, 60_000);

test("a take-over is somebody's and only seen by the agent; exact times show everywhere", async (context) => {
  await demo.byHand({ tags: { "platform-owner": "ada" } });
  const { page, main, wrong } = await opened(context, "#/events?type=component.override.started");
  const row = main.getByRole("row").filter({ hasText: "demo/web" }).first();
  await row.getByText("ada, seen by the agent").waitFor();
  await go(page, "#/overrides");
  const card = main.getByRole("article").filter({ hasText: "demo/web" });
  await card.waitFor();
  expect(await card.getByText(/\d\d:\d\d:\d\d/).count()).toBe(0);
  await page.getByRole("button", { name: "Exact times" }).click();
  await card.locator("time.age", { hasText: /\d\d:\d\d:\d\d/ }).waitFor();
  await go(page, "#/");
  await main
    .locator("time.age", { hasText: /\d\d:\d\d:\d\d/ })
    .first()
    .waitFor();
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("refused sign-ins are about an account and by nobody who was signed in", async (context) => {
  const { page, main, wrong } = await opened(context, "#/events?type=session.failed");
  await server.person("eve");
  const guess = { username: "eve", password: "not the password" };
  for (let times = 0; times < 3; times++) await request(`${server.url}/auth/sessions`, { method: "POST", json: guess });
  const row = main.getByRole("row", { name: /eve, 3 times somebody not signed in/ });
  await row.getByRole("button", { name: "Show each" }).click();
  await expect.poll(() => main.getByRole("cell", { name: "somebody not signed in" }).count()).toBe(3);
  await ended(await server.operator.liveSystems.create(chain("steps")));
  await go(page, "#/events?type=component.provisioned");
  await main.getByText("3 times in steps").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("whoever has a one-time password is invited, and the next name can be typed at once", async (context) => {
  const { page, main, wrong } = await opened(context, "#/people");
  await main.getByText("Invite somebody", { exact: true }).click();
  for (const mistyped of ["ada@@x", "a b"]) {
    await main.getByLabel("E-mail address or user name").fill(mistyped);
    await main.getByRole("button", { name: "Invite", exact: true }).click();
    await main.locator(".field .fault").waitFor();
    expect(await main.getByRole("alert").count()).toBe(0);
    await main.getByLabel("E-mail address or user name").fill("");
  }
  await main.getByLabel("E-mail address or user name").fill("grace");
  await main.getByRole("button", { name: "Invite", exact: true }).click();
  await main.getByRole("row", { name: "grace" }).getByText("invited, has a one-time password").waitFor();
  const focused = "document.activeElement.name";
  await expect.poll(() => page.evaluate(focused)).toBe("email|username");
  const password = (await main.locator(".copy-line code").textContent()) ?? "";
  await page.keyboard.type("hopper");
  await page.keyboard.press("Enter");
  await main.getByRole("row", { name: "hopper" }).waitFor();
  expect(await main.locator(".copy-line code").allTextContents()).toEqual([password, expect.any(String)]);
  const { page: hers } = await openConsole(context, server.url);
  await signIn(hers, "grace", password);
  await hers.getByLabel("New password").fill("passwordpassword");
  await hers.getByRole("button", { name: "Set password and continue" }).click();
  const refusal = (await hers.getByRole("alert").textContent()) ?? "";
  expect(refusal).not.toContain("#/");
  expect(refusal.match(/common|password/gi)?.length, refusal).toBeLessThanOrEqual(2);
  await go(page, "#/account");
  await main.getByText("Change your password").click();
  await main.getByLabel("Current password").fill("a long enough secret");
  await main.getByLabel("New password").fill("operator");
  await main.getByRole("button", { name: "Save the password" }).click();
  await main.locator(".fault").first().waitFor();
  expect(await main.textContent()).not.toContain("#/");
  expect(wrong).toEqual([]);
}, 60_000);

test("what was said about a page leaves with it, and covers no button", async (context) => {
  const place = { ...inDemo(), shortName: "toasts" };
  await server.operator.environments.create(place, {});
  const { page, main } = await opened(context, `#/environments/Personal/${operatorId}/toasts`);
  await page.clock.install();
  await page.reload();
  await main.getByText("New secret", { exact: true }).click();
  await main.getByLabel("Name of the secret").fill("one");
  await main.getByLabel("Value", { exact: true }).fill("a value");
  await main.getByRole("button", { name: "Add the secret" }).click();
  const said = page.locator(".toasts").getByText("Done.");
  await said.waitFor();
  expect(await said.evaluate((element: Element) => getComputedStyle(element).pointerEvents)).toBe("none");
  await page.clock.fastForward(1500);
  expect(await said.count()).toBe(1);
  await go(page, "#/events");
  await said.waitFor({ state: "detached", timeout: 2000 });
}, 60_000);
