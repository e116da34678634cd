import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { type EndableServer, startServer } from "../../server-express/test/running-server.ts";
import {
  axeObjections,
  consolesOfChromium,
  type Demo,
  giveBack,
  signIn,
  theOperator,
  withDemo,
} from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let demo: Demo;
let operatorId: string;
/** The folder that the server's mails are written to. */
let mails: string;

beforeAll(async () => {
  mails = mkdtempSync(join(tmpdir(), "liveplane-mails-"));
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2", LIVEPLANE_MAIL: `dir:${mails}` });
  demo = await withDemo(server);
  operatorId = (await server.operator.accounts.me()).id;
}, 60_000);
afterAll(async () => {
  await server.end();
  rmSync(mails, { recursive: true });
});

/** Somebody who finds things by what is on the screen, begins at the board, and counts each click. */
async function visitor(context: TestContext) {
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  let clicks = 0;
  const main = page.getByRole("main");
  return {
    page,
    wrong,
    clicks: () => clicks,
    async go(name: string) {
      clicks += 1;
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    },
    async link(name: string | RegExp) {
      clicks += 1;
      await main
        .getByRole("link", { name, exact: typeof name === "string" })
        .first()
        .click();
    },
    async press(name: string, within = "") {
      clicks += 1;
      const place = within === "" ? main : main.getByRole("region", { name: within });
      await place.getByRole("button", { name, exact: true }).first().click();
    },
    async open(summary: string, within: string) {
      clicks += 1;
      await main.getByRole("region", { name: within }).getByText(summary, { exact: true }).click();
    },
    /** A click into the field, and typing. */
    async type(label: string, text: string, within = "") {
      clicks += 1;
      const place = within === "" ? main : main.getByRole("region", { name: within });
      const field = place.getByLabel(label).first();
      await field.click();
      await field.fill(text);
    },
    /** Opens a list and picks from it: two clicks. */
    async pick(label: string, option: string, within: string) {
      clicks += 2;
      await main.getByRole("region", { name: within }).getByLabel(label).selectOption(option);
    },
    sees: (text: string | RegExp) => main.getByText(text).first().waitFor(),
  };
}

/** Another person's browser, where nobody is signed in yet. */
async function stranger(context: TestContext): Promise<Page> {
  return (await openConsole(context, server.url)).page;
}

test("an operator invites two people within five clicks each, and both get in", async (context) => {
  const operator = await visitor(context);
  await operator.go("People");
  await operator.open("Invite somebody", "Invite somebody");
  await operator.type("E-mail address or user name", "grace");
  await operator.press("Invite");
  await operator.sees("Tell grace this one-time password");
  expect(operator.clicks()).toBeLessThanOrEqual(5);
  const password = (await operator.page.locator(".copy-line code").textContent()) ?? "";
  await operator.page.getByRole("cell", { name: "grace" }).first().waitFor();
  expect(await axeObjections(operator.page)).toEqual([]);
  const grace = await stranger(context);
  await signIn(grace, "grace", password);
  await grace.getByLabel("New password").fill("a phrase that grace remembers");
  await grace.getByRole("button", { name: "Set password and continue" }).click();
  await grace.getByText("Sign out", { exact: true }).waitFor();

  const before = operator.clicks();
  await operator.go("People");
  await operator.type("E-mail address or user name", "ada@example.com");
  await operator.press("Invite");
  await operator.sees("ada@example.com gets a mail");
  expect(operator.clicks() - before).toBeLessThanOrEqual(5);
  await operator.page.getByRole("row", { name: "ada@example.com" }).getByText("invited").waitFor();
  await expect.poll(() => readdirSync(mails).filter((name) => name.endsWith(".json")).length).toBe(1);
  const mail = JSON.parse(readFileSync(join(mails, readdirSync(mails)[0] ?? ""), "utf8")) as { challenge: string };
  const ada = await stranger(context);
  await ada.getByRole("button", { name: "I have a code from a mail" }).click();
  await ada.getByLabel("Code from the mail").fill(mail.challenge);
  await ada.getByLabel("New password").fill("a phrase that ada remembers");
  await ada.getByRole("button", { name: "Set the password" }).click();
  await ada.getByText("Your password is set.").waitFor();
  await signIn(ada, "ada@example.com", "a phrase that ada remembers");
  await ada.getByText("Sign out", { exact: true }).waitFor();

  const sent = new Set(readdirSync(mails));
  const other = await stranger(context);
  const forgets = async (address: string) => {
    await other.getByRole("button", { name: "Forgot your password?" }).click();
    const alone = other.getByText("No code can be sent to an account that has only a user name.");
    expect(await alone.textContent()).toMatch(/\. Ask the people who run this server for a one-time password\.$/);
    await other.getByLabel("E-mail address of your account").fill(address);
    await other.getByRole("button", { name: "Send a code" }).click();
    return other.getByText("If an active account has this address").textContent();
  };
  const said = await forgets("nobody@example.com");
  expect(await forgets("ada@example.com")).toBe(said);
  expect(await axeObjections(other)).toEqual([]);
  const unread = () => readdirSync(mails).filter((name) => name.endsWith(".json") && !sent.has(name));
  const challenges = () => unread().map((name) => JSON.parse(readFileSync(join(mails, name), "utf8")).challenge);
  await expect.poll(challenges).toEqual([expect.any(String)]);
  await other.getByLabel("Code from the mail").fill(` ${challenges()[0]} `);
  await other.getByLabel("New password").fill("another phrase of the same ada");
  await other.getByRole("button", { name: "Set the password" }).click();
  await other.getByText("Your password is set. Sign in with it.").waitFor();
  await signIn(other, "ada@example.com", "another phrase of the same ada");
  await other.getByText("Sign out", { exact: true }).waitFor();
  await signIn(ada, "ada@example.com", "another phrase of the same ada");
  await ada.getByText("Sign out", { exact: true }).waitFor();
  expect(operator.wrong).toEqual([]);
}, 60_000);

