import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import {
  type EndableServer,
  type Person,
  personsPassword,
  startServer,
} from "../../server-express/test/running-server.ts";
import { axeObjections, consolesOfChromium, theOperator } from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let ada: Person;
let bob: Person;
let organizationId: string;
const place = (shortName: string) => ({ type: "Organizational", ownerId: organizationId, shortName }) as const;
const granted = (principalId: string) => ({ principalType: "Account", principalId, permissionType: "View" }) as const;

beforeAll(async () => {
  server = await startServer();
  ada = await server.person("ada");
  bob = await server.person("bob");
  const { organizations } = server.operator;
  organizationId = (await organizations.create({ name: "Acme" })).id;
  const at = { organizationId };
  await organizations.permissions.grant(at, { ...granted(ada.id), permissionType: "Edit" });
  await ada.api.organizations.teams.upsert(at, { shortName: "dev" });
  await organizations.teams.upsert(at, { shortName: "quiet" });
  await organizations.teams.permissions.grant({ ...at, shortName: "quiet" }, granted(bob.id));
}, 60_000);
afterAll(() => server.end());

async function opened(context: TestContext, hash: string, username?: string) {
  const who = username === undefined ? theOperator : { username, password: personsPassword };
  const console = await openConsole(context, server.url, who);
  await go(console.page, hash);
  return { ...console, main: console.page.getByRole("main") };
}
const go = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

test("the Admin of a team who isn't the organization's adds and revokes its members, and renames both", async (context) => {
  const { page, main, wrong } = await opened(context, `#/access/${organizationId}/team/dev`, "ada");
  const members = main.getByRole("region", { name: "Members" });
  await members.getByText("Add somebody").click();
  await members.getByLabel("Name or e-mail").fill(bob.id);
  await members.getByRole("button", { name: "Add", exact: true }).click();
  await members.getByRole("cell", { name: "bob", exact: true }).waitFor();
  // What the team may do is the organization's to grant.
  expect(await main.getByText("New grant").count()).toBe(0);
  await members.getByRole("button", { name: "Revoke View bob" }).click();
  await members.getByRole("button", { name: "Revoke View bob" }).click();
  await members.getByRole("cell", { name: "bob", exact: true }).waitFor({ state: "detached" });
  for (const name of ["Developers", "Acme Works"]) {
    await main.getByText("Change the name").click();
    await main.getByRole("region", { name: "Change the name" }).getByLabel("Name").fill(name);
    expect(await axeObjections(page)).toEqual([]);
    await main.getByRole("button", { name: "Rename" }).click();
    await main.getByRole("heading", { name }).waitFor();
    await go(page, `#/access/${organizationId}`);
    await main.getByRole("link", { name: "Developers" }).waitFor();
  }
  await server.operator.organizations.update({ organizationId, name: "Acme" });
  expect(wrong).toEqual([]);
}, 60_000);

test("whoever is in a team that is Admin of another one chooses the members of that", async (context) => {
  const { teams } = server.operator.organizations;
  const at = { organizationId };
  const leads = await teams.upsert(at, { shortName: "leads" });
  await teams.upsert(at, { shortName: "led" });
  const carol = await server.person("carol");
  await teams.permissions.grant({ ...at, shortName: "leads" }, granted(carol.id));
  const asTeam = { principalType: "Team", principalId: leads.principalId, permissionType: "Admin" } as const;
  await teams.permissions.grant({ ...at, shortName: "led" }, asTeam);
  const { main } = await opened(context, `#/access/${organizationId}/team/led`, "carol");
  const members = main.getByRole("region", { name: "Members" });
  await members.getByText("Add somebody").click();
  await members.getByLabel("Name or e-mail").fill(bob.id);
  await members.getByRole("button", { name: "Add", exact: true }).click();
  await members.getByRole("cell", { name: "bob", exact: true }).waitFor();
}, 60_000);

