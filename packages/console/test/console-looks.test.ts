import { afterAll, beforeAll, expect, test } from "vitest";
import { type EndableServer, startServer } from "../../server-express/test/running-server.ts";
import {
  axeObjections,
  consolesOfChromium,
  type Demo,
  primaryButtons,
  signIn,
  theOperator,
  twoDaysLater,
  withDemo,
} from "./console-page.ts";
import { inAllLanes, namesOfPages } from "./console-worlds.ts";
import { differenceBetween, pictured, pictureOf } from "./pictures.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let demo: Demo;

beforeAll(async () => {
  server = await startServer();
  demo = await withDemo(server);
}, 60_000);
afterAll(() => server.end());

const nothing = "Not found. It may have been deleted, or you may not have permission to view it.";

/** Places of each page, by its name: the addresses behind it, with what is there once it has been read. */
const placesOf = (
  demo: Demo,
  operatorId: string,
  organizationId: string,
): Readonly<Record<string, readonly Place[]>> => ({
  "": [["", "checkout"]],
  overrides: [
    ["", "checkout"],
    ["?view=table&group=age", "Less than a week"],
  ],
  component: [
    [`/${demo.componentId}`, "Take it over"],
    [`/${crypto.randomUUID()}/web`, nothing],
  ],
  "live-systems": [
    ["", "in sync"],
    ["/new", "Create and deploy"],
    [`/${demo.livesystemId}`, "History"],
    [`/${crypto.randomUUID()}`, nothing],
  ],
  environments: [
    ["", "Azure ready, Google Cloud not"],
    [`/Personal/${operatorId}/demo`, "Storage account for state"],
    [`/Personal/${operatorId}/none`, nothing],
  ],
  events: [["", "component."]],
  access: [
    ["", "Your plan"],
    [`/${organizationId}`, "Explain permissions"],
    [`/${organizationId}/team/core`, "What the team may do"],
    [`/${organizationId}/group/prod`, "Grants"],
    [`/${organizationId}/team/none`, nothing],
    [`/${crypto.randomUUID()}`, nothing],
  ],
  api: [
    ["", "environments.create"],
    ["/environments.create", "Required."],
    ["/none", "Operation not found."],
  ],
  webhooks: [
    ["", "No webhooks yet."],
    [`/me/${crypto.randomUUID()}`, nothing],
  ],
  account: [["", "Where you are signed in"]],
  authorize: [
    ["", "This address is incomplete."],
    ["?code_challenge=none&loopback=4711&state=none", "asks to sign in as you."],
  ],
  help: [["", "Somebody removed the management tag."]],
  people: [["", "Invite somebody"]],
  plans: [["", "An Enterprise plan has its own limits"]],
  agent: [["", "store: ready"]],
  simulator: [["", "Take over"]],
  nowhere: [["", "Page not found"]],
});

/** What stands behind the name of a page in the address, and words that it shows. */
type Place = readonly [behind: string, seen: string];

/** Phones, a window of 1,280 pixels at 200 %, and a large one. */
const widths = [390, 640, 1920];

/** What of the bar is cut off at the window that most people have; the name beside the logo may be. */
const cutOff = `[...document.querySelectorAll(".bar :is(a:not(.brand), button)")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent)`;

