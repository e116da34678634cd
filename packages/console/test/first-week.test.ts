import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "@liveplane/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { type EndableServer, personsPassword, startServer } from "../../server-express/test/running-server.ts";
import { typedLine } from "../../server-express/test/typed-line.ts";
import { axeObjections, consolesOfChromium, theOperator, withDemo } from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;

beforeAll(async () => {
  // As the demo starts, in a folder of its own.
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2", LIVEPLANE_DEMO: "on" });
  await withDemo(server);
  await server.person("bob");
}, 60_000);
afterAll(() => server.end());

const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{8}…/;

/** What other tests of the console's tasks pass by. Each step was a place where somebody was stopped or told something untrue. */
test("the first week of an operator meets no dead end and no untrue sentence", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  const main = page.getByRole("main");
  const region = (name: string) => main.getByRole("region", { name });

  // Plans: who has which, what is used, and a change.
  await go(page, "#/people");
  await main.getByRole("link", { name: "Plans" }).click();
  const plan = main.getByRole("row", { name: "bob" });
  await plan.getByText("Discover", { exact: true }).first().waitFor();
  await plan.getByText("Change", { exact: true }).click();
  await plan.getByLabel("Plan").selectOption("Enterprise");
  await plan.getByLabel("People").fill("3");
  await plan.getByLabel("Organizations").fill("1");
  await plan.getByLabel("Valid until").fill("2099-12-31");
  expect(await axeObjections(page)).toEqual([]);
  await plan.getByRole("button", { name: "Change the plan" }).click();
  await plan.getByText("0 of 3").waitFor();
  await plan.getByText("0 of 1").waitFor();
  await go(page, "#/access");
  await main.getByRole("link", { name: "Everybody's plans" }).waitFor();

  // An invitation says where the mail is; this server has no mail server.
  await go(page, "#/people");
  await main.getByText("Invite somebody").click();
  await main.getByLabel("E-mail address or user name").fill("eve@example.com");
  await main.getByRole("button", { name: "Invite" }).click();
  await main.getByText("the code is in its log").waitFor();

  // Permissions say what they allow.
  await go(page, "#/access");
  await main.getByText("New organization").click();
  await main.getByLabel("Name").fill("Acme");
  await main.getByRole("button", { name: "Create" }).click();
  await region("Members").getByText("Add somebody").click();
  await region("Members").getByLabel("Name or e-mail").fill("bob");
  await region("Members").getByLabel("Permission").selectOption({ label: "Terminate: delete" });
  await region("Members").getByRole("button", { name: "Add" }).click();
  await main.getByRole("row", { name: "bob" }).getByText("Terminate, View").waitFor();

  // A live system that is begun in an environment is declared in it, with a component to start from.
  await go(page, "#/environments");
  await main.getByText("New environment").click();
  await main.getByLabel("Short name").fill("production");
  await main.getByLabel("Owner").selectOption({ label: "Acme" });
  await main.getByRole("button", { name: "Create" }).click();
  const azure = region("Initialization in Azure");
  await azure.getByText("Initialize", { exact: true }).click();
  await azure.getByRole("button", { name: "Start" }).click();
  await azure.getByText("Initialize again").waitFor();
  const secrets = region("Secrets");
  await secrets.getByText("New secret").click();
  await secrets.getByLabel("Name of the secret").fill("db-password");
  await secrets.getByLabel("Value").fill("a secret value");
  await secrets.getByRole("button", { name: "Add the secret" }).click();
  await main.getByRole("cell", { name: "db-password", exact: true }).waitFor();

  // A service account is called by what people wrote, and its ID says what it is for.
  const accounts = region("Service accounts");
  await accounts.getByText("New service account, or another role").click();
  await accounts.getByLabel("Name").fill("release pipeline");
  await accounts.getByRole("button", { name: "Assign the role" }).click();
  await accounts.getByText("release pipeline Client ID").waitFor();
  await accounts.getByRole("button", { name: "Remove release pipeline" }).waitFor();

  await main.getByRole("link", { name: "Live systems" }).click();
  await main.getByRole("link", { name: "New live system" }).click();
  const text = main.getByLabel("Declaration (JSON or YAML)");
  const declared = async () => JSON.parse(await text.inputValue());
  await text.waitFor();
  expect((await declared()).environmentId.shortName).toBe("production");
  await main.getByLabel("Environment").selectOption({ label: "demo (operator)" });
  await expect.poll(async () => (await declared()).environmentId.shortName).toBe("demo");
  await main.getByLabel("Environment").selectOption({ label: "production (Acme)" });
  await expect.poll(async () => (await declared()).environmentId.shortName).toBe("production");
  const declaration = await declared();
  const [storage] = declaration.components;
  storage.parameters.accessKey = { $secret: "db-password" };
  const site = { provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01" };
  const jobs = { ...site, path: "jobs", parameters: { location: "westeurope", plan: { $output: "files#absent" } } };
  await text.fill(JSON.stringify({ ...declaration, name: "shop", components: [storage, jobs] }));

  // What is created has nothing before it, and a hidden value says so.
  await main.getByRole("button", { name: "Plan" }).click();
  const planned = await region("Plan").textContent();
  expect(planned).toMatch(/accessKey +\(set, hidden\)/);
  expect(planned).not.toMatch(/nothing|redacted/);

  // What can't be created says why, and offers no hand-over of what isn't there.
  await main.getByRole("button", { name: "Create and deploy" }).click();
  await main.getByText("files#absent, which /parameters/plan refers to, does not exist.").first().waitFor();
  await main.getByRole("link", { name: "jobs" }).first().click();
  const trouble = region("Problems");
  await trouble.getByText("files#absent, which /parameters/plan refers to, does not exist.").waitFor();
  await trouble.getByText("Correct the reference in the declaration").waitFor();
  expect(await main.getByRole("button", { name: "Remove its tag" }).count()).toBe(0);

  // Only what is taken over can be handed back, in the simulator too.
  await go(page, "#/simulator");
  const web = main.getByRole("row").filter({ hasText: "web-" });
  await web.getByRole("button", { name: "Take over" }).click();
  await web.getByRole("button", { name: "Hand back" }).waitFor();
  expect(await main.getByRole("button", { name: "Hand back" }).count()).toBe(1);
  // The button names who pressed it.
  await go(page, "#/overrides");
  await main.getByRole("article").filter({ hasText: "demo/web" }).locator(".holder").getByText("operator").waitFor();
  await go(page, "#/simulator");
  await web.getByRole("button", { name: "Hand back" }).click();
  await web.getByRole("button", { name: "Take over" }).waitFor();

  // Events about plans say whose they are.
  await go(page, "#/events");
  await main.getByRole("row").filter({ hasText: "subscription.updated" }).getByText("plan of bob").waitFor();
  const subjects = await main.locator('td[data-column="Subject"]').allTextContents();
  expect(subjects.join("\n")).not.toMatch(anyId);
  expect(wrong).toEqual([]);
}, 90_000);