test("whoever is in a team alone finds it on Access, and sees its members", async (context) => {
  const { page, main, wrong } = await opened(context, "#/access", "bob");
  const row = main.getByRole("row").filter({ hasText: "you see only what you were granted in it" });
  await row.getByRole("link", { name: "quiet" }).click();
  await main.getByRole("heading", { name: "quiet" }).waitFor();
  await main.getByRole("cell", { name: "bob", exact: true }).waitFor();
  await main.getByText("Acme").waitFor();
  expect(await main.getByRole("button").count()).toBe(0);
  expect(await main.getByText("Not found").count()).toBe(0);
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("what somebody may no longer see leaves their page within a minute, though no event tells them", async (context) => {
  const at = { organizationId, shortName: "backend" };
  await server.operator.organizations.resourceGroups.upsert(at, {});
  await server.operator.organizations.resourceGroups.permissions.grant(at, granted(bob.id));
  const resourceGroups = [`Organizational/${organizationId}/backend`];
  await server.operator.environments.create(place("lent"), { resourceGroups });
  const { page, main } = await opened(context, `#/environments/Organizational/${organizationId}/lent`, "bob");
  await page.clock.install();
  await page.reload();
  await main.getByRole("heading", { name: "lent" }).waitFor();
  await server.operator.environments.update(place("lent"), { resourceGroups: [] });
  await page.clock.fastForward(30_000);
  // An event of their own keeps the page live.
  await bob.api.accounts.update({ name: "Bob" });
  await page.getByText("Bob", { exact: true }).first().waitFor();
  await main.getByRole("heading", { name: "lent" }).waitFor();
  await page.clock.fastForward(31_000);
  await main.getByText("Not found.").waitFor({ timeout: 5_000 });
  expect(await main.getByRole("heading", { name: "lent" }).count()).toBe(0);
}, 60_000);

test("the environments name their owner anew after it is renamed, and their Admins in one sentence", async (context) => {
  await server.operator.environments.create(place("prod"), {});
  const { page, main } = await opened(context, "#/environments");
  const row = main.getByRole("row", { name: "prod" });
  await row.getByText("Acme", { exact: true }).waitFor();
  await server.operator.organizations.update({ organizationId, name: "Globex" });
  await row.getByText("Globex", { exact: true }).waitFor({ timeout: 5_000 });
  await server.operator.organizations.update({ organizationId, name: "Acme" });
  await row.getByText("Acme", { exact: true }).waitFor();
  const { main: adas } = await opened(context, `#/environments/Organizational/${organizationId}/prod`, "ada");
  await adas.getByRole("link", { name: "operator" }).waitFor();
  expect((await adas.locator(".notice").allInnerTexts())[0]).toMatch(/Its Admins: operator\.$/);
  expect(await axeObjections(page)).toEqual([]);
}, 60_000);

test("live systems in environments of the same short name say whose each is", async (context) => {
  const { id: ownerId } = await server.operator.accounts.me();
  const own = { type: "Personal", ownerId, shortName: "twin" } as const;
  for (const environmentId of [own, place("twin")]) {
    await server.operator.environments.create(environmentId, {});
    await server.operator.liveSystems.create({ name: "shop", environmentId, components: [] });
  }
  await server.operator.environments.create({ ...own, shortName: "lone" }, {});
  const environmentId = { ...own, shortName: "lone" };
  await server.operator.liveSystems.create({ name: "shop", environmentId, components: [] });
  const { main } = await opened(context, "#/live-systems");
  await main.getByRole("link", { name: "twin (operator)" }).waitFor();
  await main.getByRole("link", { name: "twin (Acme)" }).waitFor();
  await main.getByRole("link", { name: "lone", exact: true }).waitFor();
}, 60_000);

test("a one-time password is shown until its person has chosen their own", async (context) => {
  const { page, main } = await opened(context, "#/people");
  await main.getByText("Invite somebody", { exact: true }).click();
  for (const name of ["grace", "mary"]) {
    await main.getByLabel("E-mail address or user name").fill(name);
    await main.getByRole("button", { name: "Invite", exact: true }).click();
    await main.getByText(`Tell ${name} this one-time password`).waitFor();
  }
  const password = (await main.locator(".copy-line code").first().textContent()) ?? "";
  const { page: graces } = await openConsole(context, server.url);
  await graces.getByLabel("User name or e-mail").fill("grace");
  await graces.getByLabel("Password", { exact: true }).fill(password);
  await graces.getByRole("button", { name: "Sign in", exact: true }).click();
  await graces.getByLabel("New password").fill("a phrase that grace remembers");
  await graces.getByRole("button", { name: "Set password and continue" }).click();
  await main.getByText("Tell grace this one-time password").waitFor({ state: "detached", timeout: 5_000 });
  await main.getByText("Tell mary this one-time password").waitFor();

  // Whoever has lost their password gets another one, and is signed out until then.
  const set = "Set a one-time password grace";
  await main.getByRole("button", { name: set }).click();
  await main.getByRole("button", { name: set }).click();
  const told = main.locator(".revealed").filter({ hasText: "Tell grace this one-time password" });
  const another = (await told.locator("code").textContent()) ?? "";
  await graces.getByLabel("User name or e-mail").fill("grace");
  await graces.getByLabel("Password", { exact: true }).fill(another);
  await graces.getByRole("button", { name: "Sign in", exact: true }).click();
  await graces.getByLabel("New password").waitFor();
  expect(await axeObjections(page)).toEqual([]);
}, 60_000);

test("an environment's Admin adds and removes its resource scopes and resource groups", async (context) => {
  await server.operator.environments.create(place("wide"), {});
  await server.operator.organizations.resourceGroups.upsert({ organizationId, shortName: "front" }, {});
  const { page, main, wrong } = await opened(context, `#/environments/Organizational/${organizationId}/wide`);
  const scopes = main.getByRole("region", { name: "Resource scopes" });
  const groups = main.getByRole("region", { name: "Resource groups" });
  const kept = async () => {
    const { resourceScopes, resourceGroups } = await server.operator.environments.get(place("wide"));
    return [...resourceScopes, ...resourceGroups];
  };
  await scopes.getByText("New resource scope").click();
  for (const typed of ["nowhere", "projects/shop-data"]) {
    await scopes.getByRole("textbox").fill(typed);
    await scopes.getByRole("button", { name: "Add", exact: true }).click();
    await (typed === "nowhere"
      ? scopes.locator(".fault")
      : scopes.getByRole("button", { name: `Remove ${typed}` })
    ).waitFor();
  }
  await groups.getByText("Add to a group").click();
  await groups.getByRole("combobox").selectOption("front");
  await groups.getByRole("button", { name: "Add", exact: true }).click();
  await groups.getByRole("button", { name: "Remove Organizational/Acme/front" }).waitFor();
  expect(await kept()).toEqual(["projects/shop-data", `Organizational/${organizationId}/front`]);
  expect(await axeObjections(page)).toEqual([]);
  for (const region of [scopes, groups]) {
    await region.getByRole("button", { name: /^Remove/ }).click();
    await region.getByRole("button", { name: /^Remove/ }).click();
    await region.getByRole("listitem").waitFor({ state: "detached" });
  }
  expect(await kept()).toEqual([]);
  const { main: adas } = await opened(context, `#/environments/Organizational/${organizationId}/wide`, "ada");
  await adas.getByText("Change the name").waitFor();
  await expect.poll(() => adas.getByRole("region", { name: /^Resource/ }).count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);
