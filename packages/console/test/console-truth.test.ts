import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, type TestContext, test } from "vitest";
import { axeObjections } from "./console-page.ts";
import { freshDemoStories, go } from "./demo-stories.ts";

const story = freshDemoStories();
const quota = { slow: { takesMs: 1, fails: { code: "QuotaExceeded", message: "There is no more of it." } } };

async function deploy(change: (parameters: Record<string, unknown>) => object) {
  const at = { id: story.demo.livesystemId };
  const { definition } = await story.server.operator.liveSystems.get(at);
  const components = definition.components.map((one) => ({
    ...one,
    parameters: { ...one.parameters, ...change(one.parameters) },
  }));
  const begun = await story.server.operator.liveSystems.deploy(at, { ...definition, components } as typeof definition);
  return story.ended(begun);
}

const openedAt = (context: TestContext, path = "web") =>
  story.opened(context, `#/component/${story.demo.livesystemId}/${path}`);
const cellsOf = async (page: Page, name: string) =>
  page.getByRole("table").getByRole("row", { name }).getByRole("cell").allInnerTexts();

test("a component whose writes fail says so: badge, the cloud's words, both values, since when, the next try and what it blocks", async (context) => {
  const { page, wrong } = await openedAt(context);
  await page.locator(".badge", { hasText: "In sync" }).waitFor();
  await story.goWrong(quota);
  expect(await deploy(() => ({ workers: 9 }))).toMatchObject({ status: "Failed" });
  const vnet = `#/component/${story.demo.livesystemId}/network/vnet`;
  await page.getByText("Blocked by network/vnet").waitFor();
  await page.getByRole("link", { name: "network/vnet" }).first().click();
  expect(page.url()).toContain(vnet);
  await page.locator(".badge", { hasText: "Failing" }).waitFor();
  const trouble = page.getByRole("region", { name: "Problems" });
  await trouble.getByText("The cloud says: QuotaExceeded There is no more of it.").waitFor();
  await trouble.getByText(/The last (write failed|\d+ writes failed; the first was) just now\./).waitFor();
  // None is told during a write, and the end of one that fails again is no event.
  const isNextTold = async () => {
    await page.reload();
    await trouble.waitFor();
    return trouble.getByText("Next try").count();
  };
  await expect.poll(isNextTold, { timeout: 20_000 }).toBe(1);
  expect(await cellsOf(page, "workers")).toEqual(["9", "not set", "changed in the declaration"]);
  const { definition } = await story.server.operator.liveSystems.get({ id: story.demo.livesystemId });
  const file = join(story.server.dataDir, "demo.json");
  writeFileSync(file, JSON.stringify({ id: story.demo.livesystemId, ...definition }));
  const deployed = await story.typed(`deploy ${file} --wait`);
  expect(deployed.code).toBe(1);
  expect(deployed.said).toMatch(/^network\/vnet: failed \(ProvisioningFailed: There is no more of it\.\)$/m);
  expect(deployed.said).toMatch(/\ndemo\/network\/vnet ProvisioningFailed: [^\n]+$/);
  const why = await story.typed(`why ${story.demo.livesystemId}/network/vnet`);
  expect(why.out).toMatch(/^demo\/network\/vnet: Failing\n/);
  expect(why.out).toMatch(
    /failed writes: \d+ in .*\n +the cloud says: QuotaExceeded There is no more of it\.\n +next try: /,
  );
  expect((await story.typed(`why ${story.demo.componentId}`)).out).toMatch(
    /^demo\/web: Blocked\n(.*\n)* +blocked by: network\/vnet\n/,
  );
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("a component that fails by itself and waits for another says first that it fails, in every list", async (context) => {
  await story.goWrong({ write: "fail" });
  await story.demo.byHand({ parameters: { workers: 5 } });
  const at = { id: story.demo.livesystemId, componentId: `${story.demo.livesystemId}/web` };
  const shown = () => story.server.operator.liveSystems.components.get(at);
  await expect.poll(async () => (await shown()).failing?.code, { timeout: 10_000 }).toBe("ProviderError");
  const { definition } = await story.server.operator.liveSystems.get(at);
  const components = definition.components.map((one) => ({ ...one, parameters: { ...one.parameters, workers: 9 } }));
  await story.server.operator.liveSystems.deploy(at, { ...definition, components } as typeof definition);
  await expect.poll(async () => (await shown()).conditions.inSync.reason, { timeout: 10_000 }).toBe("Blocked");
  expect((await story.typed(`why ${at.componentId}`)).out).toMatch(
    /^demo\/web: Failing\n +last check: .*\n +failed writes: .*\n(.*\n)* +blocked by: network\/vnet\n/,
  );
  const { page } = await openedAt(context);
  await page.locator(".badge", { hasText: "Failing" }).waitFor();
  const trouble = page.getByRole("region", { name: "Problems" });
  await expect.poll(() => trouble.textContent()).toMatch(/The last .*fail.*Blocked by network\/vnet/);
}, 60_000);

test("a step that wasn't started names what it needs; its component's page says nothing of the agent's writes", async (context) => {
  await story.goWrong(quota);
  const at = { id: story.demo.livesystemId };
  const { definition } = await story.server.operator.liveSystems.get(at);
  const [first, ...rest] = definition.components.map((one) => ({
    ...one,
    parameters: { ...one.parameters, ...(one.path === "network/vnet" && { workers: 9 }) },
  }));
  const late = { ...first, path: "late", parameters: {}, dependsOn: ["network/vnet"] };
  const stuck = { ...first, path: "stuck", parameters: { of: { $output: "network/vnet#nothing" } }, dependsOn: [] };
  const input = { ...definition, components: [first, ...rest, late, stuck] } as typeof definition;
  expect(await story.ended(await story.server.operator.liveSystems.deploy(at, input))).toMatchObject({
    status: "Failed",
  });
  const { page } = await openedAt(context, "network/vnet");
  const dependents = page.getByRole("region", { name: "Dependents" });
  await dependents.getByText("web reads id").waitFor();
  await dependents.getByText("stuck reads nothing (there is no such output) (not created yet)").waitFor();
  expect(await dependents.getByText("unchanged").count()).toBe(0);
  await go(page, `#/component/${story.demo.livesystemId}/late`);
  await page.getByRole("heading", { name: "Depends on" }).waitFor();
  expect(await page.getByText("write of the agent").count()).toBe(0);
  await go(page, `#/live-systems/${story.demo.livesystemId}`);
  const step = page.locator(".steps li", { hasText: "late" });
  await step.getByText(/not started$/).waitFor();
  expect(await step.textContent()).toContain("needs network/vnet");
  const ends =
    "[...document.querySelectorAll('.steps .state')].map((state) => Math.round(state.getBoundingClientRect().right))";
  expect(new Set((await page.evaluate(ends)) as number[]).size).toBe(1);
  // The agent goes on by itself.
  await story.goWrong({});
  await step.getByText("as declared by now").waitFor({ state: "attached", timeout: 20_000 });
  await page.locator(".steps li", { hasText: "stuck" }).getByText("Can't be created").waitFor();
}, 60_000);

test("what was declared and never written isn't blamed on the cloud", async (context) => {
  await story.goWrong(quota);
  await deploy(({ workers }) => (workers === undefined ? {} : { workers: 7 }));
  await story.demo.byHand({ tags: {} });
  const { page } = await openedAt(context);
  await page.getByText("changed in the declaration").waitFor();
  expect(await page.getByRole("table").getByText("changed in the cloud").count()).toBe(0);
  await deploy(() => ({}));
  await page.getByText("left alone by a deploy").first().waitFor();
}, 60_000);

test("an empty note is called empty", async (context) => {
  await story.demo.byHand({ tags: {} });
  const { page } = await openedAt(context);
  await page.getByText("Add a note").click();
  await page.getByRole("button", { name: "Save note" }).click();
  await page.getByText("The note is empty.").waitFor();
}, 60_000);

test("a note that somebody is writing isn't lost when the agent stores something meanwhile", async (context) => {
  await story.demo.byHand({ tags: {} }, "network/vnet");
  const { page, wrong } = await openedAt(context, "network/vnet");
  await page.getByText("Add a note").click();
  await page.getByLabel("Reason").fill("testing the new network");
  await story.demo.byHand({ tags: {}, parameters: { addressSpace: "10.9.0.0/16" } }, "network/vnet");
  await page.getByRole("table").getByText("10.9.0.0/16").first().waitFor();
  await page.getByRole("button", { name: "Save note" }).click();
  await page.getByText("Note saved.").waitFor();
  await page.getByText("testing the new network").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("a hand-back promises nothing that can't be written, and a request for it says why at once", async (context) => {
  await story.demo.byHand(
    { tags: {}, parameters: { location: "northeurope", addressSpace: "10.1.0.0/16" } },
    "network/vnet",
  );
  const { page } = await openedAt(context, "network/vnet");
  const back = page.getByRole("region", { name: "Hand it back" });
  await back.getByText("because these can't be put back:").waitFor();
  await back.getByText("/location: location can't change once the resource exists.").waitFor();
  await back.getByText("/addressSpace 10.1.0.0/16 → 10.0.0.0/16").waitFor();
  expect(await back.getByText("northeurope →").count()).toBe(0);
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Set both tags" }).click();
  await page.locator(".badge", { hasText: "Can't be corrected" }).waitFor();
  await page.getByText("It can't be put back.").waitFor();
  await go(page, "#/overrides");
  const card = page.getByRole("article").filter({ hasText: "can't be put back, because: location can't change" });
  await card.getByText(/as of \d\d:\d\d/).waitFor();
  await story.demo.byHand({ tags: {}, parameters: { location: "westeurope" } }, "network/vnet");
}, 60_000);

test("what can't be read isn't said to be reverted by a hand-back", async (context) => {
  const { livesystemId: id, componentId } = story.demo;
  await story.demo.byHand({ tags: {}, parameters: { workers: 12 } });
  const { page } = await openedAt(context);
  const back = page.getByRole("region", { name: "Hand it back" });
  await back.getByText("Handing back reverts:").waitFor();
  await story.goWrong({ read: "fail" });
  await story.server.operator.liveSystems.components.check({ id, componentId }).catch(() => {});
  await back.getByText("A hand-back can't be planned: The resource cannot be read.").waitFor();
  expect(await back.getByText(/Handing back|→/).count()).toBe(0);
  await back.getByRole("button", { name: "Set both tags anyway" }).waitFor();
}, 60_000);

test("what can't be changed any more says what to do, on its own page and its live system's", async (context) => {
  await deploy(({ workers }) => (workers === undefined ? { location: "northeurope" } : {}));
  const { page } = await openedAt(context, "network/vnet");
  const todo = page.getByText("What to do: Declare the value that the cloud has");
  await page.getByRole("region", { name: "Problems" }).getByText("It can't be corrected.").waitFor();
  await todo.waitFor();
  // A deploy of the same declaration would fail again.
  expect(await page.getByRole("button", { name: "Deploy again" }).count()).toBe(0);
  await go(page, `#/live-systems/${story.demo.livesystemId}`);
  await page.locator(".mutation").waitFor();
  await todo.first().waitFor();
}, 60_000);

test("a missing resource is called missing everywhere, and one button creates it again, on its page and its live system's", async (context) => {
  const { operator } = story.server;
  const at = { id: story.demo.livesystemId, componentId: story.demo.componentId };
  const { resourceId } = await operator.liveSystems.components.get(at);
  const missing = async () => {
    await story.demo.byHand({ tags: {} });
    await story.simulator("DELETE", `resources/${encodeURIComponent(resourceId ?? "")}`);
    await operator.liveSystems.components.check(at);
  };
  await missing();
  const { page } = await openedAt(context);
  await page.locator(".badge", { hasText: "Missing" }).waitFor();
  expect(await page.getByRole("button", { name: "Set both tags" }).count()).toBe(0);
  await go(page, `#/simulator?resource=${encodeURIComponent(resourceId ?? "")}`);
  await page.getByText("This cloud doesn't contain that resource.").first().waitFor();
  expect(await page.getByText("No resources.").count()).toBe(0);
  await go(page, "#/overrides");
  await page.getByRole("article").getByText("The resource no longer exists.").waitFor();
  const digest = page.getByRole("complementary", { name: "All differences" });
  await expect.poll(() => digest.textContent()).not.toContain("location");
  await go(page, `#/live-systems/${story.demo.livesystemId}`);
  await page.getByRole("region", { name: "Components" }).getByText("Missing").waitFor();
  await page.getByRole("button", { name: "Deploy again" }).click();
  await page.getByRole("button", { name: "Deploy again" }).click();
  await page.getByRole("region", { name: "Components" }).getByText("Missing").waitFor({ state: "detached" });
  expect(await page.getByRole("button", { name: "Deploy again" }).count()).toBe(0);
  const deploys = await operator.liveSystems.mutations.list({ id: story.demo.livesystemId });
  const times = deploys.items.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().toReversed());
  await missing();
  await go(page, `#/component/${story.demo.componentId}`);
  await page.getByRole("button", { name: "Deploy again" }).click();
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Deploy again" }).click();
  await page.locator(".badge", { hasText: "In sync" }).waitFor();
}, 60_000);

test("a missing resource whose declaration can't be deployed isn't said to come back by a deploy", async (context) => {
  const { operator } = story.server;
  const at = { id: story.demo.livesystemId, componentId: story.demo.componentId };
  const { resourceId } = await operator.liveSystems.components.get(at);
  await story.demo.byHand({ tags: {} });
  await story.simulator("DELETE", `resources/${encodeURIComponent(resourceId ?? "")}`);
  await operator.liveSystems.components.check(at);
  expect(
    await deploy(({ workers }) => (workers === undefined ? {} : { of: { $output: "network/vnet#nothing" } })),
  ).toMatchObject({ status: "Failed" });
  const { page } = await story.opened(context);
  await go(page, `#/live-systems/${story.demo.livesystemId}`);
  await page.getByText("What to do: Correct the declaration, then deploy it.").first().waitFor();
  await page.getByRole("region", { name: "Components" }).getByText("Missing").waitFor();
  expect(await page.getByRole("button", { name: "Deploy again" }).count()).toBe(0);
}, 60_000);

test("the last look is shown though it found nothing new, and how long that is so", async (context) => {
  const { readable } = (
    await story.server.operator.liveSystems.components.get({
      id: story.demo.livesystemId,
      componentId: story.demo.componentId,
    })
  ).conditions;
  const { page } = await openedAt(context);
  await page.getByText("unchanged for").first().waitFor();
  const conditions = await page.getByRole("region", { name: "Conditions" }).textContent();
  expect(conditions).toMatch(/Can be read unchanged for .+Exists unchanged for .+As declared unchanged for/);
  const looked = page.getByRole("region", { name: "Conditions" }).getByText("Last check").locator("time");
  await expect
    .poll(
      async () => {
        await page.reload();
        return Date.parse((await looked.getAttribute("datetime")) ?? "");
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(Date.parse(readable.observedAt ?? "") + 1000);
  // Checks that find nothing new are no events: the page reads again by itself.
  await page.clock.install();
  await page.reload();
  const agent = page.getByRole("region", { name: "The agent" });
  await page.getByRole("button", { name: "Check now" }).click();
  const shown = [looked, agent.getByText("Last check").locator("time")];
  const shownAt = async () =>
    Math.min(...(await Promise.all(shown.map(async (one) => Date.parse((await one.getAttribute("datetime")) ?? "")))));
  const first = await shownAt();
  const later = () => page.clock.fastForward(61_000).then(shownAt);
  await expect.poll(later, { timeout: 20_000, interval: 500 }).toBeGreaterThan(first + 1000);
}, 60_000);

test("a page that hears nothing from the server isn't called live", async (context) => {
  const { page } = await story.opened(context);
  await page.clock.install();
  await page.reload();
  await page.getByRole("status").getByText("live", { exact: true }).waitFor();
  await page.clock.fastForward(60_000);
  await page.getByText(/as of \d\d:\d\d, reconnecting/).waitFor();
}, 60_000);

test("a card without differences says of which check that is, and the simulator offers no hand-back that can't be", async (context) => {
  await story.demo.byHand({ tags: {} });
  const { page } = await story.opened(context);
  await go(page, "#/overrides");
  // Other stories may have left one, too.
  const card = page
    .getByRole("article")
    .filter({ hasText: /demo\/web[\s\S]*No differences at the last check/ })
    .first();
  await card.waitFor();
  await card.getByText(/^as of \d\d:\d\d$/).waitFor();

  await go(page, "#/simulator");
  const rowOf = async (path: string) => {
    const at = { id: story.demo.livesystemId, componentId: `${story.demo.livesystemId}/${path}` };
    const { resourceId } = await story.server.operator.liveSystems.components.get(at);
    return page.getByRole("row").filter({ has: page.locator(`[title="${resourceId}"]`) });
  };
  await (await rowOf("web")).getByRole("button", { name: "Hand back" }).waitFor();
  expect(await (await rowOf("network/vnet")).getByRole("button", { name: "Hand back" }).count()).toBe(0);
}, 60_000);

test("a deletion says first how many resources it deletes, which it keeps and why, and what becomes of those", async (context) => {
  const { operator } = story.server;
  const at = { id: story.demo.livesystemId };
  const { definition } = await operator.liveSystems.get(at);
  const [vnet = expect.unreachable()] = definition.components.filter(({ path }) => path === "network/vnet");
  const logs = { ...vnet, path: "logs", deletionPolicy: "Retain", dependsOn: [] };
  const input = { ...definition, components: [...definition.components, logs] } as typeof definition;
  await story.ended(await operator.liveSystems.deploy(at, input));
  const { page } = await story.opened(context, `#/live-systems/${at.id}`);
  await page.getByRole("button", { name: "Delete this live system" }).click();
  const asked = page.getByRole("alert");
  await asked
    .getByText(
      "This deletes demo and the cloud resources of 2 of its 3 components. 1 is kept: logs (declared with Retain).",
    )
    .waitFor();
  await story.demo.byHand({ tags: {} });
  await asked
    .getByText(
      "This deletes demo and the cloud resource of 1 of its 3 components. 2 are kept: logs (declared with Retain), web (taken over). They stay in the cloud as they are, and nothing manages them any more.",
    )
    .waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete this live system" }).click();
  await page.getByText(/^Left in the cloud and no longer managed: (web, logs|logs, web)$/).waitFor({ timeout: 20_000 });
}, 60_000);

test("a live system that is being deleted ends as a deleted one, with a way back and nothing to press", async (context) => {
  const { page, wrong } = await story.opened(context);
  await go(page, `#/live-systems/${story.demo.livesystemId}`);
  await page.getByRole("button", { name: "Delete this live system" }).click();
  await page.getByRole("button", { name: "Delete this live system" }).click();
  const deleted = page.getByText("This live system has been deleted.");
  await deleted.waitFor({ timeout: 20_000 });
  const main = page.getByRole("main");
  await main.getByRole("heading", { name: story.declared.name }).waitFor();
  expect(await main.getByRole("button").count()).toBe(0);
  expect(await main.getByText(/Not found|Deleting|0 steps/).count()).toBe(0);
  expect(await axeObjections(page)).toEqual([]);
  await page.reload();
  await deleted.waitFor();
  await page.getByRole("link", { name: "All live systems" }).click();
  await page.getByRole("heading", { name: "Live systems" }).waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("a failed deploy that the agent has finished since needs nobody", async (context) => {
  await story.goWrong(quota);
  expect(await deploy(({ workers }) => (workers === undefined ? {} : { workers: 7 }))).toMatchObject({
    status: "Failed",
  });
  const { page } = await story.opened(context);
  await go(page, `#/live-systems/${story.demo.livesystemId}`);
  const said = page.locator(".mutation");
  await said.getByText("What to do:").waitFor();
  await story.goWrong({});
  await said.getByText("What failed is as declared by now.").waitFor({ timeout: 20_000 });
  expect(await page.getByText("What to do:").count()).toBe(0);
  // What somebody takes over afterwards has nothing to do with it.
  await story.demo.byHand({ tags: {} });
  const at = { id: story.demo.livesystemId, componentId: story.demo.componentId };
  await expect
    .poll(async () => (await story.server.operator.liveSystems.components.get(at)).status, { timeout: 20_000 })
    .toBe("ManualOverride");
  await page.reload();
  await said.getByText("What failed is as declared by now, or taken over.").waitFor();
  expect(await page.getByText("What to do:").count()).toBe(0);
  expect(await axeObjections(page)).toEqual([]);
  await go(page, "#/");
  const needy = page.getByRole("region", { name: "Needs somebody" });
  await needy.waitFor();
  expect(await needy.locator(`a[href="#/live-systems/${story.demo.livesystemId}"]`).count()).toBe(0);
}, 60_000);