test("a declaration may be pasted as YAML, as it is for the command line; its mistakes say where they are", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  const main = page.getByRole("main");
  await go(page, "#/live-systems/new");
  const text = main.getByLabel("Declaration (JSON or YAML)");
  for (const [typed, said] of [
    ["name: [pasted", "This isn't valid YAML: line 1, column 14: The closing ] is missing, or isn't indented."],
    ['{\n  "components": [ }\n}', "This isn't valid JSON: line 2, column 19: The closing ] is missing."],
    ["", "This isn't a declaration in JSON or YAML."],
  ] as const) {
    await text.fill(typed);
    await main.getByRole("button", { name: "Plan" }).click();
    await main.getByRole("alert").getByText(said).waitFor();
  }
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  await text.fill(`# The network.
name: pasted
environmentId: { type: Personal, ownerId: me, shortName: demo }
components:
  - { path: net, provider: provider-z, type: ${type}, parameters: { location: westeurope } }
`);
  await main.getByRole("button", { name: "Plan" }).click();
  await main.getByRole("alert").getByText("#/components/0/provider").waitFor();
  const created = async () => (await server.operator.liveSystems.list()).items.map(({ name }) => name);
  expect(await created()).not.toContain("pasted");
  await text.fill((await text.inputValue()).replace("provider-z", "provider-a"));
  await main.getByRole("button", { name: "Plan" }).click();
  await main.getByRole("region", { name: "Plan" }).getByText("/location").waitFor();
  expect(JSON.parse(await text.inputValue())).toMatchObject({ name: "pasted", components: [{ path: "net", type }] });
  expect(await created()).not.toContain("pasted");
  expect(wrong).toEqual([]);
}, 60_000);

