import { readFileSync } from "node:fs";
import { waitForMutation } from "@liveplane/client";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { createDemo } from "../../server-express/src/demo.ts";
import {
  type EndableServer,
  operatorPassword,
  personsPassword,
  request,
  startServer,
} from "../../server-express/test/running-server.ts";
import { consolesOfChromium, signIn } from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let operatorId = "";
let livesystemId = "";

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_REVEAL: "on" });
  operatorId = (await server.operator.accounts.me()).id;
  livesystemId = (await createDemo(server.liveplane, operatorId, AbortSignal.timeout(20_000))).livesystemId;
}, 60_000);
afterAll(() => server.end());

/** The console with somebody signed in to it. */
async function enter(context: TestContext, username = "operator", password = operatorPassword) {
  const { page, wrong } = await openConsole(context, server.url);
  await page.evaluate(axe.source);
  await signIn(page, username, password);
  await page.getByText("Sign out").waitFor();
  return { page, wrong };
}

/** Goes to a page by its address, which loads nothing anew. */
async function go(page: Page, hash: string, seen: string) {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByText(seen).first().waitFor();
}

/** What axe objects to, dark and light. */
async function objections(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const run = "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)";
    const violations = (await page.evaluate(run)) as { id: string; nodes: { html: string }[] }[];
    found.push(...violations.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)]));
  }
  return found;
}

/** Sets what goes wrong in the simulated Azure. */
async function goWrong(faults: object) {
  const { accessToken: token } = await server.operator.sessions.create({
    username: "operator",
    password: operatorPassword,
  });
  const { status } = await request(`${server.url}/simulator/provider-a/faults`, { method: "PUT", json: faults, token });
  expect(status).toBe(200);
}

test("a declaration is planned, refused at its place, deployed, and its failure told in the cloud's words", async (context) => {
  const { page, wrong } = await enter(context);
  await go(page, "#/live-systems", "Deployed");
  expect(await objections(page)).toEqual([]);
  await page.getByRole("link", { name: "demo" }).first().click();
  const graph = page.getByRole("region", { name: "Components" });
  await graph.getByRole("link", { name: "web as declared Microsoft.Web/sites needs network/vnet" }).waitFor();
  const editor = page.getByLabel("The declaration, as JSON");
  const text = await editor.inputValue();

  await editor.fill(text.replace('"Microsoft.Web/sites@2024-04-01"', '"Nothing"'));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("button", { name: "line 23" }).click();
  expect(await page.evaluate("getSelection().toString()")).toBe('"Nothing"');

  await editor.fill(text.replace('"workers": 2', '"workers": 7'));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByText("1 would change, 1 stay as they are.").waitFor();
  await page.getByRole("cell", { name: "/workers 2 7" }).waitFor();
  expect(await objections(page)).toEqual([]);
  await goWrong({ slow: { takesMs: 1, fails: { code: "QuotaExceeded", message: "There is no more of it." } } });
  await page.getByRole("button", { name: "Deploy this" }).click();
  const failure = page.locator(".mutation .notice").first();
  await failure.getByText("The cloud says: QuotaExceeded There is no more of it.").waitFor({ timeout: 20_000 });
  await failure.getByText("What to do:").waitFor();
  await failure.getByRole("link", { name: "web" }).waitFor();
  expect(await objections(page)).toEqual([]);
  await goWrong({});
  expect(wrong).toEqual([]);
}, 60_000);

test("whoever edits what somebody else has deployed meanwhile is told what changed, and loses nothing", async (context) => {
  const { page, wrong } = await enter(context);
  await go(page, `#/live-systems/${livesystemId}`, "What was done");
  const editor = page.getByLabel("The declaration, as JSON");
  const mine = (await editor.inputValue()).replace("westeurope", "northeurope");
  await editor.fill(mine);
  const { definition } = await server.operator.liveSystems.get({ id: livesystemId });
  const theirs = await server.operator.liveSystems.deploy(
    { id: livesystemId },
    { ...definition, description: "theirs" },
  );
  await waitForMutation(server.operator, theirs, { intervalMs: 50 });
  await page.getByText("Somebody else has deployed since you began to edit.").waitFor();
  await page.getByText("Changed: description").waitFor();
  expect(await editor.inputValue()).toBe(mine);
  await page.getByRole("button", { name: "Begin anew with theirs" }).click();
  expect(await editor.inputValue()).toContain("theirs");
  expect(wrong).toEqual([]);
}, 60_000);

