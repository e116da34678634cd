import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EndableServer, startServer } from "../../server-express/test/running-server.ts";
import { axeObjections, consolesOfChromium, theOperator, withDemo } from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
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
  await main.getByLabel("E-mail address or user name").fill("eve@example.com");
  await main.getByRole("button", { name: "Invite" }).click();
  await main.getByText("the mail is in its log").waitFor();

  // Permissions say what they allow.
  await go(page, "#/access");
  await main.getByLabel("New organization").fill("Acme");
  await main.getByRole("button", { name: "Create" }).click();
  await region("Members").getByLabel("Name or e-mail").fill("bob");
  await region("Members").getByLabel("Permission").selectOption({ label: "Terminate: delete" });
  await region("Members").getByRole("button", { name: "Add" }).click();
  await main.getByRole("row", { name: "bob" }).getByText("Terminate, View").waitFor();

  // A live system that is begun in an environment is declared in it, with a component to start from.
  await go(page, "#/environments");
  await main.getByLabel("Short name").fill("production");
  await main.getByLabel("Owner").selectOption({ label: "Acme" });
  await main.getByRole("button", { name: "Create" }).click();
  const azure = region("Initialization in Azure");
  await azure.getByText("Initialize", { exact: true }).click();
  await azure.getByRole("button", { name: "Start" }).click();
  await azure.getByText("Initialize again").waitFor();
  const secrets = region("Secrets");
  await secrets.getByLabel("Name of the secret").fill("db-password");
  await secrets.getByLabel("Value").fill("a secret value");
  await secrets.getByRole("button", { name: "Add the secret" }).click();
  await main.getByRole("cell", { name: "db-password", exact: true }).waitFor();

  // A service account is called by what people wrote, and its ID says what it is for.
  const accounts = region("Service accounts");
  await accounts.getByLabel("Description").fill("release pipeline");
  await accounts.getByRole("button", { name: "Assign the role" }).click();
  await accounts.getByText("release pipeline Client ID").waitFor();
  await accounts.getByRole("button", { name: "Remove release pipeline" }).waitFor();

  await main.getByRole("link", { name: "Live systems" }).click();
  await main.getByRole("link", { name: "New live system" }).click();
  const text = main.getByLabel("Declaration as JSON");
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
  const jobs = { ...site, path: "jobs", parameters: { location: "westeurope", plan: { $output: "files#nothing" } } };
  await text.fill(JSON.stringify({ ...declaration, name: "shop", components: [storage, jobs] }));

  // What is created has nothing before it, and a hidden value says so.
  await main.getByRole("button", { name: "Plan" }).click();
  const planned = await region("Plan").textContent();
  expect(planned).toMatch(/accessKey +\(hidden\)/);
  expect(planned).not.toMatch(/nothing|redacted/);

  // What can't be created says why, and offers no hand-over of what isn't there.
  await main.getByRole("button", { name: "Create and deploy" }).click();
  await main.getByText("files#nothing, which /parameters/plan refers to, does not exist.").first().waitFor();
  await main.getByRole("link", { name: "jobs" }).first().click();
  const trouble = region("Problems");
  await trouble.getByText("files#nothing, which /parameters/plan refers to, does not exist.").waitFor();
  await trouble.getByRole("link", { name: "files" }).waitFor();
  expect(await main.getByRole("button", { name: "Remove its tag" }).count()).toBe(0);

  // Only what is taken over can be handed back, in the simulator too.
  await go(page, "#/simulator");
  const web = main.getByRole("row").filter({ hasText: "web-" });
  await web.getByRole("button", { name: "Take over" }).click();
  await web.getByRole("button", { name: "Hand back" }).waitFor();
  expect(await main.getByRole("button", { name: "Hand back" }).count()).toBe(1);
  await web.getByRole("button", { name: "Hand back" }).click();
  await web.getByRole("button", { name: "Take over" }).waitFor();

  // Events about plans say whose they are.
  await go(page, "#/events");
  await main.getByRole("row").filter({ hasText: "subscription.updated" }).getByText("plan of bob").waitFor();
  const subjects = await main.locator('td[data-column="Subject"]').allTextContents();
  expect(subjects.join("\n")).not.toMatch(anyId);
  expect(wrong).toEqual([]);
}, 90_000);
