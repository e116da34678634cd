import { beforeAll, expect, test } from "vitest";
import { axeObjections, giveBack, twoDaysLater } from "./console-page.ts";
import { demoStories, go } from "./demo-stories.ts";

const story = demoStories();
let inDemo: { readonly type: "Personal"; readonly ownerId: string; readonly shortName: string };

beforeAll(async () => {
  inDemo = { type: "Personal", ownerId: (await story.server.operator.accounts.me()).id, shortName: "demo" };
});
const environmentPage = () => `#/environments/Personal/${inDemo.ownerId}/demo`;
const vnet = (path: string, parameters: object = {}) => ({
  ...{ path, provider: "provider-a", type: "Microsoft.Network/virtualNetworks@2024-05-01" },
  parameters: { location: "westeurope", addressSpace: "10.0.0.0/16", ...parameters },
});

test("the name of a secret shows whole, and a secret that is in use stays: its users are named, here and on the command line", async (context) => {
  await story.server.operator.environments.secrets.create(inDemo, {
    shortName: "db",
    displayName: "Bakery DB",
    value: "x",
  });
  const components = [vnet("oven", { key: { $secret: "db" } }), vnet("till", { key: { $secret: "db" } })];
  await story.ended(
    await story.server.operator.liveSystems.create({ name: "bakery", environmentId: inDemo, components } as never),
  );
  const { page, main, wrong } = await story.opened(context, environmentPage());
  const row = main.getByRole("row").filter({ hasText: "Bakery DB" });
  await row.getByRole("button", { name: "Delete db" }).click();
  await row.getByText("This deletes every version of db, unless a component uses it.").waitFor();
  await row.getByRole("button", { name: "Delete db" }).click();
  const refusal = "2 components use it: bakery/oven, bakery/till. Deploy without it first, or give it a new value.";
  await row.getByText(refusal).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  const typed = await story.typed("environments secrets delete Personal/me/demo db");
  expect(typed).toMatchObject({ code: 1, said: expect.stringContaining(`SecretInUse: ${refusal}`) });
  expect(wrong).toEqual([]);
}, 60_000);

