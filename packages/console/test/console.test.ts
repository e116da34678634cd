import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, waitForInitialization, waitForMutation } from "@liveplane/client";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createDemo } from "../../server-express/src/demo.ts";
import {
  type EndableServer,
  operatorPassword,
  personsPassword,
  startServer,
} from "../../server-express/test/running-server.ts";
import { ownPort, startProcess } from "../../server-express/test/server-process.ts";
import {
  consolesOfChromium,
  type Demo,
  giveBack,
  handIn,
  keptInBrowser,
  signIn,
  tabTo,
  theOperator,
  withDemo,
} from "./console-page.ts";
import { openHost } from "./console-worlds.ts";

const openConsole = consolesOfChromium();
/** One server for the stories that leave it as they found it. */
let server: EndableServer;
let demo: Demo;

beforeAll(async () => {
  server = await startServer();
  demo = await withDemo(server);
}, 60_000);
afterAll(() => server.end());

/** A simulated cloud is done in no time. */
const soon = { intervalMs: 50 };
const none = "Nothing is taken over.";

test("by keyboard alone a component is taken over and given back, each seen in ten seconds, on its page and in another tab", async (context) => {
  const { url, componentId, byHand } = demo;
  const { page, wrong } = await openConsole(context, url, theOperator);
  await page.getByText(none).waitFor();
  const board = await page.context().newPage();
  await board.goto(`${url}/#/overrides`);
  await board.getByText(none).waitFor();
  await page.goto(`${url}/#/component/${componentId}`);
  await page.getByRole("button", { name: "Remove its tag" }).waitFor();
  await tabTo(page, "Remove its tag");
  await page.keyboard.press("Enter");
  await page.getByText("It's yours. The agent has seen that the tag is gone.").waitFor({ timeout: 10_000 });
  await page.getByText("The agent has let go. None of its writes is still running.").waitFor();
  const lane = board.getByRole("region", { name: "Taken over" });
  await lane.getByRole("link", { name: "web" }).waitFor({ timeout: 10_000 });

  await byHand({ parameters: { workers: 5 } });
  const row = page.getByRole("table").getByRole("row", { name: "workers" });
  await row.getByText("changed in the cloud").waitFor({ timeout: 10_000 });
  expect(await row.getByRole("cell").allInnerTexts()).toEqual(["2", "2", "5", "changed in the cloud"]);
  await lane.getByText("5", { exact: true }).waitFor({ timeout: 10_000 });

  await tabTo(page, "Add a note");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Black Friday");
  await page.keyboard.press("Tab");
  await page.keyboard.type("OPS-1");
  await page.keyboard.press("Enter");
  await lane.getByText("Black Friday").waitFor({ timeout: 10_000 });
  await board.getByLabel("Find").fill("ops-1 workers");
  await expect.poll(() => board.url()).toContain("q=ops-1+workers");
  await expect.poll(() => lane.getByRole("article").count()).toBe(1);
  await board.getByLabel("Find").fill("nothing of it");
  await expect.poll(() => lane.getByRole("article").count()).toBe(0);

  await tabTo(page, "Set both tags");
  await page.keyboard.press("Enter");
  await page.getByText("Handed back. The agent manages it again, and nothing differs.").waitFor({ timeout: 10_000 });
  await page.getByRole("heading", { name: "Take it over" }).waitFor();
  await page.getByText("handed back, as declared").waitFor();
  await board.getByText(none).waitFor({ timeout: 10_000 });
  expect(wrong).toEqual([]);
}, 60_000);

test("what happens after a page was read, and before it is told of what happens, isn't missed", async (context) => {
  const { url, byHand } = demo;
  const { page } = await openConsole(context, url);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/\/events(\?|$)/, async (route) => {
    await held;
    await route.continue();
  });
  await signIn(page);
  await page.getByText(none).waitFor();
  await byHand({ tags: {} });
  letGo();
  await page.getByRole("region", { name: "Taken over" }).getByRole("link", { name: "web" }).waitFor();
  await giveBack(demo);
}, 60_000);

