import { expect, test } from "vitest";
import { axeObjections, primaryButtons } from "./console-page.ts";
import { freshDemoStories, go } from "./demo-stories.ts";

const story = freshDemoStories();
const pageOf = (path: string) => `#/component/${story.demo.livesystemId}/${path}`;
const systemPage = () => `#/live-systems/${story.demo.livesystemId}`;

/** Somebody moves the network by hand, which nothing can undo, and changes what can be. */
async function moveByHand() {
  const parameters = { location: "northeurope", addressSpace: "10.1.0.0/16" };
  await story.demo.byHand({ tags: { "platform-owner": "ada" }, parameters }, "network/vnet");
}

test("what can't be handed back offers to keep the changes first, and a hand-back only with the reason", async (context) => {
  await moveByHand();
  const { page, wrong } = await story.opened(context, pageOf("network/vnet"));
  const back = page.getByRole("region", { name: "Hand it back" });
  await back.getByText("The hand-back can't be completed, because these can't be put back:").waitFor();
  await back.getByText("/location: location can't change once the resource exists.").waitFor();
  await back.getByText("/addressSpace 10.1.0.0/16 → 10.0.0.0/16").waitFor();
  expect(await page.locator(".ways h2").allTextContents()).toEqual(["Keep the changes", "Hand it back"]);
  expect(await page.evaluate(primaryButtons)).toEqual(["Show the new declaration"]);
  await back.getByRole("button", { name: "Set both tags anyway" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  // What can be put back is handed back as before.
  await story.demo.byHand({ tags: {} }, "web");
  await go(page, pageOf("web"));
  await page.getByRole("button", { name: "Set both tags", exact: true }).waitFor();
  expect(await page.evaluate(primaryButtons)).toEqual(["Set both tags"]);
  expect(await page.locator(".ways h2").allTextContents()).toEqual(["Hand it back", "Keep the changes"]);
  expect(wrong).toEqual([]);
}, 60_000);

test("a hand-back that was requested and can't be completed says so, and keeping the changes completes it", async (context) => {
  await moveByHand();
  const { page, wrong } = await story.opened(context, pageOf("network/vnet"));
  await page.getByRole("button", { name: "Set both tags anyway" }).click();
  await page.locator(".badge", { hasText: "Can't be corrected" }).waitFor();
  const agent = page.getByRole("region", { name: "The agent" });
  await agent.getByText("The agent has seen both tags, and can't complete the hand-back.").waitFor();
  expect(await agent.textContent()).not.toMatch(/let go|Waiting/);
  await agent.getByText("No write of the agent is running.").waitFor();
  const back = page.getByRole("region", { name: "Hand it back" });
  await back.getByText("Both tags are set.").waitFor();
  expect(await page.getByRole("button", { name: "Set both tags" }).count()).toBe(0);
  const waits = page.getByRole("button", { name: "Wait for the agent" });
  for (const button of [waits, page.getByRole("button", { name: "Check now" })])
    await expect.poll(() => button.isEnabled()).toBe(true);
  await waits.click();
  await expect.poll(() => waits.isEnabled()).toBe(true);
  const holding = page.getByRole("region", { name: "Override" });
  await holding.getByText("both tags are set; its hand-back is requested").waitFor();
  await holding.getByText("Tags at take-over").waitFor();
  const trouble = page.getByRole("region", { name: "Problems" });
  await trouble.getByText("What to do: Declare the value that the cloud has").waitFor();
  await trouble.getByText("Keep the changes").waitFor();
  expect(await page.evaluate(primaryButtons)).toEqual(["Show the new declaration"]);
  expect(await axeObjections(page)).toEqual([]);

  expect(await story.ended(await story.begun())).toMatchObject({ status: "Failed", error: { code: "Conflict" } });
  await go(page, systemPage());
  const said = page.locator(".mutation");
  await said.getByText("The hand-back did not complete.").waitFor();
  await said.getByText("What to do:").waitFor();
  expect(await page.getByText("What failed is as declared by now").count()).toBe(0);

  await go(page, pageOf("network/vnet"));
  for (const name of ["Show the new declaration", "Plan", "Deploy"])
    await page.getByRole("button", { name, exact: true }).click();
  await page.locator(".badge", { hasText: "In sync" }).waitFor({ timeout: 20_000 });
  expect(wrong).toEqual([]);
}, 60_000);

test("a wait for the agent says for which tags, and can be stopped and begun again", async (context) => {
  await story.demo.byHand({ tags: {} });
  const { page, main, wrong } = await story.opened(context, pageOf("web"));
  const wait = main.getByRole("button", { name: "Wait for the agent" });
  const waiting = main.getByText("Waiting for the agent to see managed-by=platform and platform=reconcile …");
  await wait.click();
  await waiting.waitFor();
  expect(await wait.isEnabled()).toBe(false);
  expect(await axeObjections(page)).toEqual([]);
  await main.getByRole("button", { name: "Stop waiting" }).click();
  await waiting.waitFor({ state: "detached" });
  const look = main.getByRole("button", { name: "Check now" });
  expect(await look.evaluate((button) => button === document.activeElement)).toBe(true);
  // The server tells no more of the wait, and answers again when it is asked.
  const checked = page.waitForResponse(/\/check$/);
  await look.click();
  expect((await checked).status()).toBe(200);
  await wait.click();
  await waiting.waitFor();
  await story.demo.byHand({ tags: { "managed-by": "platform", platform: "reconcile" } });
  await main.getByText("Handed back.").waitFor();
  await wait.click();
  await main.getByText("Waiting for the agent to see that managed-by is removed …").waitFor();
  await main.getByRole("button", { name: "Stop waiting" }).click();
  expect(wrong).toEqual([]);
}, 60_000);

test("a deploy that a newer one replaced didn't fail, and no list shows it in red", async (context) => {
  await story.goWrong({ slow: { takesMs: 3_000 } });
  const first = await story.begun({ workers: 4 });
  const { mutations } = story.server.operator.liveSystems;
  await expect
    .poll(async () => (await mutations.get({ id: story.demo.livesystemId, mutationId: first.id })).status)
    .toBe("Running");
  const second = await story.begun({ workers: 5 });
  expect(await story.ended(second)).toMatchObject({ status: "Succeeded" });
  expect(await story.ended(first)).toMatchObject({ status: "Failed", error: { code: "Superseded" } });
  const { page, wrong } = await story.opened(context, systemPage());
  const row = page.getByRole("region", { name: "History" }).getByRole("row").filter({ hasText: "Replaced by" });
  await row.getByText("○ Replaced by a newer deploy or deletion").waitFor();
  expect(await row.locator(".failed, .bad").count()).toBe(0);
  expect(await page.getByText("The deploy failed").count()).toBe(0);
  await go(page, pageOf("web"));
  const history = page.getByRole("region", { name: "History" });
  await history.getByText("deploy replaced by a newer one").waitFor();
  expect(await history.getByText(/failed|mutation/).count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);

test("while reads fail, a component isn't said to exist now, and the page says that the agent reads again", async (context) => {
  await story.goWrong({ read: "fail", bulk: "fail" });
  const at = { id: story.demo.livesystemId, componentId: `${story.demo.livesystemId}/web` };
  const { get } = story.server.operator.liveSystems.components;
  await expect.poll(async () => (await get(at)).conditions.readable.value, { timeout: 20_000 }).toBe(false);
  const { page, wrong } = await story.opened(context, pageOf("web"));
  const conditions = page.getByRole("region", { name: "Conditions" });
  await conditions.getByText("Existed when it was last read").waitFor();
  const { exists } = (await get(at)).conditions;
  const read = conditions.getByRole("listitem").filter({ hasText: "Existed" }).locator("time");
  expect(await read.getAttribute("datetime")).toBe(exists.observedAt);
  await conditions.getByText("The resource could not be read. The agent tries again at each check.").waitFor();
  expect(await conditions.getByText("Exists", { exact: true }).count()).toBe(0);
  const why = await story.typed(`why ${at.componentId}`);
  expect(why.out).toMatch(/\n {2}readable: no .*\n {2}exists: yes when last read, .+ ago\n/);
  expect(wrong).toEqual([]);
}, 60_000);

test("who reads an output in two places is named once, and at 1280 pixels no value is broken within a word", async (context) => {
  const hosts = ["first", { $output: "network/vnet#id" }];
  expect(await story.ended(await story.begun({ hosts, numberOfWorkers: 2 }, "web"))).toMatchObject({
    status: "Succeeded",
  });
  const { page, wrong } = await story.opened(context, pageOf("network/vnet"));
  const dependents = page.getByRole("region", { name: "Dependents" });
  await dependents.getByText("web reads id").waitFor();
  expect(await dependents.getByRole("listitem").count()).toBe(1);
  await go(page, pageOf("web"));
  await page.setViewportSize({ width: 1280, height: 720 });
  const table = page.getByRole("region", { name: /declared values/ }).getByRole("table");
  await table.getByRole("row", { name: "/hosts" }).waitFor();
  const brokenWords = await table.locator("tbody :is(th code, td.small)").evaluateAll(
    (cells) =>
      cells.filter((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
        return lines > (cell.textContent ?? "").split(" ").length;
      }).length,
  );
  expect(brokenWords).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);

test("on a phone the form for a service account fits", async (context) => {
  const { id } = await story.server.operator.accounts.me();
  const { page, wrong } = await story.opened(context, `#/environments/Personal/${id}/demo`);
  await page.setViewportSize({ width: 375, height: 812 });
  await page.getByText("New service account, or another role").click();
  await page.getByRole("combobox", { name: "Role" }).waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
  expect(wrong).toEqual([]);
}, 60_000);

test("a resource that is gone and can't be created again is said to be gone, and not that its parameters were emptied", async (context) => {
  await story.goWrong({ write: "fail" });
  const at = { id: story.demo.livesystemId, componentId: `${story.demo.livesystemId}/network/vnet` };
  const { resourceId } = await story.server.operator.liveSystems.components.get(at);
  await story.simulator("DELETE", `resources/${encodeURIComponent(resourceId ?? "")}`);
  await story.server.operator.liveSystems.components.check(at);
  const { page, main, wrong } = await story.opened(context, pageOf("network/vnet"));
  await page.locator(".badge", { hasText: "Failing" }).waitFor({ timeout: 20_000 });
  await main.getByText("The resource no longer exists.").waitFor();
  expect(await main.getByText("The resource no longer exists.").count()).toBe(1);
  expect(await main.textContent()).not.toMatch(/changed in the cloud|not set|No differences/);
  expect(await main.getByRole("button", { name: "Mute" }).count()).toBe(0);
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);
