import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitForInitialization, waitForMutation } from "@liveplane/client";
import axe from "axe-core";
import { build } from "esbuild";
import type { Locator, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { operatorPassword, personsPassword, runServer, startServer } from "../../server-express/test/running-server.ts";
import { signInWorld } from "../../server-express/test/sign-in-world.ts";
import { bundleElements } from "../src/files/bundle.ts";
import {
  consolesOfChromium,
  type Demo,
  deployShop,
  handIn,
  pictured,
  runDemo,
  signIn,
  withDemo,
} from "./console-page.ts";

const openConsole = consolesOfChromium();

const ownPassword = "quite a long passphrase of mine";
const none = "Nobody has taken anything over.";

test("people sign in at a provider of their own, come back, and stay signed in when the page is loaded again", async (context) => {
  const { server, provider } = await signInWorld({ LIVEPLANE_OIDC_PROVISION: "verified-email" });
  provider.people.ada = { email: "ada@example.com", email_verified: true };
  const { page, wrong } = await openConsole(context, server.url);
  await page.getByRole("link", { name: "Sign in at your organization's provider" }).click();
  await page.getByText(none).waitFor();
  await page.reload();
  await page.getByText(none).waitFor();
  expect(page.url()).toBe(`${server.url}/`);
  expect(wrong).toEqual([]);
});

test("whoever has a password for once chooses one of their own, and stays signed in when the page is loaded again", async (context) => {
  const { url, liveplane, operator } = await runServer();
  const { id } = await operator.accounts.me();
  await liveplane.administration.setPassword(id, "for once and never again", { oneTime: true });
  const { page, wrong } = await openConsole(context, url);
  await signIn(page, "operator", "not the password");
  await page.getByRole("alert").getByText("The user name or the password is wrong.").waitFor();
  await signIn(page, "operator", "for once and never again");
  await page.getByLabel("New password").fill("short");
  await page.getByRole("button", { name: "Choose it and go on" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("New password").fill(ownPassword);
  await page.getByRole("button", { name: "Choose it and go on" }).click();
  await page.getByText(none).waitFor();
  await page.reload();
  await page.getByText(none).waitFor();
  expect(await kept(page)).toEqual([0, 0, ""]);

  // Another tab has the same session, and is told when it ends.
  const tab = await page.context().newPage();
  await tab.goto(url);
  await tab.getByText(none).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  await tab.getByText("Your session has ended.").waitFor({ timeout: 20_000 });
  await page.reload();
  await page.getByLabel("Password").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

const kept = (page: Page) => page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);

test("a component is taken over and given back in the browser, each seen in ten seconds, on its page and on the board", async (context) => {
  const { url, componentId, byHand } = await runDemo();
  const { page, wrong } = await openConsole(context, url);
  await signIn(page);
  await page.getByText(none).waitFor();
  const board = await page.context().newPage();
  await board.goto(url);
  await board.getByText(none).waitFor();
  await page.goto(`${url}/#/component/${componentId}`);
  await page.getByRole("button", { name: "Remove its tag" }).click();
  await page.getByText("It is yours: the agent has seen that the tag is off.").waitFor({ timeout: 10_000 });
  await page.getByText("The agent has let go: nothing in flight.").waitFor();
  const lane = board.getByRole("region", { name: "Taken over" });
  await lane.getByRole("link", { name: "web" }).waitFor({ timeout: 10_000 });

  await byHand({ parameters: { workers: 5 } });
  const row = page.getByRole("table").getByRole("row", { name: "workers" });
  await row.getByText("changed in the cloud").waitFor({ timeout: 10_000 });
  expect(await row.getByRole("cell").allInnerTexts()).toEqual(["2", "2", "5", "changed in the cloud"]);
  await lane.getByText("1 parameter differs").waitFor({ timeout: 10_000 });

  await page.getByText("Say why").click();
  await page.getByLabel("Reason").fill("Black Friday");
  await page.getByLabel("Ticket").fill("OPS-1");
  await page.getByRole("button", { name: "Note it" }).click();
  await lane.getByText("Black Friday").waitFor({ timeout: 10_000 });
  await board.getByLabel("Find").fill("ops-1 workers");
  await expect.poll(() => board.url()).toContain("q=ops-1+workers");
  await expect.poll(() => lane.getByRole("article").count()).toBe(1);
  await board.getByLabel("Find").fill("nothing of it");
  await expect.poll(() => lane.getByRole("article").count()).toBe(0);

  await page.getByRole("button", { name: "Set both tags" }).click();
  await page.getByText("It is back: the agent has it, and it is as declared.").waitFor({ timeout: 10_000 });
  await page.getByRole("heading", { name: "Take it over" }).waitFor();
  await page.getByText("put back to its declaration").waitFor();
  await board.getByText(none).waitFor({ timeout: 10_000 });
  expect(wrong).toEqual([]);
}, 60_000);

test("what was changed by hand is kept: patched into the declaration, edited, planned, deployed, and then a hand-back reverts nothing", async (context) => {
  const { url, componentId, livesystemId, operator, byHand } = await runDemo();
  await byHand({ tags: {}, parameters: { workers: 5 } });
  const { page, wrong } = await openConsole(context, url);
  await signIn(page);
  await page.getByRole("link", { name: "web" }).click();
  await page.getByRole("button", { name: "Keep it: show the declaration" }).click();
  const declared = page.getByLabel("Parameters of web, as they would be declared");
  const parameters = JSON.parse(await declared.inputValue());
  expect(parameters).toMatchObject({ workers: 5 });
  await declared.fill("{");
  await page.getByRole("button", { name: "Plan it" }).click();
  await page.getByRole("alert").waitFor();
  await declared.fill(JSON.stringify({ ...parameters, note: "kept" }));
  await page.getByRole("button", { name: "Plan it" }).click();
  await page.getByText("hold, while it is taken over").waitFor();

  // Somebody else deploys meanwhile: that is told, and nothing of theirs is overwritten.
  const { definition } = await operator.liveSystems.get({ id: livesystemId });
  await waitForMutation(operator, await operator.liveSystems.deploy({ id: livesystemId }, definition));
  await page.getByRole("button", { name: "Deploy it" }).click();
  await page.getByText("Somebody else has changed it since you looked.").waitFor();
  await page.getByRole("button", { name: "Keep it: show the declaration" }).click();
  await page.getByRole("button", { name: "Plan it" }).click();
  await page.getByRole("button", { name: "Deploy it" }).click();
  await page.getByText("A hand-back would write nothing but its own tags.").waitFor();
  const now = (await operator.liveSystems.get({ id: livesystemId })).definition.components;
  expect(now.find(({ path }) => componentId.endsWith(`/${path}`))?.parameters).toMatchObject({ workers: 5 });
  expect(wrong).toEqual([]);
}, 60_000);

test("a server that is killed leaves what was there, says of when it is, and what happened meanwhile shows when it is back", async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), "liveplane-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const first = await startServer({ LIVEPLANE_DATA: dataDir });
  const { livesystemId, byHand } = await withDemo(first);
  await byHand({ tags: {}, parameters: { workers: 5 } });
  const { page } = await openConsole(context, first.url);
  await signIn(page);
  const lane = page.getByRole("region", { name: "Taken over" });
  await lane.getByText("1 parameter differs").waitFor();
  await first.end();
  await page.getByText(/^as of \d\d:\d\d, reconnecting$/).waitFor();
  await lane.getByRole("link", { name: "web" }).waitFor();
  const again = await runServer({ LIVEPLANE_DATA: dataDir, PORT: new URL(first.url).port });
  await handIn(again, livesystemId)({ parameters: { location: "northeurope" } });
  await lane.getByText("2 parameters differ").waitFor({ timeout: 30_000 });
  await page.getByText("live", { exact: true }).waitFor();
}, 60_000);

test("who may View sees all and is told what they may not; another tenant's component is nobody's; markup is text", async (context) => {
  const markup = `<img src=x onerror="document.title='owned'"><b>&amp;`;
  const server = await runServer();
  const { url, operator, person } = server;
  const { id: organizationId } = await operator.organizations.create({ name: "Analytical Engines" });
  const environmentId = { type: "Organizational", ownerId: organizationId, shortName: "production" } as const;
  await operator.environments.create(environmentId, { name: "Production" });
  const target = { subscriptionId: crypto.randomUUID(), region: "westeurope" };
  const proof = { providerAClientId: crypto.randomUUID(), providerAClientSecret: "canary-cloud-secret-8Wm1" };
  await operator.environments.providerA.initialize(environmentId, target, proof);
  await waitForInitialization(operator, environmentId, "provider-a");
  await operator.environments.secrets.create(environmentId, { shortName: "db", value: "canary-secret-value-4Zk2" });
  const type = "Microsoft.Web/sites@2024-04-01";
  const parameters = { location: "westeurope", workers: 2, [markup]: markup, connection: { $secret: "db" } };
  const components = [{ path: "web", provider: "provider-a", type, parameters }];
  const begun = await operator.liveSystems.create({ name: "shop", environmentId, components });
  expect(await waitForMutation(operator, begun)).toMatchObject({ status: "Succeeded" });
  const ada = await person("ada");
  await person("eve");
  await operator.organizations.permissions.grant(
    { organizationId },
    { principalType: "Account", permissionType: "View", principalId: ada.id },
  );
  const tags = { "platform-reason": '<script>document.title="owned"</script>', "platform-owner": "<i>ada</i>" };
  const changed = { workers: 5, [markup]: `${markup}!`, connection: "canary-by-hand-7Yt3" };
  await handIn(server, begun.livesystemId)({ tags, parameters: changed });

  const { page, wrong, heard } = await openConsole(context, url);
  await signIn(page, "ada", personsPassword);
  await page.getByText(tags["platform-reason"]).waitFor();
  await page.getByText("<i>ada</i>").waitFor();
  await page.getByRole("link", { name: "web", exact: true }).click();
  await page.getByRole("table").getByText(`${markup}!`, { exact: true }).first().waitFor();
  await page.getByRole("table").getByText("workers").waitFor();
  await page.getByText("What the agent itself is doing shows when it is asked to look.").waitFor();
  await page.getByRole("button", { name: "Have the agent look now" }).click();
  await page.getByText("You may look at this, and not change it.").waitFor();
  const address = page.url();
  const seen = [await page.content(), address, ...heard].join("\n");
  expect(seen.match(/canary-[\w-]+|Bearer|eyJ[\w-]+\./g)).toBeNull();
  expect(await kept(page)).toEqual([0, 0, ""]);
  await page.goto(`${url}/#/component/${begun.livesystemId}/${encodeURIComponent(markup)}`);
  await page.getByRole("heading", { name: markup, exact: true }).waitFor();
  expect(await page.title()).toBe(`${markup} · liveplane`);

  await page.goto(address);
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, "eve", personsPassword);
  await page.getByText("There is nothing here that you may see.").waitFor();
  expect(page.url()).toBe(address);
  expect(wrong).toEqual([]);
}, 60_000);

test("axe objects to nothing on any page, in light and dark, and a keyboard alone reaches the component", async (context) => {
  const demo = await runDemo();
  const { url, componentId } = demo;
  await inAllLanes(demo);
  const { page, wrong } = await openConsole(context, url);
  // Two days later, as the page sees it: what is young has no age to show.
  await page.clock.setFixedTime(Date.now() + 51 * 3_600_000);
  // The policy lets nobody add a script to the page; a browser's own tools come before it.
  await page.addInitScript(axe.source);
  await page.reload();
  await page.getByLabel("Password").waitFor();
  await judged(page, "sign-in");
  await signIn(page);
  await page.getByRole("link", { name: "checkout" }).waitFor();
  await page.getByText("1 component reads what changed").waitFor();
  await pictured(page, "console-board");
  await judged(page, "board");
  await page.getByRole("searchbox").focus();
  for (let times = 0; times < 3; times++) await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("checkout");
  await page.keyboard.press("Enter");
  await page.getByText("The agent has let go").waitFor();
  await page.getByRole("button", { name: "Keep it: show the declaration" }).click();
  await page.getByRole("button", { name: "Plan it" }).click();
  await page.getByText("The deploy would do this:").waitFor();
  await pictured(page, "console-component");
  await page.getByText("Say why").click();
  await judged(page, "component, taken over");
  await page.goto(`${url}/#/component/${componentId}`);
  await page.getByRole("heading", { name: "Take it over" }).waitFor();
  await judged(page, "component");
  await page.goto(`${url}/#/nowhere`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await judged(page, "no page");
  expect(wrong).toEqual([]);
}, 60_000);

/** What people do on a bad Friday. */
async function inAllLanes(demo: Demo): Promise<void> {
  const hand = handIn(demo, await deployShop(demo));
  const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const said = (reason: string, owner: string, days: number) => ({
    "platform-reason": reason,
    "platform-owner": owner,
    "platform-until": until(days),
  });
  await hand({ tags: said("Black Friday: more of everything", "ada", 4) }, "checkout");
  await hand({ parameters: { workers: 12, tier: "P3v3" } }, "checkout");
  await hand(
    { tags: said("Index is rebuilt by hand", "grace", 1), parameters: { workers: 6, replicas: 3 } },
    "search/index",
  );
  await hand({ tags: {}, parameters: { workers: 8 } }, "payments");
  await hand({ tags: { "managed-by": "platform" } }, "payments");
  await hand({ tags: {}, parameters: { workers: 2 } }, "campaign");
}

test("the elements stand in a page of somebody else's: by its API, in its colours, with its own way to a component", async (context) => {
  const { url, componentId, byHand } = await runDemo();
  await byHand({ tags: {}, parameters: { workers: 5 } });
  const { page, wrong } = await openConsole(context, url);
  const serve = (path: string, contentType: string, body: string) =>
    page.route(`${url}/host/${path}`, (route) => route.fulfill({ contentType, body }));
  await serve("elements.js", "text/javascript", Buffer.from(await bundleElements()).toString());
  await serve("host.js", "text/javascript", await hostScript());
  await serve("host.css", "text/css", "body { --liveplane-accent: rgb(1, 2, 3); color-scheme: light; margin: 0 }");
  const tags = `<liveplane-overrides></liveplane-overrides><liveplane-component component-id="${componentId}"></liveplane-component><liveplane-live-system live-system-id="${componentId.split("/")[0]}"></liveplane-live-system>`;
  const head = '<link rel="stylesheet" href="host.css"><script type="module" src="host.js"></script>';
  await serve("page", "text/html", `<!doctype html><html lang="en"><title>Host</title>${head}${tags}`);
  await page.goto(`${url}/host/page`);
  const [overrides, component, system] = ["overrides", "component", "live-system"].map((name) =>
    page.locator(`liveplane-${name}`),
  ) as [Locator, Locator, Locator];
  const link = overrides.getByRole("link", { name: "web" });
  await link.waitFor();
  expect(await link.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(1, 2, 3)");
  await component.getByRole("table").getByText("changed in the cloud").waitFor();
  await component.getByText(/^az tag update --resource-id \/subscriptions\/.* --operation Merge --tags /).waitFor();
  await system.getByRole("row", { name: "network/vnet" }).getByText("Active").waitFor();
  await byHand({ parameters: { location: "northeurope" } });
  await overrides.getByText("2 parameters differ").waitFor({ timeout: 10_000 });
  await link.click();
  expect(await page.evaluate(() => Reflect.get(globalThis, "opened"))).toEqual([componentId]);
  expect(await page.evaluate(() => location.hash)).toBe("");
  expect(wrong).toEqual([]);
}, 60_000);

/** A host's own script: it signs in in its own way, and gives the elements an API. */
async function hostScript(): Promise<string> {
  const contents = `import { createClient } from "@liveplane/client";
    import { defineLiveplaneElements } from "./elements.js";
    const api = createClient({ baseUrl: location.origin, credentials: { username: "operator", password: ${JSON.stringify(operatorPassword)} } });
    for (const element of document.querySelectorAll("liveplane-overrides, liveplane-component")) element.api = api;
    defineLiveplaneElements();
    document.querySelector("liveplane-live-system").api = api;
    globalThis.opened = [];
    addEventListener("liveplane-open", (event) => { event.preventDefault(); opened.push(event.detail.componentId); });`;
  const conditions = ["@liveplane/source"];
  const stdin = { contents, resolveDir: import.meta.dirname };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: "esm",
    conditions,
    external: ["./elements.js"],
  });
  return outputFiles[0]?.text ?? "";
}

async function judged(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(async () => {
      const { axe: judge } = globalThis as unknown as {
        axe: { run(context: unknown): Promise<{ violations: object[] }> };
      };
      return (await judge.run(document)).violations;
    });
    expect([name, colorScheme, found]).toEqual([name, colorScheme, []]);
  }
}
