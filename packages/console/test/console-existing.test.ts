import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { createDemo } from "../../server-express/src/demo.ts";
import { type EndableServer, request, startServer } from "../../server-express/test/running-server.ts";
import { axeObjections, consolesOfChromium, operatorToken, theOperator } from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let ownerId = "";
let group = "";

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
  ownerId = (await server.operator.accounts.me()).id;
  await createDemo(server.liveplane, ownerId, AbortSignal.timeout(20_000));
  const { items } = await server.operator.environments.resources.list(place(), { provider: "provider-a" });
  group = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+/.exec(items[0]?.id ?? "")?.[0] ?? "";
  for (const [path, { tags = {}, ...parameters }] of Object.entries(shop))
    await put(`${group}/providers/${path}`, tags, parameters);
}, 60_000);
afterAll(() => server.end());

const place = () => ({ type: "Personal", ownerId, shortName: "demo" }) as const;
const location = "westeurope";

/** What somebody made by hand and with other tools. A name and a tag try to be markup. */
const shop: Readonly<Record<string, { readonly tags?: Record<string, string>; readonly [name: string]: unknown }>> = {
  "Microsoft.Network/virtualNetworks/shop-net": {
    location,
    properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] } },
  },
  "Microsoft.Network/publicIPAddresses/shop-ip": { location, properties: { publicIPAllocationMethod: "Static" } },
  "Microsoft.Storage/storageAccounts/shopfiles": { location, kind: "StorageV2", sku: { name: "Standard_LRS" } },
  "Microsoft.Web/serverfarms/shop-plan": { location, sku: { name: "B1" } },
  "Microsoft.KeyVault/vaults/shop-keys": { location, tags: { note: "<img src=x onerror=alert(1)>" } },
  "Microsoft.Compute/disks/foreign": { location, tags: { "managed-by": "terraform" } },
  "Microsoft.Compute/disks/elsewhere": { location, tags: { "managed-by": "platform" } },
};
const free = 5;

async function simulator(method: string, resourceId: string, json?: object) {
  const token = await operatorToken(server.url)();
  const address = `${server.url}/simulator/provider-a/resources/${encodeURIComponent(resourceId)}`;
  const answer = await request(address, { method, token, ...(json && { json }) });
  expect(answer.status).toBe(200);
  return answer.json as { readonly tags: Record<string, string>; readonly parameters: object };
}

async function put(resourceId: string, tags: object, parameters: object) {
  const [, type = ""] = /\/providers\/(.+)\/[^/]+$/.exec(resourceId) ?? [];
  await simulator("PUT", resourceId, { type, tags, parameters });
}

/** All of them as they are in the cloud. */
const inCloud = () => Promise.all(Object.keys(shop).map((path) => simulator("GET", `${group}/providers/${path}`)));

/** A page whose clicks are counted. */
async function counted(context: TestContext): Promise<{ page: Page; wrong: string[]; clicks: () => Promise<unknown> }> {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await page.evaluate(
    "globalThis.clicks = 0; addEventListener('click', (event) => (globalThis.clicks += event.detail > 0), true)",
  );
  return { page, wrong, clicks: () => page.evaluate("globalThis.clicks") };
}

test("a group of resources is found, filtered, chosen, declared, planned and adopted, and the next plan is empty", async (context) => {
  const { page, wrong, clicks } = await counted(context);
  const main = page.getByRole("main");
  const before = await inCloud();
  await page.getByRole("link", { name: "Environments" }).first().click();
  await main.getByRole("link", { name: "demo" }).first().click();
  await main.getByRole("link", { name: "Existing resources" }).click();
  await main.getByText("shown, 0 selected.").waitFor();

  // The tree: the scope, its types, and who manages what.
  const branch = main.locator("details", { has: page.locator("summary", { hasText: group }) });
  await branch.getByRole("group", { name: "Microsoft.Network/publicIPAddresses" }).getByText("shop-ip").waitFor();
  const disks = branch.getByRole("group", { name: "Microsoft.Compute/disks" });
  await disks.getByRole("listitem").filter({ hasText: "foreign" }).getByText("terraform").waitFor();
  await expect.poll(() => disks.getByRole("checkbox", { disabled: true }).count()).toBe(2);
  const vaults = branch.getByRole("group", { name: "Microsoft.KeyVault/vaults" });
  await vaults.getByRole("listitem").filter({ hasText: "the environment's initialization" }).waitFor();

  // What is inside others is asked for, and what was chosen and filtered stays.
  const nested = page.waitForRequest((sent) => sent.url().includes("nested=true"));
  await main.getByLabel("Also what is listed resource by resource").check();
  await nested;
  await main.getByText("shown, 0 selected.").waitFor();
  await main.getByLabel("Also what is listed resource by resource").uncheck();

  await main.getByLabel("Managed by").selectOption("nobody");
  await main.getByLabel("Search name, type, location or tag").fill("/shop");
  await main.getByText(new RegExp(`^${free} of \\d+ shown`)).waitFor();
  await main.getByRole("button", { name: `Select the ${free} that nobody manages` }).click();
  await main.getByText(`${free} selected.`).waitFor();
  await main.getByLabel("Name of the live system").fill("shop");
  await main.getByRole("button", { name: `Write a declaration of ${free}` }).click();
  await main.getByText("As YAML").click();
  const yaml = await main.getByRole("textbox", { name: "As YAML" }).inputValue();
  expect(yaml).toContain("adopt: exact\n");
  expect(yaml).toContain("path: shop-net\n");
  expect(await axeObjections(page)).toEqual([]);

  await main.getByText("A plan shows what would be created or adopted.").waitFor();
  await main.getByRole("button", { name: "Plan", exact: true }).click();
  await main.getByText(`${free} to adopt as they are (tags to add: ${free}).`).waitFor();
  expect(await inCloud()).toEqual(before);
  await main.getByRole("button", { name: "Create and deploy" }).click();
  await main.getByRole("heading", { name: "shop" }).waitFor();
  await expect.poll(() => main.getByRole("region", { name: "Components" }).getByText("in sync").count()).toBe(free);
  expect(await clicks()).toBeLessThanOrEqual(10);

  await main.getByRole("button", { name: "Plan", exact: true }).click();
  await main.getByText(`No changes. All ${free} are as declared.`).waitFor();
  const after = await inCloud();
  expect(after.map(({ parameters }) => parameters)).toEqual(before.map(({ parameters }) => parameters));
  const added = { "managed-by": "platform" };
  expect(after.map(({ tags }) => tags)).toEqual(before.map(({ tags }) => ({ ...added, ...tags })));
  await page.goBack();
  await main.getByLabel("Managed by").selectOption("component");
  await main.getByLabel("Search name, type, location or tag").fill("/shop");
  await main.getByText(new RegExp(`^${free} of \\d+ shown`)).waitFor();
  expect(wrong).toEqual([]);
}, 60_000);