test("an operator removes somebody, who can't sign in any more", async (context) => {
  await server.person("gone");
  const { go, page } = await visitor(context);
  await go("People");
  await page.getByRole("button", { name: "Remove gone" }).click();
  await page.getByRole("row", { name: "gone" }).getByRole("button", { name: "Remove gone" }).click();
  await page.getByRole("cell", { name: "gone", exact: true }).first().waitFor({ state: "detached" });
  const other = await stranger(context);
  await signIn(other, "gone", "correct horse battery");
  await other.getByRole("alert").waitFor();
}, 60_000);

test("a team with a member, by name, and a grant takes at most eight clicks; its members and grants are shown and revoked", async (context) => {
  await server.person("mary");
  const { go, link, type, press, open, sees, page, clicks, wrong } = await visitor(context);
  await go("Access");
  await open("New organization", "New organization");
  await type("Name", "Acme");
  await press("Create");
  await page.getByRole("heading", { name: "Acme" }).waitFor();
  const organizationId = new URL(page.url()).hash.match(/access\/([\w-]+)/)?.[1] ?? "";
  await type("Short name", "core", "Teams");
  await press("Add the team");
  await page.getByRole("heading", { name: "core" }).waitFor();
  await open("New grant", "What the team may do");
  await press("Grant", "What the team may do");
  await page
    .getByRole("region", { name: "What the team may do" })
    .getByRole("cell", { name: "View", exact: true })
    .waitFor();
  expect(clicks()).toBeLessThanOrEqual(8);
  await open("Add somebody", "Members");
  await sees("Members have every permission of the team.");
  await type("Name or e-mail", "mary", "Members");
  await press("Add");
  await page.getByRole("region", { name: "Members" }).getByRole("cell", { name: "mary", exact: true }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await type("Name or e-mail", "nobody at all", "Members");
  await press("Add");
  await sees('Nobody called "nobody at all" is known here.');

  await link("Acme");
  const members = page.getByRole("region", { name: "Members" });
  await members.getByRole("cell", { name: "core (team)" }).first().waitFor();
  await members.getByRole("row", { name: "mary" }).getByRole("button", { name: "Remove mary" }).click();
  await members.getByRole("row", { name: "mary" }).getByRole("button", { name: "Remove mary" }).click();
  await members.getByRole("row", { name: "mary" }).waitFor({ state: "detached" });
  await open("Add somebody", "Members");
  await type("Name or e-mail", "new@example.com", "Members");
  await press("Add", "Members");
  await members.getByRole("row", { name: "new@example.com" }).getByText("invited, not here yet").waitFor();
  const left = (await server.operator.organizations.teams.permissions.list({ organizationId, shortName: "core" }))
    .items;
  expect(left.map(({ name }) => name)).toEqual(["operator"]);
  expect(wrong).toEqual([]);
}, 60_000);

test("an environment is made and initialized within ten clicks; in a simulated cloud the values are there", async (context) => {
  const { go, type, press, open, sees, page, clicks, wrong } = await visitor(context);
  await go("Environments");
  await open("New environment", "New environment");
  await type("Short name", "staging");
  await press("Create");
  await sees("Initialization in Azure");
  await open("Initialize", "Initialization in Azure");
  await sees("This cloud is simulated.");
  await press("Start", "Initialization in Azure");
  await page.getByRole("region", { name: "Initialization in Azure" }).getByRole("status").getByText("done").waitFor();
  expect(clicks()).toBeLessThanOrEqual(10);
  await open("Initialize", "Initialization in Google Cloud");
  await press("Start", "Initialization in Google Cloud");
  await page
    .getByRole("region", { name: "Initialization in Google Cloud" })
    .getByRole("status")
    .getByText("done")
    .waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("the initialization's form marks what it needs, and says what is wrong once, at the field, without headers or pointers", async (context) => {
  const place = { type: "Personal", ownerId: operatorId, shortName: "faulty" } as const;
  await server.operator.environments.create(place, {});
  const { page, wrong } = await openConsole(context, server.url, theOperator);
  await page.evaluate(`location.hash = "#/environments/Personal/${operatorId}/faulty"`);
  const azure = page.getByRole("region", { name: "Initialization in Azure" });
  await azure.getByText("Initialize", { exact: true }).click();
  const form = azure.locator("form").filter({ hasText: "Start" });
  const subscription = form.getByLabel("Subscription");
  expect(await subscription.evaluate((input: HTMLInputElement) => input.required)).toBe(true);
  await subscription.fill("not an id");
  await form.getByLabel("Client secret").fill("");
  await form.getByRole("button", { name: "Start" }).click();
  await expect.poll(() => form.locator("[aria-invalid]").count()).toBeGreaterThan(0);
  await expect.poll(() => page.evaluate("document.activeElement.hasAttribute('aria-invalid')")).toBe(true);
  await subscription.fill(crypto.randomUUID());
  await form.getByRole("button", { name: "Start" }).click();
  await form.locator(".field").filter({ hasText: "Client secret" }).getByText("Enter a value.").waitFor();
  expect(await form.locator(".fault").count()).toBe(1);
  expect(await azure.textContent()).not.toMatch(/X-Provider|#\/|providerA/);
  expect(await form.getByRole("alert").count()).toBe(0);
  expect(await axeObjections(page)).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("plan takes three clicks, a first deploy six, a hand-back three, keeping four, and finding who holds what two", async (context) => {
  const { byHand } = demo;
  const planner = await visitor(context);
  await planner.go("Live systems");
  await planner.link("demo");
  await planner.press("Plan");
  await planner.sees("No changes. All 2 are as declared.");
  expect(planner.clicks()).toBeLessThanOrEqual(3);

  const deployer = await visitor(context);
  await deployer.go("Live systems");
  await deployer.link("New live system");
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const components = [{ path: "net", provider: "provider-a", type, parameters: { location: "westeurope" } }];
  const empty = await deployer.page.getByLabel("Declaration (JSON or YAML)").inputValue();
  await deployer.type("Declaration (JSON or YAML)", JSON.stringify({ ...JSON.parse(empty), name: "shop", components }));
  await deployer.press("Plan");
  await deployer.press("Create and deploy");
  await deployer.sees("Deployed");
  expect(deployer.clicks()).toBeLessThanOrEqual(6);

  await byHand({ tags: { "platform-owner": "ada" } });
  await byHand({ parameters: { workers: 5 } });
  const finder = await visitor(context);
  await finder.sees("demo/web");
  await finder.sees("ada");
  expect(finder.clicks()).toBeLessThanOrEqual(2);

  const keeper = await visitor(context);
  await keeper.link("demo/web");
  await keeper.press("Show the new declaration");
  await keeper.press("Plan");
  await keeper.press("Deploy");
  await keeper.sees("The changes are in the declaration. Nothing differs any more.");
  expect(keeper.clicks()).toBeLessThanOrEqual(4);

  const giver = await visitor(context);
  await giver.link("demo/web");
  await giver.press("Set both tags");
  await giver.sees("Handed back. The agent manages it again, and nothing differs.");
  expect(giver.clicks()).toBeLessThanOrEqual(3);
  await giveBack(demo);
}, 90_000);