test("what was changed by hand is kept: patched into the declaration, edited, planned, deployed, and then a hand-back reverts nothing", async (context) => {
  const { url, componentId, livesystemId, operator, byHand } = demo;
  await byHand({ tags: {}, parameters: { workers: 5 } });
  const { page, wrong } = await openConsole(context, url, theOperator);
  await page.getByRole("link", { name: "web" }).click();
  await page.getByRole("button", { name: "Show the new declaration" }).click();
  const declared = page.getByLabel("Parameters of web in the new declaration");
  const parameters = JSON.parse(await declared.inputValue());
  expect(parameters).toMatchObject({ workers: 5 });
  await declared.fill("{");
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("alert").getByText("This isn't valid JSON: line 1, column 2").waitFor();
  // A refusal names things as the pages do.
  const refusal = { type: "InvalidState", title: "", status: 409, detail: `${componentId} is being deployed.` };
  const body = JSON.stringify({ ...refusal, code: "InvalidState" });
  const contentType = "application/problem+json";
  await page.route("**/plan", (route) => route.fulfill({ status: 409, contentType, body }), { times: 1 });
  await declared.fill(JSON.stringify(parameters));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("alert").getByText("demo/web is being deployed.").waitFor();
  await declared.fill(JSON.stringify({ ...parameters, note: "kept" }));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByText("leave alone").waitFor();

  // Somebody else deploys meanwhile: that is told, and nothing of theirs is overwritten.
  const { definition } = await operator.liveSystems.get({ id: livesystemId });
  await waitForMutation(operator, await operator.liveSystems.deploy({ id: livesystemId }, definition), soon);
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByText("Somebody else has changed this since you loaded it.").waitFor();
  await page.getByRole("button", { name: "Show the new declaration" }).click();
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByText("Handing back changes only the tags.").waitFor();
  const now = (await operator.liveSystems.get({ id: livesystemId })).definition.components;
  expect(now.find(({ path }) => componentId.endsWith(`/${path}`))?.parameters).toMatchObject({ workers: 5 });
  await page.getByRole("button", { name: "Set both tags" }).click();
  await page.getByText("Handed back. The agent manages it again, and nothing differs.").waitFor();
  expect((await operator.overrides.list()).items).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("a server that is killed leaves what was there, says of when it is, and what happened meanwhile shows when it is back", async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), "liveplane-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const settings = { PORT: await ownPort() };
  let { child, url, ended } = await startProcess(dataDir, settings);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const operator = createClient({ baseUrl: url, credentials: { username: "operator", password: operatorPassword } });
  const { id } = await operator.accounts.me();
  const { livesystemId } = await createDemo({ as: () => operator }, id, AbortSignal.timeout(20_000));
  const byHand = handIn({ operator, url }, livesystemId);
  await byHand({ tags: {}, parameters: { workers: 5 } });
  const { page } = await openConsole(context, url);
  // The longer it is away, the longer the page waits before it asks again: that pause passes here when the test says so.
  await page.clock.install();
  await page.reload();
  await signIn(page);
  const lane = page.getByRole("region", { name: "Taken over" });
  await lane.getByText("workers").waitFor();
  child.kill("SIGKILL");
  await ended;
  await page.getByText(/^as of \d\d:\d\d, reconnecting$/).waitFor();
  await lane.getByRole("link", { name: "web" }).waitFor();
  ({ child, ended } = await startProcess(dataDir, settings));
  await byHand({ parameters: { location: "northeurope" } });
  await page.clock.fastForward(30_000);
  await lane.getByText("northeurope").waitFor({ timeout: 30_000 });
  await page.getByText("live", { exact: true }).waitFor();
}, 120_000);

