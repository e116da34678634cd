import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { waitForInitialization, waitForMutation } from "@liveplane/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { createDemo } from "../../server-express/src/demo.ts";
import { type EndableServer, personsPassword, request, startServer } from "../../server-express/test/running-server.ts";
import {
  axeObjections,
  consolesOfChromium,
  operatorToken,
  primaryButtons,
  theOperator,
  twoDaysLater,
} from "./console-page.ts";
import { pictured } from "./pictures.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let operatorId = "";
let livesystemId = "";
let signedIn: () => Promise<string>;

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_REVEAL: "on" });
  signedIn = operatorToken(server.url);
  operatorId = (await server.operator.accounts.me()).id;
  livesystemId = (await createDemo(server.liveplane, operatorId, AbortSignal.timeout(20_000))).livesystemId;
}, 60_000);
afterAll(() => server.end());

/** The console with somebody signed in to it. */
const enter = (context: TestContext, person = theOperator) => openConsole(context, server.url, person);

/** Goes to a page by its address, which loads nothing anew. */
async function go(page: Page, hash: string, seen: string) {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByText(seen).first().waitFor();
}

/** Sets what goes wrong in the simulated Azure. */
async function goWrong(faults: object) {
  const token = await signedIn();
  const { status } = await request(`${server.url}/simulator/provider-a/faults`, { method: "PUT", json: faults, token });
  expect(status).toBe(200);
}

test("a declaration is planned, refused at its place, deployed, and its failure told in the cloud's words", async (context) => {
  const { page, wrong } = await enter(context);
  await twoDaysLater(page);
  await page.reload();
  await go(page, "#/live-systems", "in sync");
  await page.getByRole("link", { name: "demo" }).first().click();
  const graph = page.getByRole("region", { name: "Components" });
  await graph.getByRole("link", { name: "web in sync Microsoft.Web/sites needs network/vnet" }).waitFor();
  const editor = page.getByLabel("Declaration (JSON or YAML)");
  const text = await editor.inputValue();

  await editor.fill(text.replace('"Microsoft.Web/sites@2024-04-01"', '"Nothing"'));
  await page.getByRole("button", { name: "Plan", exact: true }).press("Enter");
  await page.getByRole("button", { name: "line 23" }).waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Plan");
  await page.getByRole("button", { name: "line 23" }).click();
  expect(await page.evaluate("getSelection().toString()")).toBe('"Nothing"');

  await editor.fill(text.replace('"workers": 2', '"workers": 7'));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByText("1 to change, 1 unchanged.").waitFor();
  await page.getByRole("cell", { name: "/workers 2 7" }).waitFor();
  await pictured(context, page, "console-live-system");
  expect(await axeObjections(page)).toEqual([]);
  await goWrong({ slow: { takesMs: 1, fails: { code: "QuotaExceeded", message: "There is no more of it." } } });
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  const failure = page.locator(".mutation .notice").first();
  await failure.getByText("Message from the cloud: QuotaExceeded There is no more of it.").waitFor({ timeout: 20_000 });
  await failure.getByText("If you fix it in the cloud, the agent tries again by itself.").waitFor();
  await failure.getByRole("link", { name: "web" }).waitFor();
  await pictured(context, page, "console-failed-deploy");
  expect(await axeObjections(page)).toEqual([]);
  await goWrong({});
  expect(wrong).toEqual([]);
}, 60_000);