test("a secret shows when it is asked for, for as long as it is looked at; each event shows, and can be taken away", async (context) => {
  const canary = "canary-that-sings-5150";
  const place = { type: "Personal", ownerId: operatorId, shortName: "demo" } as const;
  await server.operator.environments.secrets.create(place, { shortName: "db", value: canary });
  const { page, wrong } = await enter(context);
  await go(page, "#/environments", "Azure: done");
  expect(await objections(page)).toEqual([]);
  await page.getByRole("link", { name: "demo" }).click();
  await page.getByText("Creates the storage account for state").waitFor();
  const reveal = page.getByRole("button", { name: "Reveal db" });
  await reveal.focus();
  await page.keyboard.press("Enter");
  await page.getByText("That you looked is recorded.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Reveal db");
  expect(await page.content()).not.toContain(canary);
  await page.keyboard.press("Enter");
  await page.getByText(canary).waitFor();
  expect(await objections(page)).toEqual([]);
  await page.getByRole("button", { name: "Hide it" }).click();
  await reveal.waitFor();
  const kept =
    "JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, history.state])";
  expect(`${await page.content()} ${await page.evaluate(kept)}`).not.toContain(canary);

  await page.getByText("Sign in by another device").click();
  await page.getByRole("button", { name: "Get a code" }).click();
  await page.getByText("Waiting for you on the other device.").waitFor();
  const code = (await page.locator(".code").textContent()) ?? "";
  await go(page, "#/events?type=secret.", "secret.revealed");
  await server.operator.environments.secrets.create(place, { shortName: "later", value: canary });
  await page.getByText("demo/secrets/later").waitFor();
  expect(await objections(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as JSON lines" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8");
  const types = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(["secret.created", "secret.revealed", "secret.created"]);
  expect(lines).not.toContain(canary);
  expect(code).toMatch(/^[A-Z0-9-]+$/);
  expect(wrong).toEqual([]);
}, 60_000);

test("operators see why somebody may what they may, how the agent does, and take over in a simulated cloud", async (context) => {
  const { operator } = server;
  const ada = await server.person("ada");
  const { id: organizationId } = await operator.organizations.create({ name: "Acme" });
  const team = await operator.organizations.teams.upsert({ organizationId }, { shortName: "core" });
  const view = { permissionType: "View" } as const;
  const core = { organizationId, shortName: "core" };
  await operator.organizations.teams.permissions.grant(core, {
    ...view,
    principalType: "Account",
    principalId: ada.id,
  });
  await operator.organizations.permissions.grant(
    { organizationId },
    { ...view, principalType: "Team", principalId: team.principalId },
  );
  const { page, wrong } = await enter(context);
  await go(page, "#/access", "Your plan");
  await page.getByRole("link", { name: "Acme" }).click();
  const why = page.getByRole("region", { name: "Why may they?" });
  await why.getByRole("combobox", { name: "Who" }).selectOption({ label: "ada" });
  await why.getByRole("button", { name: "Explain" }).click();
  await why.getByText("View on the organization: ada → team core").waitFor();
  expect(await objections(page)).toEqual([]);

  await go(page, "#/simulator", "Take over");
  const row = page.getByRole("row").filter({ hasText: "Microsoft.Web/sites" }).first();
  await row.getByRole("button", { name: "Take over" }).click();
  await row.getByRole("button", { name: "Hand back" }).waitFor();
  await page.getByText("What goes wrong").first().click();
  await page.getByRole("combobox", { name: "Reads", exact: true }).first().selectOption("late");
  await page.getByRole("button", { name: "Set" }).first().click();
  await page.getByText("What goes wrong: read").waitFor();
  expect(await objections(page)).toEqual([]);
  await page.getByRole("button", { name: "Nothing goes wrong" }).click();

  await go(page, "#/agent", "store: ready");
  await page.getByRole("rowheader", { name: "Azure" }).first().waitFor();
  expect(await objections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("whoever may only look sees no button that would fail, nothing of others, and names as they are written", async (context) => {
  const { api: owner } = await server.person("eve");
  const name = '<img src="x" onerror="alert(1)">';
  const bob = await server.person("bob");
  const { id: organizationId } = await owner.organizations.create({ name });
  const environmentId = { type: "Organizational", ownerId: organizationId, shortName: "live" } as const;
  await owner.environments.create(environmentId, { name });
  await owner.liveSystems.create({ name, environmentId, components: [] });
  const grant = { principalType: "Account", principalId: bob.id, permissionType: "View" } as const;
  await owner.organizations.permissions.grant({ organizationId }, grant);
  const { page, wrong } = await enter(context, "bob", personsPassword);
  const lookOnly = "You may look at this, and not change it.";
  const buttons = () => page.getByRole("main").getByRole("button").allTextContents();
  await go(page, "#/live-systems", name);
  await page.getByRole("link", { name }).click();
  await page.getByText(lookOnly).waitFor();
  expect(await buttons()).toEqual([]);
  await go(page, `#/environments/Organizational/${organizationId}/live`, lookOnly);
  expect((await buttons()).filter((text) => text !== "Ask the cloud")).toEqual([]);
  await go(page, `#/access/${organizationId}`, lookOnly);
  expect(await buttons()).toEqual(["Explain"]);
  await go(page, `#/live-systems/${livesystemId}`, "There is nothing here that you may see.");
  expect(await page.getByRole("link", { name: "Simulator" }).count()).toBe(0);
  expect(await page.locator("main img").count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);