test("who may View sees all and is told what they may not; another tenant's component is nobody's; markup is text", async (context) => {
  const markup = `<img src=x onerror="document.title='owned'"><b>&amp;`;
  const { url, operator, person } = server;
  const { id: organizationId } = await operator.organizations.create({ name: "Analytical Engines" });
  const environmentId = { type: "Organizational", ownerId: organizationId, shortName: "production" } as const;
  await operator.environments.create(environmentId, { name: "Production" });
  const target = { subscriptionId: crypto.randomUUID(), region: "westeurope" };
  const proof = { providerAClientId: crypto.randomUUID(), providerAClientSecret: "canary-cloud-secret-8Wm1" };
  await operator.environments.providerA.initialize(environmentId, target, proof);
  await waitForInitialization(operator, environmentId, "provider-a", soon);
  await operator.environments.secrets.create(environmentId, { shortName: "db", value: "canary-secret-value-4Zk2" });
  const type = "Microsoft.Web/sites@2024-04-01";
  const parameters = { location: "westeurope", workers: 2, [markup]: markup, connection: { $secret: "db" } };
  const components = [{ path: "web", provider: "provider-a", type, parameters }];
  const begun = await operator.liveSystems.create({ name: "shop", environmentId, components });
  expect(await waitForMutation(operator, begun, soon)).toMatchObject({ status: "Succeeded" });
  const ada = await person("ada");
  await person("eve");
  await operator.organizations.permissions.grant(
    { organizationId },
    { principalType: "Account", permissionType: "View", principalId: ada.id },
  );
  const tags = { "platform-reason": '<script>document.title="owned"</script>', "platform-owner": "<i>ada</i>" };
  const changed = { workers: 5, [markup]: `${markup}!`, connection: "canary-by-hand-7Yt3" };
  const byHand = handIn(server, begun.livesystemId);
  await byHand({ tags, parameters: changed });

  const { page, wrong, heard } = await openConsole(context, url, { username: "ada", password: personsPassword });
  await page.getByText(tags["platform-reason"]).waitFor();
  await page.getByText("<i>ada</i>").waitFor();
  await page.getByRole("link", { name: /\/web$/ }).click();
  await page.getByRole("table").getByText(`${markup}!`, { exact: true }).first().waitFor();
  await page.getByRole("table").getByText("workers").first().waitFor();
  await page.getByText("You can view this but not change it.").waitFor();
  expect(await page.getByRole("button", { name: "Check now" }).count()).toBe(0);
  const address = page.url();
  const seen = [await page.content(), address, ...heard].join("\n");
  expect(seen.match(/canary-[\w-]+|Bearer|eyJ[\w-]+\./g)).toBeNull();
  expect(await keptInBrowser(page)).toEqual([0, 0, ""]);
  await page.goto(`${url}/#/component/${begun.livesystemId}/${encodeURIComponent(markup)}`);
  await page.getByRole("heading", { name: markup, exact: true }).waitFor();
  expect(await page.title()).toBe(`${markup} · liveplane`);

  await page.goto(address);
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, "eve", personsPassword);
  await page.getByText("Not found. It may have been deleted, or you may not have permission to view it.").waitFor();
  expect(page.url()).toBe(address);
  await giveBack({ operator, byHand });
  expect(wrong).toEqual([]);
}, 60_000);

test("the elements stand in a page of somebody else's: by its API, in its colours, with its own way to a component", async (context) => {
  const { url, componentId, byHand } = demo;
  await byHand({ tags: {}, parameters: { workers: 7 } });
  const { page, wrong } = await openConsole(context, url);
  const tags = `<liveplane-overrides></liveplane-overrides><liveplane-component component-id="${componentId}"></liveplane-component><liveplane-live-system live-system-id="${componentId.split("/")[0]}"></liveplane-live-system>`;
  await openHost(page, url, tags);
  const [overrides, component, system] = ["overrides", "component", "live-system"].map((name) =>
    page.locator(`liveplane-${name}`),
  ) as [Locator, Locator, Locator];
  const link = overrides.getByRole("link", { name: "web" });
  await link.waitFor();
  expect(await link.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(1, 2, 3)");
  await component.getByRole("table").getByText("changed in the cloud").waitFor();
  await component.getByText(/^az tag update --resource-id \/subscriptions\/.* --operation Merge --tags /).waitFor();
  await system.getByRole("row", { name: "network/vnet" }).getByText("In sync").waitFor();
  await byHand({ parameters: { location: "northeurope" } });
  await overrides.getByText("northeurope").waitFor({ timeout: 10_000 });
  await link.click();
  expect(await page.evaluate(() => Reflect.get(globalThis, "opened"))).toEqual([componentId]);
  expect(await page.evaluate(() => location.hash)).toBe("");
  await giveBack(demo);
  await component.getByRole("heading", { name: "Take it over" }).waitFor();
  expect(wrong).toEqual([]);
}, 60_000);