test("a pipeline plans, and a program reads, with what the screen shows of their service account", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  const main = page.getByRole("main");
  await go(page, "#/environments");
  await main.getByRole("link", { name: "demo" }).first().click();
  const accounts = main.getByRole("region", { name: "Service accounts" });
  await accounts.getByText("New service account, or another role").click();
  await accounts.getByLabel("Role").selectOption({ label: "CiCd: plan and deploy" });
  await accounts.getByLabel("Name").fill("pull requests");
  await accounts.getByRole("button", { name: "Assign the role" }).click();
  const row = accounts.getByRole("row", { name: "pull requests" });
  const clientId = (await row.locator("code").textContent()) ?? "";
  await row.getByRole("button", { name: "Issue a secret" }).click();
  await row.getByRole("button", { name: "Issue a secret" }).click();
  const clientSecret = (await row.locator("output").textContent()) ?? "";
  await accounts.getByText("LIVEPLANE_URL, LIVEPLANE_CLIENT_ID and LIVEPLANE_CLIENT_SECRET").waitFor();

  const signedIn = { LIVEPLANE_URL: server.url, LIVEPLANE_CLIENT_ID: clientId, LIVEPLANE_CLIENT_SECRET: clientSecret };
  const { id: ownerId } = await server.operator.accounts.me();
  const folder = emptyFolder();
  const file = join(folder, "system.yaml");
  writeFileSync(
    file,
    `name: from-ci
environmentId: { type: Personal, ownerId: me, shortName: demo }
components:
  - { path: files, provider: provider-a, type: Microsoft.Storage/storageAccounts@2023-05-01, parameters: { location: westeurope } }
  - { path: web, provider: provider-a, type: Microsoft.Web/sites@2024-04-01, parameters: { files: { $output: "files#id" } } }
`,
  );
  const planned = () => typedLine(`plan ${file}`, { folder, environment: signedIn });
  // A person's file says "me", which a pipeline isn't.
  const told = { code: 2, said: expect.stringContaining(`Write ${ownerId} instead`) };
  expect(await planned()).toMatchObject(told);
  expect(await typedLine("secrets run Personal/me/demo -- true", { folder, environment: signedIn })).toMatchObject(
    told,
  );
  writeFileSync(file, readFileSync(file, "utf8").replace("ownerId: me", `ownerId: ${ownerId}`));
  const plan = await planned();
  expect(plan).toMatchObject({
    code: 0,
    said: "The live system is new.",
    out: expect.stringContaining("\n2 to create"),
  });
  expect(plan.out).toMatch(/^web +create +\/files +– +\{"\$output":"files#id"\}$/m);
  const own = createClient({ baseUrl: server.url, credentials: { clientId, clientSecret } });
  expect((await own.liveSystems.list()).items.map(({ name }) => name)).toContain("demo");
  expect(wrong).toEqual([]);
}, 60_000);

/** Starts the command line's receiver on a free port, and reads its lines. */
async function startReceiver() {
  const bin = fileURLToPath(new URL("../../client/src/cli/bin.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", bin, "receive", "--port", "0"]);
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGINT");
    await once(child, "exit");
  });
  const received: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => void received.push(line));
  const [said] = (await once(createInterface({ input: child.stderr }), "line")) as [string];
  return { received, address: /http:\S+\//.exec(said)?.[0] ?? "" };
}

