import { waitForMutation } from "@liveplane/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test, vi } from "vitest";
import {
  type EndableServer,
  type Person,
  personsPassword,
  startServer,
} from "../../server-express/test/running-server.ts";
import { consolesOfChromium, handIn, theOperator } from "./console-page.ts";

const openConsole = consolesOfChromium();
const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-/;
let server: EndableServer;
let ada: Person;
let organizationId: string;
let serviceAccountId: string;
let livesystemId: string;

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
  ada = await server.person("ada");
  await ada.api.accounts.update({ name: "Ada", surname: "Lovelace" });
  const { organizations, environments, liveSystems } = server.operator;
  const made = await organizations.create({ name: "Acme" });
  organizationId = made.id;
  const at = { organizationId };
  const { principalId } = await organizations.teams.upsert(at, { shortName: "ops" });
  await organizations.permissions.grant(at, { principalType: "Team", principalId, permissionType: "Edit" });
  const inTeam = { principalType: "Account", principalId: ada.id, permissionType: "View" } as const;
  await organizations.teams.permissions.grant({ ...at, shortName: "ops" }, inTeam);
  serviceAccountId = made.serviceAccountId ?? "";
  const robot = { principalType: "Account", principalId: serviceAccountId, permissionType: "View" } as const;
  await organizations.permissions.grant(at, robot);
  const place = { type: "Organizational", ownerId: organizationId, shortName: "live" } as const;
  await environments.create(place, {});
  await environments.providerA.initialize(
    place,
    { subscriptionId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301" },
    { providerAClientId: "client", providerAClientSecret: "a cloud's secret" },
  );
  const isReady = async () =>
    expect((await environments.providerA.status(place)).initializationRun.status).toBe("Completed");
  await vi.waitFor(isReady, { timeout: 20_000, interval: 100 });
  const web = {
    path: "web",
    provider: "provider-a",
    type: "Microsoft.Web/sites@2024-04-01",
    parameters: { location: "westeurope" },
  };
  const begun = await liveSystems.create({ name: "shop", environmentId: place, components: [web] });
  await waitForMutation(server.operator, begun, { intervalMs: 50 });
  livesystemId = begun.livesystemId;
  await handIn(server, livesystemId)({ tags: {} });
  const component = { id: livesystemId, componentId: `${livesystemId}/web` };
  await ada.api.liveSystems.components.annotateOverride(component, { reason: "Black Friday" });
}, 60_000);
afterAll(() => server.end());

test("the link above a live system has the environment's whole name", async (context) => {
  const page = await opened(context, `#/live-systems/${livesystemId}`);
  await page.getByRole("main").getByRole("link", { name: "Organizational/Acme/live" }).waitFor();
}, 60_000);

async function opened(context: TestContext, hash: string, who = theOperator) {
  const { page } = await openConsole(context, server.url, who);
  await go(page, hash);
  return page;
}
const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

test("a component is shop/web and its holder Ada Lovelace: on the board, on its page and in its history", async (context) => {
  const page = await opened(context, "#/overrides");
  const card = page.getByRole("article").filter({ hasText: "Black Friday" });
  await card.getByRole("link", { name: "shop/web", exact: true }).waitFor();
  await card.getByText("Ada Lovelace").waitFor();
  expect(await page.locator("main").textContent()).not.toMatch(anyId);
  await page.getByRole("searchbox").fill("shop/web lovelace");
  await card.waitFor();
  await go(page, `#/component/${livesystemId}/web`);
  await page.getByText("by Ada Lovelace").nth(1).waitFor();
  expect(await page.getByText("Ada Lovelace").first().getAttribute("title")).toBe(ada.id);
  await page.getByRole("link", { name: "shop", exact: true }).waitFor();
}, 60_000);

test("events name the component, the environment and who did it, and find them by name", async (context) => {
  const page = await opened(context, "#/events");
  const noted = page.getByRole("row").filter({ hasText: "component.override.noted" });
  await noted.getByText("shop/web").waitFor();
  await noted.getByText("Ada Lovelace").waitFor();
  await page.getByRole("row").filter({ hasText: "Organizational/Acme/live" }).first().waitFor();
  await page.getByLabel("Subject").fill("ada love");
  // The note, and the take-over that its author is named for.
  await expect.poll(() => page.getByRole("row").filter({ hasText: "component.override" }).count()).toBe(2);
}, 60_000);

test("people who share nothing with somebody see no name of theirs", async (context) => {
  await server.person("stranger");
  const stranger = { username: "stranger", password: personsPassword };
  const page = await opened(context, "#/", stranger);
  const found = await page.evaluate(`fetch("names?id=${ada.id}&id=${livesystemId}").then((answer) => answer.status)`);
  expect(found).toBe(401);
  await go(page, "#/events");
  await page.getByRole("heading", { name: "Events" }).waitFor();
  expect(await page.locator("main").textContent()).not.toContain("Ada");
}, 60_000);

test("the members say what they have directly and through teams, and the list of organizations counts all of them", async (context) => {
  const page = await opened(context, "#/access");
  const row = page.getByRole("row", { name: "Acme" });
  await row.waitFor();
  expect((await row.getByRole("cell").allInnerTexts()).slice(0, 2)).toEqual(["Acme", "3"]);
  await go(page, `#/access/${organizationId}`);
  const members = page.getByRole("region", { name: "Members" });
  await members.getByText("Ada Lovelace", { exact: true }).first().waitFor();
  const through = async (name: string) =>
    (await members.getByRole("row", { name }).getByRole("cell").allInnerTexts()).at(-2);
  expect(await through("Ada Lovelace")).toBe("ops (team)");
  expect(await through("operator")).toBe("a direct grant, ops (team)");
  expect(await through(`Acme (service account ${serviceAccountId.slice(0, 8)})`)).toBe("a direct grant");
  const grants = page.getByRole("region", { name: "Grants" });
  await grants.getByRole("cell", { name: "ops (team)", exact: true }).waitFor();
  expect(await grants.textContent()).not.toMatch(anyId);
}, 60_000);

test("a plan shows what is used, and that nobody has set a limit", async (context) => {
  const page = await opened(context, "#/access");
  const plan = page.getByRole("region", { name: "Your plan" });
  await plan.getByText("This server sets you no limits.").waitFor();
  const cells = await plan.getByRole("row", { name: "live systems" }).getByRole("cell").allInnerTexts();
  expect(cells).toEqual(["live systems", "1", "no limit"]);
});

test("a take-over by the page's own button names the person who pressed it", async (context) => {
  await server.operator.accounts.update({ name: "Grace", surname: "Hopper" });
  await handIn(server, livesystemId)({ tags: { "managed-by": "platform", platform: "reconcile" } });
  const page = await opened(context, `#/component/${livesystemId}/web`);
  await page.getByRole("button", { name: "Remove its tag" }).click();
  await page.getByText("by Grace Hopper").waitFor();
}, 60_000);
