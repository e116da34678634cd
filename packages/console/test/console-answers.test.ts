import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { primaryButtons } from "./console-page.ts";
import { freshDemoStories, go } from "./demo-stories.ts";

const story = freshDemoStories();
const pageOf = (path: string) => `#/component/${story.demo.livesystemId}/${path}`;
const systemPage = () => `#/live-systems/${story.demo.livesystemId}`;

/** Begins a deploy with one more component. */
async function withMore(path: string, parameters: object) {
  const at = { id: story.demo.livesystemId };
  const { definition } = await story.server.operator.liveSystems.get(at);
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const one = { path, provider: "provider-a", type, parameters: { location: "westeurope", ...parameters } };
  const components = [...definition.components, one];
  return story.server.operator.liveSystems.deploy(at, { ...definition, components } as never);
}

test("a reference to an output that never existed isn't gone, and what was never created neither differs nor is corrected", async (context) => {
  const ended = await story.ended(await withMore("late", { key: { $output: "web#nosuch" } }));
  expect(ended).toMatchObject({ status: "Failed" });
  const { page, main, wrong } = await story.opened(context, pageOf("late"));
  await page.locator(".badge", { hasText: "Can't be created" }).waitFor();
  const conditions = page.getByRole("region", { name: "Conditions" });
  await conditions.getByText("Not as declared").waitFor();
  await conditions.getByText("ReferenceNotFound").waitFor();
  const trouble = page.getByRole("region", { name: "Problems" });
  await trouble.getByText("It can't be created. The resource has not been provisioned yet. web#nosuch").waitFor();
  expect(await main.textContent()).not.toMatch(/ReferenceGone|Differs from|corrected/);
  await go(page, systemPage());
  await main.locator("a.node", { hasText: "late" }).getByText("Can't be created").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("a plan tells what is taken out of a declaration, here and on the command line, and counts no change", async (context) => {
  const at = { id: story.demo.livesystemId };
  const { definition } = await story.server.operator.liveSystems.get(at);
  const [vnet, ...others] = definition.components;
  const { addressSpace: _, ...parameters } = vnet?.parameters ?? {};
  const text = JSON.stringify({ ...definition, components: [{ ...vnet, parameters }, ...others] });
  const { page, main, wrong } = await story.opened(context, systemPage());
  await page.getByLabel("Declaration (JSON or YAML)").fill(text);
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  const plan = main.getByRole("region", { name: "Plan" });
  await plan.getByText("No changes. All 2 are as declared.").waitFor();
  await plan.getByText("/addressSpace is no longer managed; the cloud keeps its value").waitFor();
  expect(wrong).toEqual([]);
  const file = join(story.server.dataDir, "less.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(text), ...at }));
  const { out } = await story.typed(`plan ${file}`);
  expect(out).toMatch(
    /demo\/network\/vnet: \/addressSpace is no longer managed; the cloud keeps its value\.\n2 unchanged\.\n$/,
  );
}, 60_000);

test("a hand-back that can't be completed can be withdrawn, on its page and on the Simulator's, where one button fits", async (context) => {
  await story.demo.byHand({ tags: {}, parameters: { location: "northeurope" } }, "network/vnet");
  const { page, main, wrong } = await story.opened(context, pageOf("network/vnet"));
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await button("Set both tags anyway").click();
  await page.locator(".badge", { hasText: "Can't be corrected" }).waitFor();
  await page.getByText("To withdraw the hand-back, take it over again.").waitFor();
  await button("Remove its tag").click();
  await page.locator(".badge", { hasText: "Taken over" }).waitFor();
  expect(await page.evaluate(primaryButtons)).toEqual(["Show the new declaration"]);

  await go(page, "#/simulator");
  const row = main.getByRole("row").filter({ has: page.locator(`a[href="${pageOf("network/vnet")}"]`) });
  const buttons = () => row.getByRole("button", { name: /^(Take over|Hand back)$/ }).allTextContents();
  await expect.poll(buttons).toEqual(["Hand back"]);
  await row.getByRole("button", { name: "Hand back" }).click();
  await expect.poll(buttons).toEqual(["Take over"]);
  await row.getByRole("button", { name: "Take over" }).click();
  await expect.poll(buttons).toEqual(["Hand back"]);
  await story.demo.byHand({ tags: { "managed-by": "platform" } }, "network/vnet");
  await page.reload();
  await expect.poll(buttons, { timeout: 5_000 }).toEqual(["Hand back"]);
  expect(wrong).toEqual([]);
}, 60_000);

test("a hand-back that waits isn't said to be by whoever took the component over", async (context) => {
  const northern = { parameters: { location: "northeurope" } };
  await story.demo.byHand({ tags: { "platform-owner": "ada" }, ...northern }, "network/vnet");
  await story.demo.byHand({ tags: { "managed-by": "platform", platform: "reconcile" } }, "network/vnet");
  const { main } = await story.opened(context, "#/events?type=component.reconcile.requested");
  const row = main.getByRole("row").filter({ hasText: "demo/network/vnet" }).first();
  await row.getByText("somebody unknown, seen by the agent").waitFor();
  await main.getByLabel("Type").fill("component.override.started");
  await row.getByText("ada, seen by the agent", { exact: true }).waitFor();
}, 60_000);

test("a declaration that nobody has touched follows the deploys of others, and a typed one is kept", async (context) => {
  const { page, main, wrong } = await story.opened(context, systemPage());
  const text = page.getByLabel("Declaration (JSON or YAML)");
  await text.waitFor();
  await story.ended(await story.begun({ addressSpace: "10.8.0.0/16" }));
  await expect.poll(() => text.inputValue()).toContain("10.8.0.0/16");
  expect(await main.getByText("another deploy").count()).toBe(0);
  await page.getByRole("button", { name: "Plan", exact: true }).waitFor();
  await text.fill((await text.inputValue()).replace("10.8.0.0/16", "10.9.0.0/16"));
  await story.ended(await story.begun({ addressSpace: "10.7.0.0/16" }));
  await main.getByText("Your text is still here.").waitFor();
  expect(await text.inputValue()).toContain("10.9.0.0/16");
  expect(wrong).toEqual([]);
}, 60_000);

test("what the agent said at a check isn't shown once it has written since", async (context) => {
  const { page, wrong } = await story.opened(context, pageOf("network/vnet"));
  const agent = page.getByRole("region", { name: "The agent" });
  await agent.getByRole("button", { name: "Check now" }).click();
  await agent.getByText("Its last write was").waitFor();
  await story.demo.byHand(
    { tags: { "managed-by": "platform" }, parameters: { addressSpace: "10.9.0.0/16" } },
    "network/vnet",
  );
  await agent.getByText("Check now shows whether a write of the agent is still running.").waitFor();
  expect(await agent.getByText("Its last write was").count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);

test("a muted difference is shown as muted, and fails no job", async (context) => {
  const at = { id: story.demo.livesystemId };
  const { definition } = await story.server.operator.liveSystems.get(at);
  const components = definition.components.map((one) => ({ ...one, muteDrift: ["addressSpace", "workers"] }));
  await story.ended(await story.server.operator.liveSystems.deploy(at, { ...definition, components } as never));
  await story.demo.byHand({ tags: {}, parameters: { addressSpace: "10.9.0.0/16" } }, "network/vnet");
  const { page, wrong } = await story.opened(context, pageOf("network/vnet"));
  await page.getByRole("table").getByText("muted", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /^Mute/ }).count()).toBe(0);
  expect(await story.typed(`drift ${at.id}`)).toMatchObject({ code: 0, out: expect.stringContaining("Muted") });
  expect(wrong).toEqual([]);
}, 60_000);

test("what somebody was about to keep isn't lost when another person hands the component back", async (context) => {
  await story.demo.byHand({ tags: {}, parameters: { addressSpace: "10.9.0.0/16" } }, "network/vnet");
  const { page, wrong } = await story.opened(context, pageOf("network/vnet"));
  await page.getByRole("button", { name: "Show the new declaration" }).click();
  await page.getByLabel("Parameters of network/vnet in the new declaration").waitFor();
  await story.demo.byHand({ tags: { "managed-by": "platform", platform: "reconcile" } }, "network/vnet");
  await page.getByText("It was handed back meanwhile").waitFor();
  expect(await page.getByLabel("Parameters that weren't deployed").inputValue()).toContain("10.9.0.0/16");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("It was handed back meanwhile").waitFor({ state: "detached" });
  expect(wrong).toEqual([]);
}, 60_000);