test("a live system that isn't there yet is planned before it is deployed", async (context) => {
  const { page, wrong } = await enter(context);
  await go(page, "#/live-systems/new", "A plan shows what would be created");
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const components = [{ path: "net", provider: "provider-a", type, parameters: { location: "westeurope" } }];
  const environmentId = { type: "Personal", ownerId: operatorId, shortName: "demo" };
  await page
    .getByLabel("Declaration (JSON or YAML)")
    .fill(JSON.stringify({ name: "to be", environmentId, components }, null, 2));
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByText("1 to create.").waitFor();
  expect((await server.operator.liveSystems.list()).items.map(({ name }) => name)).not.toContain("to be");
  await page.getByRole("button", { name: "Create and deploy" }).click();
  await page.getByRole("heading", { name: "to be" }).waitFor();
  await page.getByRole("region", { name: "Components" }).getByText("in sync").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("whoever edits what somebody else has deployed meanwhile is told what changed, and loses nothing", async (context) => {
  const { page, wrong } = await enter(context);
  await go(page, `#/live-systems/${livesystemId}`, "History");
  const editor = page.getByLabel("Declaration (JSON or YAML)");
  const mine = (await editor.inputValue()).replace("westeurope", "northeurope");
  await editor.fill(mine);
  const { definition } = await server.operator.liveSystems.get({ id: livesystemId });
  const theirs = await server.operator.liveSystems.deploy(
    { id: livesystemId },
    { ...definition, description: "theirs" },
  );
  await waitForMutation(server.operator, theirs, { intervalMs: 50 });
  await page.getByText("There was another deploy since you started editing.").waitFor();
  await page.getByText("Changed: description").waitFor();
  // One way to discard and one to keep, also for a text that somebody left and came back to.
  await go(page, "#/environments", "Environments");
  await go(page, `#/live-systems/${livesystemId}`, "History");
  await page.getByText("There was another deploy since you started editing.").waitFor();
  expect(await page.locator(".editor").getByRole("button").allTextContents()).toEqual([
    "Discard mine and load theirs",
    "Keep mine and overwrite theirs",
  ]);
  await page.getByText("Choose above the text what to keep, then plan again.").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  expect(await page.evaluate(primaryButtons)).toEqual([]);
  expect(await editor.inputValue()).toBe(mine);
  await page.getByRole("button", { name: "Discard mine and load theirs" }).click();
  expect(await page.evaluate(primaryButtons)).toEqual(["Plan"]);
  expect(await editor.inputValue()).toContain("theirs");

  // The deploy of a page that hasn't heard of the other is refused, and nobody deploys by its plan again.
  await editor.fill(mine);
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  await page.getByRole("button", { name: "Deploy", exact: true }).waitFor();
  let isHeard = false;
  await page.route(/livesystems\/[^/]+$/, async (route) => {
    if (isHeard || route.request().method() !== "PUT") return route.continue();
    isHeard = true;
    const other = { ...definition, description: "theirs again" };
    const begun = await server.operator.liveSystems.deploy({ id: livesystemId }, other);
    await waitForMutation(server.operator, begun, { intervalMs: 50 });
    return route.continue();
  });
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByText("Choose above the text what to keep, then plan again.").waitFor();
  expect(await page.getByRole("region", { name: "Plan" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Deploy", exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Keep mine and overwrite theirs" }).click();
  await page.getByText("A plan shows what a deploy would do").waitFor();
  expect(await page.getByRole("region", { name: "Plan" }).count()).toBe(0);
  expect(await page.locator(".editor .failed").count()).toBe(0);
  expect(await editor.inputValue()).toBe(mine);
  expect(wrong).toEqual([]);
}, 60_000);

test("a secret shows when it is asked for, for as long as it is looked at; each event shows, and can be taken away", async (context) => {
  const canary = "canary-that-sings-5150";
  const place = { type: "Personal", ownerId: operatorId, shortName: "demo" } as const;
  await server.operator.environments.secrets.create(place, { shortName: "db", value: canary });
  const { page, wrong } = await enter(context);
  await twoDaysLater(page);
  await page.reload();
  await go(page, "#/environments", "Azure ready, Google Cloud not");
  await page.getByRole("link", { name: "demo" }).click();
  await page.getByText("Storage account for state").waitFor();
  await pictured(context, page, "console-environment");
  const reveal = page.getByRole("button", { name: "Reveal db" });
  await reveal.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Revealing it is recorded.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Reveal db");
  expect(await page.content()).not.toContain(canary);
  await page.keyboard.press("Enter");
  await page.getByText(canary).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Hide" }).click();
  await reveal.waitFor();
  const kept =
    "JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, history.state])";
  expect(`${await page.content()} ${await page.evaluate(kept)}`).not.toContain(canary);

  await go(page, "#/events?type=secret.", "secret.revealed");
  await server.operator.environments.secrets.create(place, { shortName: "later", value: canary });
  await page
    .getByRole("cell", { name: /demo.secrets.later/ })
    .first()
    .waitFor();
  await page.getByRole("cell", { name: "operator", exact: true }).first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as JSON Lines" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8");
  const types = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(["secret.created", "secret.revealed", "secret.created"]);
  expect(lines).not.toContain(canary);

  // The page's own stream ends with it, and the one of all goes on.
  const ended = page.waitForEvent("requestfailed", (asked) => asked.url().endsWith("/events"));
  await go(page, "#/access", "Your plan");
  await ended;
  await page.getByText("live", { exact: true }).waitFor({ timeout: 2_000 });
  expect(wrong).toEqual([]);
}, 60_000);

test("an environment is prepared step by step, cancelled, prepared again; people sign in by a device, and bring keys and accounts", async (context) => {
  const place = { type: "Personal", ownerId: operatorId, shortName: "fresh" } as const;
  await server.operator.environments.create(place, { name: "Fresh" });
  const canary = "canary-of-a-cloud-5151";
  const { page, wrong } = await enter(context);
  await go(page, `#/environments/Personal/${operatorId}/fresh`, "Not initialized yet.");
  const azure = page.getByRole("region", { name: "Initialization in Azure" });
  const begin = async (summary: string) => {
    await azure.getByText(summary, { exact: true }).click();
    await azure.getByLabel("Subscription").first().fill(crypto.randomUUID());
    await azure.getByLabel("Region").fill("westeurope");
    await azure.getByLabel("Client ID of a service principal").first().fill(crypto.randomUUID());
    await azure.getByLabel("Client secret").first().fill(canary);
    await azure.getByRole("button", { name: "Start" }).click();
  };
  await goWrong({ initialize: { step: null, delayMs: 60_000 } });
  await begin("Initialize");
  await azure.getByRole("status").getByText("in progress").waitFor();
  await azure.getByRole("listitem").first().getByText("in progress").waitFor();
  await azure.getByRole("button", { name: "Cancel run" }).click();
  await azure.getByRole("alert").getByText("Everything created so far stays in the cloud").waitFor();
  await azure.getByRole("button", { name: "Cancel run" }).click();
  await azure.getByRole("status").getByText("cancelled").waitFor();
  await goWrong({});
  await begin("Initialize again");
  await azure.getByRole("status").getByText("done").waitFor();
  await expect.poll(() => azure.getByRole("listitem").getByText("done").count()).toBe(4);

  await azure.getByText("Sign in on another device").click();
  await azure.getByRole("button", { name: "Get a code" }).click();
  await azure.getByText("Waiting for you on the other device.").waitFor();
  const code = (await azure.locator(".code").textContent()) ?? "";
  const other = await page.context().newPage();
  await other.goto(`${server.url}/#/simulator`);
  await other.getByText("Approve a device code").click();
  await other.getByLabel("Device code").fill(code);
  await other.getByRole("button", { name: "Approve" }).click();
  await expect.poll(() => other.getByLabel("Device code").inputValue()).toBe("");
  // A browser draws what lies behind once a second.
  await other.close();
  await azure.getByText("Signed in for up to an hour.").waitFor();

  await azure.getByText("Locations").click();
  await azure.getByLabel("Client ID of a service principal").last().fill(crypto.randomUUID());
  await azure.getByLabel("Client secret").last().fill(canary);
  await azure.getByRole("button", { name: "Load from the cloud" }).click();
  await azure.getByText("westeurope", { exact: true }).last().waitFor();

  await page.getByText("New profile").click();
  const profiles = page.getByRole("region", { name: "CI/CD profiles" });
  await profiles.getByLabel("Short name").fill("deploy");
  const { privateKey } = generateKeyPairSync("ed25519");
  const key = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  await profiles.getByLabel("SSH private key").fill(key);
  await profiles.getByRole("button", { name: "Add the profile" }).click();
  await profiles.getByRole("cell", { name: /^SHA256:/ }).waitFor();
  await profiles.getByRole("button", { name: "Make default" }).click();
  await profiles.getByRole("button", { name: "Have no default" }).click();
  await profiles.getByRole("button", { name: "Make default" }).waitFor();

  const accounts = page.getByRole("region", { name: "Service accounts" });
  // A browser says late that the form is open: whoever is typing by then isn't interrupted.
  const typingIn = await accounts.locator("details").evaluate(async (form: HTMLDetailsElement) => {
    form.open = true;
    form.querySelector<HTMLInputElement>("[name=description]")?.focus();
    await new Promise((resolve) => form.addEventListener("toggle", resolve, { once: true }));
    return document.activeElement?.getAttribute("name");
  });
  expect(typingIn).toBe("description");
  await accounts.getByLabel("Name").fill("nightly");
  await accounts.getByRole("button", { name: "Assign the role" }).click();
  await accounts.getByRole("button", { name: /^Issue a secret/ }).click();
  await accounts.getByRole("button", { name: /^Issue a secret/ }).click();
  const secret = (await accounts.locator("output").textContent()) ?? "";
  expect(secret.length).toBeGreaterThan(20);
  expect(await axeObjections(page)).toEqual([]);
  await accounts.getByRole("button", { name: "Hide" }).click();
  await accounts.getByText("expiry:").waitFor();
  await accounts.getByRole("button", { name: /^Issue a secret/ }).click();
  await accounts.getByRole("button", { name: /^Issue a secret/ }).click();
  // The second one stays until it is hidden.
  await accounts.getByText("expiry:").nth(1).waitFor();
  await accounts.getByRole("button", { name: "Hide" }).click();
  await accounts.getByText("It has two secrets, which is the most.").waitFor();
  expect(await accounts.getByRole("button", { name: /^Issue a secret/ }).count()).toBe(0);
  const left = `${await page.content()} ${page.url()} ${await page.evaluate("JSON.stringify([localStorage, sessionStorage])")}`;
  for (const hidden of [secret, canary, key.split("\n")[1] ?? key]) expect(left).not.toContain(hidden);
  expect(wrong).toEqual([]);
}, 60_000);

test("operators see why somebody may what they may, how the agent does, and take over in a simulated cloud", async (context) => {
  const { operator } = server;
  const ada = await server.person("ada");
  const { id: organizationId } = await operator.organizations.create({ name: "Acme" });
  const team = await operator.organizations.teams.upsert({ organizationId }, { shortName: "core", name: "Core" });
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
  await page.getByText("An organization counts on the plan of the person who created it").waitFor();
  await page.getByRole("link", { name: "Acme" }).click();
  await page.getByRole("region", { name: "Members" }).getByText("core (team)").first().waitFor();
  await page.getByText("No resource groups yet.").waitFor();
  const why = page.getByRole("region", { name: "Explain permissions" });
  await why.getByText("Explain permissions").click();
  await why.getByLabel("Name or e-mail").fill("ada");
  await why.getByRole("button", { name: "Explain" }).click();
  await why.getByText("View on the organization: ada → core (team)").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await why.getByLabel("Name or e-mail").fill("nobody");
  await why.getByRole("button", { name: "Explain" }).click();
  await why.getByText('Nobody called "nobody" is known here.').waitFor();
  expect(await why.getByText(/^ada has:|View on the organization/).count()).toBe(0);

  await go(page, "#/simulator", "Take over");
  const row = page.getByRole("row").filter({ hasText: "Microsoft.Web/sites" }).first();
  await row.getByRole("button", { name: "Take over" }).click();
  await row.getByRole("button", { name: "Hand back" }).waitFor();
  await page.getByText("Faults").first().click();
  await page.getByRole("combobox", { name: "Reads", exact: true }).first().selectOption("late");
  await page.getByRole("button", { name: "Set" }).first().click();
  await page.getByText("Faults: read").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Clear all faults" }).click();

  await go(page, "#/agent", "store: ready");
  await page.getByRole("rowheader", { name: "Azure" }).first().waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("an operation is found in the reference, opened with its schemas and errors, and tried with one's own session", async (context) => {
  const { page, wrong, heard } = await enter(context);
  await page.goto(`${server.url}/docs`);
  await page.getByRole("searchbox", { name: "Find" }).fill("rotate nothing");
  await page.getByText("0 operations", { exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Find" }).fill("environments.create creates an environment");
  await page.getByText("1 operation", { exact: true }).waitFor();
  await page.getByRole("link", { name: "environments.create" }).click();
  await page.getByRole("heading", { name: "environments.create" }).waitFor();
  const answers = page.getByRole("region", { name: "Responses" });
  await answers.locator("summary").getByText("Environment", { exact: true }).click();
  await answers.getByText("managementEnvironmentId").first().waitFor();
  await answers.getByText(/^Errors: /).click();
  await answers.getByRole("listitem").filter({ hasText: /^412/ }).waitFor();
  expect(await axeObjections(page)).toEqual([]);

  const form = page.getByRole("form", { name: "Try environments.create" });
  expect(await form.getByLabel(/^ownerId/).inputValue()).toBe(operatorId);
  await form.getByLabel(/^shortName/).fill("tried");
  await form.getByRole("button", { name: "Send" }).click();
  await page
    .getByRole("status")
    .getByText(/^201 Created in \d+ ms, request [\w-]{36}$/)
    .waitFor();
  expect(JSON.parse((await page.locator(".answer").textContent()) ?? "")).toMatchObject({ name: "Staging" });
  await page.locator("summary").getByText("curl", { exact: true }).click();
  const line = (await page.locator(".copy-line code").textContent()) ?? "";
  expect(line).toContain(`curl -i -X POST '${server.url}/environments/Personal/${operatorId}/tried'`);
  expect(line).toContain('-H "Authorization: Bearer $TOKEN"');
  await page.locator("summary").getByText("Response headers", { exact: true }).click();
  await page.locator("dt").getByText("x-request-id").waitFor();

  await go(page, "#/api/events.follow", "Try it");
  const events = page.getByRole("form", { name: "Try events.follow" });
  await events.getByLabel(/^after/).fill("0");
  await events.getByRole("button", { name: "Send" }).click();
  await page.locator(".answer").getByText("environment.created").first().waitFor();
  await events.getByRole("button", { name: "Stop" }).click();
  await page
    .getByRole("status")
    .getByText(/^Stopped after/)
    .waitFor();
  expect(new Set(heard.flatMap((one) => (URL.canParse(one) ? [new URL(one).origin] : [])))).toEqual(
    new Set([server.url]),
  );
  expect(wrong).toEqual([]);
}, 60_000);

test("an operator edits a simulated resource's tags and parameters as JSON; what isn't JSON is refused", async (context) => {
  const at = { id: livesystemId, componentId: `${livesystemId}/web` };
  const { components } = server.operator.liveSystems;
  const { resourceId } = await components.get(at);
  const status = async () => {
    await components.check(at);
    return (await components.get(at)).status;
  };
  const { page, wrong } = await enter(context);
  await page.goto(`${server.url}/simulator`);
  const row = page.getByRole("row").filter({ has: page.locator(`[title="${resourceId}"]`) });
  // A type's name breaks between its parts only, whatever else the row holds.
  await page.setViewportSize({ width: 1920, height: 1080 });
  const widths = `[...document.querySelectorAll("td .type")].map((type) => {
    const before = type.getClientRects().length;
    type.style.overflowWrap = "normal";
    return [before, type.getClientRects().length];
  })`;
  await row.waitFor();
  const lines = (await page.evaluate(widths)) as [number, number][];
  expect(lines.length).toBeGreaterThan(0);
  for (const [before, unbroken] of lines) expect(before).toBe(unbroken);
  await page.setViewportSize({ width: 1280, height: 720 });
  await row.getByText("Edit tags").click();
  const tags = row.getByLabel("Tags of ");
  await tags.fill("{");
  await row.getByRole("button", { name: "Save" }).first().click();
  await row.getByText("This isn't valid JSON: line 1, column 2").waitFor();
  await tags.fill('{"team": "by hand"}');
  await row.getByRole("button", { name: "Save" }).first().click();
  await row.getByText("team: by hand").waitFor();
  await row.getByText("Edit parameters").click();
  await row.getByLabel("Parameters of ").fill('{"workers": 9}');
  await row.getByRole("button", { name: "Save" }).last().click();
  await row.getByText("workers: 9").waitFor();
  await expect.poll(status, { timeout: 20_000 }).toBe("ManualOverride");
  await row.getByRole("button", { name: "Hand back" }).click();
  await expect.poll(status, { timeout: 20_000 }).toBe("Active");
  expect(wrong).toEqual([]);
}, 60_000);

test("whoever may only look sees no button that would fail, nothing of others, and names as they are written", async (context) => {
  const { api: owner } = await server.person("eve");
  const name = '<img src="x" onerror="alert(1)">';
  const bob = await server.person("bob");
  const { id: organizationId } = await owner.organizations.create({ name });
  const environmentId = { type: "Organizational", ownerId: organizationId, shortName: "live" } as const;
  await owner.environments.create(environmentId, { name });
  await owner.environments.providerA.initialize(
    environmentId,
    { subscriptionId: crypto.randomUUID(), region: "westeurope" },
    { providerAClientId: crypto.randomUUID(), providerAClientSecret: crypto.randomUUID() },
  );
  await waitForInitialization(owner, environmentId, "provider-a", { intervalMs: 100 });
  const web = {
    path: "web",
    provider: "provider-a",
    type: "Microsoft.Web/sites@2024-04-01",
    parameters: { workers: 2 },
  };
  const begun = await owner.liveSystems.create({ name, environmentId, components: [web] });
  const { livesystemId: seen } = await waitForMutation(owner, begun, { intervalMs: 50 });
  const grant = { principalType: "Account", principalId: bob.id, permissionType: "View" } as const;
  await owner.organizations.permissions.grant({ organizationId }, grant);
  const { page, wrong } = await enter(context, { username: "bob", password: personsPassword });
  const lookOnly = "You can view this but not change it.";
  const buttons = () => page.getByRole("main").getByRole("button").allTextContents();
  await go(page, "#/live-systems", name);
  await page.getByRole("link", { name }).click();
  await page.getByText(lookOnly).waitFor();
  expect(await buttons()).toEqual([]);
  for (const title of ["People", "Agent", "Simulator"]) {
    await page.evaluate(`location.hash = "#/${title.toLowerCase()}"`);
    await page.getByRole("heading", { name: title }).waitFor();
    await page.getByText("This page is for operators of the server.").waitFor();
  }
  await go(page, `#/live-systems/${seen}`, lookOnly);
  const at = { id: seen, componentId: `${seen}/web` };
  const { resourceId } = await owner.liveSystems.components.get(at);
  const patch = `${server.url}/simulator/provider-a/resources/${encodeURIComponent(resourceId ?? "")}/parameters`;
  await request(patch, { method: "PATCH", json: { workers: 9 }, token: await signedIn() });
  await request(patch.replace(/parameters$/, "tags"), { method: "PUT", json: {}, token: await signedIn() });
  await owner.liveSystems.components.check(at);
  await go(page, `#/component/${seen}/web`, "Taken over for");
  await page.getByText(lookOnly).waitFor();
  await page.getByRole("region", { name: "Differences" }).getByText("workers").waitFor();
  expect((await buttons()).filter((text) => !/^(Copy|Show writes)/.test(text))).toEqual([]);
  await go(page, `#/environments/Organizational/${organizationId}/live`, lookOnly);
  await page.getByText("Only people with the permission Admin on the environment can initialize it.").waitFor();
  await page.getByText("Its Admins: eve.").waitFor();
  await page.getByRole("main").getByRole("link", { name, exact: true }).waitFor();
  expect(await buttons()).toEqual([]);
  await owner.organizations.permissions.grant({ organizationId }, { ...grant, permissionType: "Edit" });
  await page.getByText(lookOnly).waitFor({ state: "detached" });
  expect(await page.getByText(/Sign in on another device|Locations/).count()).toBe(0);
  await owner.organizations.permissions.revoke({ organizationId }, { ...grant, permissionType: "Edit" });
  await page.getByText(lookOnly).waitFor();
  await go(page, `#/access/${organizationId}`, lookOnly);
  expect(await buttons()).toEqual([]);
  await go(
    page,
    `#/live-systems/${livesystemId}`,
    "Not found. It may have been deleted, or you may not have permission to view it.",
  );
  expect(await page.getByRole("link", { name: "Simulator" }).count()).toBe(0);
  expect(await page.locator("main img").count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);
