import { waitForMutation } from "@liveplane/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { type EndableServer, startServer } from "../../server-express/test/running-server.ts";
import { consolesOfChromium, type Demo, operatorToken, theOperator, withDemo } from "./console-page.ts";
import { inAllLanes } from "./console-worlds.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let demo: Demo;

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
  demo = await withDemo(server);
  await inAllLanes(demo);
  await demo.byHand({ tags: { "platform-owner": "mary" }, parameters: { workers: 7 } });
}, 60_000);
afterAll(() => server.end());

/** Somebody on call: begins at the first page, and knows only what is on the screen. Clicks and keys are counted, typing isn't. */
async function onCall(context: TestContext) {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await page.getByText("Taken over for longest").waitFor();
  const begun = performance.now();
  let deeds = 0;
  const main = page.getByRole("main");
  return {
    page,
    main,
    async link(name: string | RegExp, within: Page | ReturnType<Page["getByRole"]> = main) {
      deeds++;
      await within.getByRole("link", { name }).first().click();
    },
    async press(name: string | RegExp) {
      deeds++;
      await main.getByRole("button", { name }).first().click();
    },
    async check(name: string) {
      deeds++;
      await main.getByRole("checkbox", { name }).click();
    },
    async choose(label: string, option: string) {
      deeds++;
      await main.getByLabel(label).selectOption(option);
    },
    async key(keys: string) {
      deeds++;
      await page.keyboard.press(keys);
    },
    sees: (text: string | RegExp) => main.getByText(text).first().waitFor(),
    async ends(what: string) {
      const tookMs = Math.round(performance.now() - begun);
      await context.annotate(`${what}: ${deeds} clicks or keys, ${tookMs} ms`);
      expect(deeds, what).toBeLessThanOrEqual(3);
      expect(wrong).toEqual([]);
    },
  };
}

test("who holds what for longest, and what differs since when", async (context) => {
  const { page, link, sees, ends } = await onCall(context);
  const oldest = page.getByRole("region", { name: "Taken over for longest" }).getByRole("listitem").first();
  await expect.poll(() => oldest.textContent()).toMatch(/shop\/checkout[\s\S]*ada[\s\S]*Black Friday/);
  await link("shop/checkout");
  await sees("Declared at take-over");
  await sees(/Taken over for/);
  await page.getByRole("main").getByRole("row", { name: "workers" }).first().getByText("12").waitFor();
  await ends("who holds what for longest, and what differs since when");
}, 60_000);

test("why a component fails, and trying again", async (context) => {
  await faults({ slow: { takesMs: 1, fails: { code: "QuotaExceeded", message: "There is no more of it." } } });
  const id = demo.livesystemId;
  const { definition } = await server.operator.liveSystems.get({ id });
  const components = definition.components.map((one) =>
    one.path === "network/vnet" ? { ...one, parameters: { ...one.parameters, addressSpace: "10.9.0.0/16" } } : one,
  );
  const begun = await server.operator.liveSystems.deploy({ id }, { ...definition, components } as typeof definition);
  await waitForMutation(server.operator, begun, { intervalMs: 50 }).catch(() => {});
  const { main, link, press, sees, ends } = await onCall(context);
  const needy = main.getByRole("region", { name: "Needs somebody" });
  await needy.getByRole("link", { name: "demo/network/vnet" }).waitFor();
  await needy.getByText("There is no more of it. This began just now.").waitFor();
  await link("demo/network/vnet");
  await sees("QuotaExceeded");
  await faults({});
  await press("Check now");
  await sees("In sync");
  await ends("why a component fails, and trying again");
}, 60_000);

test("redeploying", async (context) => {
  const { link, press, page, ends } = await onCall(context);
  await link("demo/web");
  await press("Deploy again");
  await press("Deploy again");
  await page.getByText("Deployed.", { exact: true }).waitFor();
  await ends("redeploying");
}, 60_000);

test("finding a component by name", async (context) => {
  const { page, key, ends } = await onCall(context);
  await key("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).waitFor();
  await page.keyboard.type("catal");
  await page.getByRole("option", { name: "shop/catalogue" }).waitFor();
  await key("Enter");
  await page.getByRole("heading", { name: "catalogue" }).waitFor();
  await ends("finding a component by name");
}, 60_000);

test("what changed last night", async (context) => {
  const { page, link, choose, sees, ends } = await onCall(context);
  await link("Events", page.getByRole("navigation"));
  await choose("Time", "last 12 hours");
  await sees("component.override.started");
  await ends("what changed last night");
}, 60_000);

test("muting a difference", async (context) => {
  const { link, press, page, ends } = await onCall(context);
  await link("shop/campaign");
  await press(/^Mute workers$/);
  await press(/^Mute workers$/);
  await page.getByText("Differences of workers raise no alert any more.").waitFor();
  await ends("muting a difference");
  await press(/^Unmute workers$/);
  await press(/^Unmute workers$/);
  await page.getByText("Differences of workers raise alerts again.").waitFor();
}, 60_000);

test("opening it in the cloud's own console", async (context) => {
  const { link, sees, ends } = await onCall(context);
  await link("shop/payments");
  await link("Open in the simulated Azure");
  await sees(/^Only the resource payments-[0-9a-f]+ is listed\./);
  await ends("opening it in the cloud's own console");
}, 60_000);

test("handing five back by one plan", async (context) => {
  const { main, link, check, press, sees, ends } = await onCall(context);
  await link("All overrides");
  await check("Choose all");
  await sees("5 components are chosen");
  await sees(/Handing them back reverts \d+ parameters\./);
  await press("Set both tags of all 5");
  await main.getByText("Nothing is taken over.").waitFor({ timeout: 20_000 });
  await ends("handing five back by one plan");
}, 60_000);

/** What the simulated Azure fails at from now on. */
async function faults(given: object): Promise<void> {
  const headers = { authorization: `Bearer ${await operatorToken(server.url)()}`, "content-type": "application/json" };
  const init = { method: "PUT", headers, body: JSON.stringify(given) };
  expect((await fetch(`${server.url}/simulator/provider-a/faults`, init)).ok).toBe(true);
}