test("the simulator names the component of a resource, and leads to it", async (context) => {
  const { page, main, wrong } = await story.opened(context, "#/simulator");
  const row = main.getByRole("row").filter({ hasText: "Microsoft.Web/sites" });
  await row.getByRole("link", { name: "demo/web" }).click();
  await main.getByRole("heading", { name: "web", exact: true }).waitFor();
  await go(page, "#/simulator");
  await row.getByRole("button", { name: "Take over" }).click();
  await row.getByRole("button", { name: "Hand back" }).waitFor();
  expect(await main.getByRole("button", { name: "Hand back" }).count()).toBe(1);
  await row.getByRole("button", { name: "Hand back" }).click();
  await row.getByRole("button", { name: "Take over" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("a component's own link shows its cloud alone, with its resource alone, until all are asked for", async (context) => {
  const { main, wrong } = await story.opened(context, `#/component/${story.demo.componentId}`);
  await main.getByRole("link", { name: "Open in the simulated Azure" }).click();
  await main.getByText("Only the resource").waitFor();
  await main.getByRole("heading", { name: "Azure" }).waitFor();
  const rows = main.getByRole("row").filter({ has: main.page().getByRole("cell") });
  await expect.poll(() => rows.count()).toBe(1);
  expect(await main.getByRole("heading", { name: "Google Cloud" }).count()).toBe(0);
  await main.getByRole("link", { name: "List all" }).click();
  await main.getByRole("heading", { name: "Google Cloud" }).waitFor();
  await expect.poll(() => rows.count()).toBeGreaterThan(1);
  expect(wrong).toEqual([]);
}, 60_000);

test("the simulator finds a resource by its ID, component, live system or environment, and a search ends a link's own list", async (context) => {
  const bakery = { name: "cakes", environmentId: inDemo, components: [vnet("icing"), vnet("dough")] };
  const { livesystemId: id } = await story.ended(await story.server.operator.liveSystems.create(bakery as never));
  const { resourceId } = await story.server.operator.liveSystems.components.get({ id, componentId: `${id}/dough` });
  const { page, main, wrong } = await story.opened(context, "#/simulator");
  const rows = main.getByRole("row").filter({ has: page.getByRole("cell") });
  const names = () => main.locator("td a[data-component]").allInnerTexts();
  await main.getByRole("link", { name: "cakes/icing" }).waitFor();
  const search = main.getByLabel("Find");
  for (const [typed, found] of [
    ["Icing", ["cakes/icing"]],
    ["cakes", ["cakes/dough", "cakes/icing"]],
    [resourceId ?? "", ["cakes/dough"]],
  ] as const) {
    await search.fill(typed);
    await expect.poll(async () => (await names()).toSorted(), { message: typed }).toEqual(found);
  }
  await search.fill("in demo");
  await expect
    .poll(async () => (await names()).toSorted())
    .toEqual(expect.arrayContaining(["cakes/icing", "demo/web"]));
  await search.fill("nothing is called that");
  await main.getByText("No resource matches.").first().waitFor();
  expect(page.url()).toContain("q=nothing");
  await go(page, `#/component/${id}/dough`);
  await main.getByRole("link", { name: "Open in the simulated Azure" }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await search.fill("icing");
  await expect.poll(names).toEqual(["cakes/icing"]);
  await main.getByRole("link", { name: "cakes/icing" }).click();
  await main.getByRole("heading", { name: "icing", exact: true }).waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("a deploy scrolls to its steps, which are above the editor", async (context) => {
  const components = Array.from({ length: 30 }, (_, at) => vnet(`part${String(at).padStart(2, "0")}`));
  const begun = await story.ended(
    await story.server.operator.liveSystems.create({ name: "long", environmentId: inDemo, components } as never),
  );
  const { page, main, wrong } = await story.opened(context, `#/live-systems/${begun.livesystemId}`);
  const editor = main.getByLabel("Declaration (JSON or YAML)");
  await editor.fill((await editor.inputValue()).replace("10.0.0.0/16", "10.7.0.0/16"));
  await main.getByRole("button", { name: "Plan", exact: true }).click();
  const deploy = main.getByRole("button", { name: "Deploy", exact: true });
  await deploy.scrollIntoViewIfNeeded();
  const isSeen = () =>
    page.evaluate(() => {
      const head = document.querySelector(".mutation .line")?.getBoundingClientRect();
      return head !== undefined && head.top >= 0 && head.bottom <= innerHeight;
    });
  expect(await isSeen()).toBe(false);
  await deploy.click();
  await expect.poll(isSeen).toBe(true);
  await story.ended(
    (await story.server.operator.liveSystems.mutations.list({ id: begun.livesystemId })).items[0] as never,
  );
  expect(wrong).toEqual([]);
}, 60_000);

test("a hand-back that the agent saw says that nobody knows whose it is, and a take-over whose", async (context) => {
  await story.demo.byHand({ tags: { "platform-owner": "ada" } });
  await giveBack(story.demo);
  const { main } = await story.opened(context, "#/events?type=component.reconcile.requested");
  const row = main.getByRole("row").filter({ hasText: "demo/web" }).first();
  await row.getByText("somebody unknown, seen by the agent").waitFor();
  await main.getByLabel("Type").fill("component.override.started");
  await main.getByText("ada, seen by the agent", { exact: true }).first().waitFor();
}, 60_000);

test("the page of existing resources says where it is as its environment does", async (context) => {
  const { main } = await story.opened(context, `${environmentPage()}/resources`);
  const within = main.locator(".within");
  await within.getByRole("link", { name: "Demo", exact: true }).waitFor();
  expect(await within.textContent()).toMatch(/^Environments \/ .+ \/ Demo$/);
}, 60_000);

test("the story of the demo isn't offered again, once it was told", async (context) => {
  await story.demo.byHand({ tags: { "platform-owner": "ada" } });
  await giveBack(story.demo);
  const { page, main, wrong } = await story.opened(context);
  const asked = page.waitForResponse(/\/components\/.+\/overrides/);
  await go(page, "#/overrides");
  await main.getByText("Nothing is taken over.").waitFor();
  await asked;
  expect(await main.getByRole("button", { name: "Take over demo/web" }).count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);

test("an environment is called initialized only if it is in each cloud; otherwise the list and its page say where", async (context) => {
  const { operator } = story.server;
  const shortName = "twoclouds";
  const place = { ...inDemo, shortName };
  await operator.environments.create(place, {});
  const { page, main, wrong } = await story.opened(context, "#/environments");
  const row = main.getByRole("row").filter({ has: page.getByRole("link", { name: shortName, exact: true }) });
  const isSaid = async (words: string) => {
    await go(page, "#/environments");
    // A failing step is repeated for 8 seconds before its run fails.
    await expect.poll(() => row.locator(".state").allInnerTexts(), { timeout: 30_000 }).toEqual([words]);
    await go(page, `#/environments/Personal/${inDemo.ownerId}/${shortName}`);
    await main.locator(".head .state").getByText(words, { exact: true }).waitFor();
  };
  await isSaid("○ Not initialized yet");
  const credentials = { providerAClientId: crypto.randomUUID(), providerAClientSecret: "any" };
  await operator.environments.providerA.initialize(place, { subscriptionId: crypto.randomUUID() }, credentials);
  await isSaid("● Azure ready, Google Cloud not");
  expect(await axeObjections(page)).toEqual([]);
  const initializeB = () =>
    operator.environments.providerB.initialize(
      place,
      { projectId: "two-clouds" },
      {
        providerBServiceAccountEmail: "lp@two-clouds.iam.gserviceaccount.com",
        providerBServiceAccountCredentials: "{}",
      },
    );
  await story.simulator("PUT", "faults", { initialize: { step: null, fail: true } }, "provider-b");
  await initializeB();
  await isSaid("✕ Azure ready, Google Cloud failed to initialize");
  await story.simulator("PUT", "faults", {}, "provider-b");
  await initializeB();
  await isSaid("● Initialized");
  await main.getByText("Simulated clouds").waitFor();
  expect(wrong).toEqual([]);
}, 120_000);

test("each difference says whether it is muted, and how many are, on the component's page, the board and the command line", async (context) => {
  const { operator } = story.server;
  const at = { id: story.demo.livesystemId };
  await story.demo.byHand({ tags: {}, parameters: { workers: 7, location: "northeurope" } });
  const { definition } = await operator.liveSystems.get(at);
  const components = definition.components.map((one) =>
    one.path === "web" ? { ...one, muteDrift: ["workers"] } : one,
  );
  await story.ended(await operator.liveSystems.deploy(at, { ...definition, components } as typeof definition));
  const { page, main, wrong } = await story.opened(context, `#/component/${story.demo.componentId}`);
  const differences = main.getByRole("region", { name: "Differences" });
  await differences.getByRole("heading", { name: "1 of 2 muted" }).waitFor();
  const row = (name: string) => differences.getByRole("rowheader", { name });
  await row("/workers").getByText("muted", { exact: true }).waitFor();
  await row("/workers").getByRole("button", { name: "Unmute workers" }).waitFor();
  expect(await row("/location").getByText("muted").count()).toBe(0);
  await row("/location").getByRole("button", { name: "Mute location" }).waitFor();
  await main.getByRole("listitem").filter({ hasText: "/workers 7 → 2 muted" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await go(page, "#/overrides");
  const card = main.getByRole("article").filter({ hasText: "demo/web" });
  await card
    .getByRole("listitem")
    .filter({ hasText: /^\/workers 2 .*7 muted$/ })
    .waitFor();
  await card
    .getByRole("listitem")
    .filter({ hasText: /^\/location westeurope .*northeurope\s*$/ })
    .waitFor();
  expect((await story.typed("why demo/web")).out).toMatch(/\n {2}workers: declared 2, in the cloud 7 \(muted\)\n/);
  expect((await story.typed("overrides")).out).toContain("2, 1 muted");
  await operator.liveSystems.deploy(at, definition as never).then(story.ended);
  await story.demo.byHand({ parameters: { location: "westeurope" } });
  await giveBack(story.demo);
  expect(wrong).toEqual([]);
}, 60_000);

test("a take-over whose end by its tags is past was due to end, on the board and its page", async (context) => {
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
  await story.demo.byHand({ tags: { "platform-owner": "ada", "platform-until": tomorrow } });
  const { page, main } = await story.opened(context, `#/component/${story.demo.componentId}`);
  const said = main.getByRole("region", { name: "Override" });
  await said
    .getByText(/due to end in .+/)
    .first()
    .waitFor();
  await twoDaysLater(page);
  await page.reload();
  await said
    .getByText(/was due to end .+ ago/)
    .first()
    .waitFor();
  await go(page, "#/overrides");
  const promised = main.getByRole("article").getByText(/^was due to end .+ ago$/);
  await promised.waitFor();
  await giveBack(story.demo);
}, 60_000);

test("an event of a permission says which one, and for whom", async (context) => {
  const { id: organizationId } = await story.server.operator.organizations.create({ name: "Bakers" });
  const ada = await story.server.person("ada");
  const grant = { principalType: "Account", principalId: ada.id, permissionType: "View" } as const;
  await story.server.operator.organizations.permissions.grant({ organizationId }, grant);
  const { main } = await story.opened(context, "#/events?type=permission.granted");
  await main.getByRole("row").filter({ hasText: "Bakers, View for ada" }).waitFor();
}, 60_000);
