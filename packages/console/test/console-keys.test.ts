import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EndableServer, startServer } from "../../server-express/test/running-server.ts";
import { axeObjections, consolesOfChromium, type Demo, giveBack, theOperator, withDemo } from "./console-page.ts";
import { openHost } from "./console-worlds.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let demo: Demo;

beforeAll(async () => {
  server = await startServer();
  demo = await withDemo(server);
}, 60_000);
afterAll(() => server.end());

const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
/** The words of what has the focus. */
const focused = (page: Page) => page.evaluate("document.activeElement.textContent.trim()");

test("the editor suggests what the schema allows, by keys and by mouse, and Enter stays a new line until somebody chooses", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await go(page, "#/live-systems/new");
  const text = page.getByLabel("Declaration (JSON or YAML)");
  const options = page.getByRole("option");
  await text.fill("");
  await text.pressSequentially('{ "na');
  await options.getByText("name", { exact: true }).waitFor();
  expect(await text.getAttribute("aria-activedescendant")).toBeNull();
  await page.keyboard.press("Enter");
  expect(await text.inputValue()).toBe('{ "na\n');
  await options.first().waitFor({ state: "detached" });

  await page.keyboard.press("Backspace");
  await page.keyboard.press("Control+Space");
  const chosen = page.getByRole("option", { selected: true });
  await chosen.getByText("name", { exact: true }).waitFor();
  expect(await text.getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"));
  expect(await axeObjections(page)).toEqual([]);
  await page.keyboard.press("Enter");
  expect(await text.inputValue()).toBe('{ "name": ');
  await page.keyboard.press("Control+z");
  expect(await text.inputValue()).toBe('{ "na');
  await page.keyboard.press("Control+Space");
  await chosen.waitFor();
  await page.keyboard.press("Escape");
  await options.first().waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");

  // YAML is completed where it is: within the item of a list, and within what the text has already.
  await text.fill("components:\n  - path: net\n");
  await page.keyboard.press("Control+End");
  await text.pressSequentially("    pro");
  const { x = 0, y = 0 } = (await page.getByRole("listbox").boundingBox()) ?? {};
  const area = (await text.boundingBox()) ?? { x: 0, y: 0, height: 0 };
  expect([x - area.x > 20, y < area.y + area.height]).toEqual([true, true]);
  await options.getByText("provider", { exact: true }).click();
  await page.keyboard.press("Control+Space");
  await chosen.waitFor();
  await page.keyboard.press("ArrowDown");
  await chosen.getByText("Google Cloud").waitFor();
  await page.keyboard.press("Enter");
  expect(await text.inputValue()).toBe("components:\n  - path: net\n    provider: provider-b");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.keyboard.press("Enter");
  await text.pressSequentially("    dep");
  await page.keyboard.press("Control+Space");
  await page.getByRole("listbox", { name: "Suggestions" }).waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  expect(wrong).toEqual([]);
}, 60_000);

test("who deletes a row by keys goes on at the next one, at the one before, and at the heading of an empty list", async (context) => {
  const { id: ownerId } = await server.operator.accounts.me();
  const place = { type: "Personal", ownerId, shortName: "demo" } as const;
  for (const shortName of ["a-first", "b-second", "c-third"])
    await server.operator.environments.secrets.create(place, { shortName, value: "some value" });
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await go(page, `#/environments/Personal/${ownerId}/demo`);
  const remove = async (name: string) => {
    const button = page.getByRole("button", { name: `Delete ${name}` });
    await button.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe(`Delete ${name}`);
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name }).waitFor({ state: "detached" });
  };
  const inRow = () => page.evaluate("document.activeElement.closest('tr')?.querySelector('th, td').textContent");
  await remove("b-second");
  await expect.poll(inRow).toBe("c-third");
  await remove("c-third");
  await expect.poll(inRow).toBe("a-first");
  await remove("a-first");
  await expect.poll(() => focused(page)).toBe("Secrets");
  expect(wrong).toEqual([]);
}, 60_000);

test("in an element of somebody else's page the focus goes on too, and is left alone where somebody has taken it elsewhere", async (context) => {
  const { page, wrong } = await openConsole(context, server.url);
  const { url, livesystemId, byHand } = demo;
  for (const path of ["network/vnet", "web"]) await byHand({ tags: {} }, path);
  const tags = `<input name="hosts"><liveplane-overrides></liveplane-overrides><liveplane-live-system live-system-id="${livesystemId}"></liveplane-live-system>`;
  await openHost(page, url, tags);
  const card = (path: string) =>
    page.locator("liveplane-overrides").getByRole("link", { name: new RegExp(`(^|/)${path}$`) });
  const inElement = () =>
    page.evaluate("document.querySelector('liveplane-overrides').shadowRoot.activeElement?.textContent");
  await card("web").waitFor();
  await card("network/vnet").focus();
  await byHand({ tags: { "managed-by": "platform", platform: "reconcile" } }, "network/vnet");
  await card("network/vnet").waitFor({ state: "detached" });
  await expect.poll(inElement).toMatch(/web$/);
  await page.locator("[name=hosts]").focus();
  await giveBack(demo);
  await card("web").waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  expect(await page.evaluate("document.activeElement.name")).toBe("hosts");
  expect(wrong).toEqual([]);
}, 60_000);