test("a webhook reaches a program on this machine; its page says what was answered, and sends again", async (context) => {
  const { received, address } = await startReceiver();
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  const main = page.getByRole("main");
  await go(page, "#/events");
  await main.getByRole("link", { name: "Send them elsewhere (webhooks)" }).click();
  await main.getByText("No webhooks yet.").waitFor();
  await main.getByText("New webhook", { exact: true }).click();
  const guide = await main.getByRole("link", { name: "Guide to webhooks" }).getAttribute("href");
  expect(guide).toMatch(/\/docs\/how-to\/webhooks\.md#where-messages-may-go$/);
  await main.getByLabel("Name").fill("laptop");
  await main.getByLabel("Address").fill("http://10.0.0.7/hook");
  await main.getByRole("button", { name: "Create the webhook" }).click();
  await main
    .locator(".field")
    .filter({ hasText: "Address" })
    .getByText("It must be https, unless the operators of this server allow its origin.")
    .waitFor();
  await main.getByLabel("Address").fill(`${address}hook`);
  expect(await axeObjections(page)).toEqual([]);
  await main.getByRole("button", { name: "Create the webhook" }).click();
  await main.getByText("The secret that signs the messages of laptop.").waitFor();
  const secret = (await main.locator(".copy-line code").textContent()) ?? "";
  expect(secret).toMatch(/^whsec_/);
  await go(page, "#/events");
  await main.getByRole("row").filter({ hasText: "webhook.created" }).getByText("laptop (webhook)").waitFor();
  await go(page, "#/webhooks");
  await main.getByRole("link", { name: "laptop" }).click();

  await main.getByRole("button", { name: "Send a test" }).click();
  const deliveries = main.getByRole("region", { name: "Deliveries" });
  await deliveries.getByRole("row", { name: "test" }).getByText("answered 204").waitFor();
  const created = deliveries.getByRole("row", { name: "webhook.created" });
  await created.getByText("delivered").waitFor();
  await expect.poll(() => received.join("\n")).toMatch(/webhook\.test/);
  const count = received.length;
  await created.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("status").getByText("It is being sent again.").waitFor();
  await expect.poll(() => received.length).toBe(count + 1);
  expect(await axeObjections(page)).toEqual([]);
  expect(await page.content()).not.toContain(secret);

  await main.getByRole("button", { name: "Issue a new secret" }).click();
  await main.getByRole("button", { name: "Issue a new secret" }).click();
  await main.locator(".copy-line code").getByText("whsec_").waitFor();
  await main.getByRole("button", { name: "Hide" }).click();
  await main.getByRole("button", { name: "Delete the webhook" }).click();
  await main.getByRole("button", { name: "Delete the webhook" }).click();
  await main.getByText("No webhooks yet.").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("a receiver that answers 410 pauses an organization's webhook; the page says so, and resumes it", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  const { operator } = server;
  const { id: organizationId } = await operator.organizations.create({ name: "Hooked" });
  const status = { now: 410 };
  const receiver = createServer((_request, response) => response.writeHead(status.now).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void receiver.close());
  await once(receiver, "listening");
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { id } = await operator.organizations.webhooks.create({ organizationId }, { name: "team", url });
  const main = page.getByRole("main");
  await go(page, "#/webhooks");
  await main.getByRole("row", { name: "team" }).getByText("Hooked").waitFor();
  await main.getByRole("link", { name: "team" }).click();
  await main.getByText("It was paused, because its receiver answered 410.").waitFor();
  status.now = 204;
  await main.getByRole("button", { name: "Resume" }).click();
  await main.locator(".state").getByText("active").waitFor();
  await main.getByRole("cell", { name: "delivered" }).first().waitFor();
  expect((await operator.organizations.webhooks.get({ organizationId, webhookId: id })).status).toBe("Active");
  status.now = 404;
  await operator.organizations.update({ organizationId, name: "Unhooked" });
  await main.locator(".state").getByText("started failing just now").waitFor();
  const waiting = main.getByRole("row").filter({ hasText: "waiting" });
  await waiting.getByText("answered 404").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await go(page, "#/webhooks");
  await main.getByRole("row", { name: "team" }).getByText("started failing").waitFor();

  // Once the receiver is mended, nobody has to wait for the next try.
  await main.getByRole("link", { name: "team" }).click();
  status.now = 204;
  await waiting.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("status").getByText("It is being sent again.").waitFor();
  const sent = main.getByRole("row", { name: "organization.updated" });
  // A try by itself would be the second attempt.
  await sent.getByRole("cell", { name: "answered 204", exact: true }).waitFor();
  await main.locator(".state").getByText("active").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("people change their name and their password, see what was done, and find the words and keys", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, { username: "bob", password: personsPassword });
  const main = page.getByRole("main");
  await go(page, "#/account");
  await main.getByText("Change your name").click();
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("name");
  await main.getByLabel("First name").fill("Bob");
  await main.getByLabel("Last name").fill("Builder");
  await main.getByRole("button", { name: "Save the name" }).click();
  await page.getByRole("status").getByText("Your name is changed.").waitFor();
  await page.getByRole("link", { name: "Bob Builder" }).waitFor();

  await main.getByText("Change your password").click();
  await main.getByLabel("Current password").fill("not my password at all");
  await main.getByLabel("New password").fill("a phrase that bob remembers");
  await main.getByRole("button", { name: "Save the password" }).click();
  await main.locator(".field").filter({ hasText: "Current password" }).getByText("This isn't your current").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await main.getByLabel("Current password").fill(personsPassword);
  await main.getByRole("button", { name: "Save the password" }).click();
  await page.getByRole("status").getByText("Your password is changed.").waitFor();
  const bob = { username: "bob", password: "a phrase that bob remembers" };
  await createClient({ baseUrl: server.url }).sessions.create(bob);

  await page.getByRole("link", { name: "Help" }).click();
  await main.getByText("Somebody removed the management tag.").waitFor();
  await main.getByText("Ctrl K").waitFor();
  expect(await main.getByRole("link", { name: "Deploy from a pipeline" }).getAttribute("href")).toMatch(/ci\.md$/);
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);