test("axe objects to nothing on any page, in light and dark; each fits a phone, 200 % and a large window, and has one primary button; a keyboard alone reaches the component", async (context) => {
  const { url, operator } = demo;
  await inAllLanes(demo);
  const { id: operatorId } = await operator.accounts.me();
  const { id: organizationId } = await operator.organizations.create({ name: "Analytical Engines" });
  await operator.organizations.teams.upsert({ organizationId }, { shortName: "core" });
  await operator.organizations.resourceGroups.upsert({ organizationId, shortName: "prod" }, {});
  const { page, wrong } = await openConsole(context, url);
  expect(["sign-in", ...(await axeObjections(page))]).toEqual(["sign-in"]);
  await twoDaysLater(page);
  await signIn(page);
  await page.getByText("Taken over for longest").waitFor();
  await pictured(context, page, "console-overview");
  await page.evaluate("location.hash = '#/overrides'");
  await page.getByText("1 component depends on the changes").waitFor();
  await pictured(context, page, "console-board");
  const board = await pictureOf(page);
  expect(differenceBetween(board, await pictureOf(page))).toBeNull();
  await page.evaluate("document.querySelector('.card h3 a').textContent = 'checkout!'");
  expect(differenceBetween(board, await pictureOf(page))?.words).toMatch(/^\d+ pixels differ$/);
  await page.evaluate("document.querySelector('.card h3 a').textContent = 'checkout'");

  await page.getByRole("searchbox").focus();
  for (let times = 0; times < 5; times++) await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("checkout");
  await page.keyboard.press("Enter");
  await page.getByText("The agent has let go").waitFor();
  await page.getByRole("button", { name: "Show the new declaration" }).click();
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByText("The deploy saves these parameters").waitFor();
  await pictured(context, page, "console-component");
  await page.getByText("Add a note").click();
  expect(["component, taken over", ...(await axeObjections(page))]).toEqual(["component, taken over"]);
  expect(await page.evaluate(primaryButtons)).toEqual(["Save note", "Deploy"]);

  const places = placesOf(demo, operatorId, organizationId);
  expect(Object.keys(places).toSorted()).toEqual([...(await namesOfPages()), "nowhere"].toSorted());
  for (const [name, ofPage] of Object.entries(places)) {
    for (const [behind, seen] of ofPage) {
      const at = `#/${name}${behind}`;
      await page.evaluate(`location.hash = ${JSON.stringify(at)}`);
      await page.getByText(seen).first().waitFor();
      expect([at, ...(await axeObjections(page))]).toEqual([at]);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 844 });
        expect([at, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([at, width]);
      }
      await page.setViewportSize({ width: 1280, height: 720 });
      expect([at, (await page.evaluate(primaryButtons)).slice(1)]).toEqual([at, []]);
      expect([at, await page.evaluate(cutOff)]).toEqual([at, []]);
    }
  }
  expect(wrong).toEqual([]);
}, 120_000);

test("the operator's menu has one row at 1,280 pixels where letters are wide too, and nothing of it is cut off", async (context) => {
  const { page } = await openConsole(context, demo.url, theOperator);
  const rows = () =>
    page.evaluate("new Set([...document.querySelectorAll('.bar nav a')].map((link) => link.offsetTop)).size");
  expect(await rows()).toBe(1);
  await page.evaluate("document.documentElement.style.setProperty('--liveplane-font', 'Verdana, DejaVu Sans')");
  expect(await rows()).toBe(1);
  expect(await page.evaluate(cutOff)).toEqual([]);
}, 60_000);

test("whoever wants no motion sees none, whatever a page waits for", async (context) => {
  const { page } = await openConsole(context, demo.url, theOperator);
  await page.route(/\/livesystems\/health/, () => {});
  const moving = async () => {
    await page.reload();
    await page.locator(".waiting").first().waitFor();
    return page.evaluate("document.getAnimations().length");
  };
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await moving()).toBe(0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await moving()).toBeGreaterThan(0);
}, 60_000);

test("the board counts ten thousand overrides, shows the oldest, and finds one as fast as somebody types", async (context) => {
  const { url, operator, componentId, byHand } = demo;
  await byHand({ tags: {} });
  const [row] = (await operator.overrides.list()).items;
  const { page, wrong } = await openConsole(context, url);
  const at = (index: number) => `${componentId.split("/")[0]}/zone-${index % 100}/web-${index}`;
  await page.route(/\/overrides\?/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))];
    const items = Array.from({ length: limit }, (_, index) => ({
      ...row,
      component: { ...row?.component, id: at(from + index) },
    }));
    await route.fulfill({ json: { items, nextCursor: from + limit < 10_000 ? String(from + limit) : null } });
  });
  await signIn(page);
  await page.goto(`${url}/#/overrides`);
  await page.locator("p.count", { hasText: "10000 overrides" }).waitFor();
  await page.getByRole("region", { name: "Taken over" }).getByText("10000", { exact: true }).waitFor();
  const cards = () => page.evaluate("document.querySelectorAll('article').length");
  const shown = Number(await cards());
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(cards).toBe(2 * shown);
  const took = await page.evaluate(async () => {
    const field = document.querySelector<HTMLInputElement>("[type=search]");
    if (field === null) return Number.POSITIVE_INFINITY;
    const begun = performance.now();
    field.value = "web-9999";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begun;
  });
  expect(await cards()).toBe(1);
  expect(took).toBeLessThan(2_000);
  await context.annotate(`found in ${Math.round(took)} ms`);
  expect(wrong).toEqual([]);
}, 60_000);
