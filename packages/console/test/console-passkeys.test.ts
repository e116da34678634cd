import type { CDPSession, Page } from "playwright-core";
import { expect, type TestContext, test } from "vitest";
import { freePort } from "../../adapters/test/free-port.ts";
import { withApp } from "../../core/test/builders/factors.ts";
import { personsPassword, runServer } from "../../server-express/test/running-server.ts";
import { typedLine } from "../../server-express/test/typed-line.ts";
import { axeObjections, consolesOfChromium, primaryButtons, signIn } from "./console-page.ts";

const openConsole = consolesOfChromium();
const authenticator = {
  protocol: "ctap2",
  ctap2Version: "ctap2_1",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  automaticPresenceSimulation: true,
} as const;

/** Carol's console at a name that passkeys can belong to, and a device that Chromium simulates. */
async function withDevice(context: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const server = await runServer({ PORT: String(port), LIVEPLANE_CONSOLE_URL: `${address}/`, ...settings });
  const carol = await server.person("carol");
  const { page, wrong } = await openConsole(context, address);
  const device = await page.context().newCDPSession(page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...authenticator, isUserVerified: true },
  });
  return { ...server, carol, address, page, wrong, device, authenticatorId };
}

const signOut = (page: Page) => page.getByRole("button", { name: "Sign out" });
const factorsOf = (page: Page) => page.getByRole("region", { name: "Passkeys and second factors" });

async function addPasskey(page: Page, name: string): Promise<void> {
  const factors = factorsOf(page);
  await factors.getByLabel("Name of the new passkey").fill(name);
  await factors.getByRole("button", { name: "Add a passkey" }).click();
  await factors.getByRole("cell", { name, exact: true }).waitFor();
}

async function verifyUsers(device: CDPSession, authenticatorId: string, isUserVerified: boolean): Promise<void> {
  await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
}

test("people add a passkey, sign in by it alone and after a password, and remove it", async (context) => {
  const { page, wrong, device, authenticatorId, carol } = await withDevice(context);
  await signIn(page, "carol", personsPassword);
  await carol.api.accounts.me();
  await page.getByRole("link", { name: "carol" }).click();
  const others = page.getByRole("button", { name: "End session" });
  await others.first().waitFor();
  await addPasskey(page, "Laptop");
  // A new factor ends the other sessions, and the list says so.
  await expect.poll(() => others.count()).toBe(0);
  expect(await axeObjections(page)).toEqual([]);
  expect(await page.evaluate(primaryButtons)).toEqual(["Add a passkey"]);
  await factorsOf(page).getByRole("button", { name: "Add a passkey" }).click();
  await factorsOf(page).getByText("This device already has a passkey for your account.").waitFor();
  const { credentials } = await device.send("WebAuthn.getCredentials", { authenticatorId });
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: "localhost", signCount: 1 }]);

  // By the passkey alone: no name, no password, no further factor.
  await signOut(page).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await signOut(page).waitFor();
  await page.reload();
  await signOut(page).waitFor();
  await page.getByRole("cell", { name: "passkey", exact: true }).first().waitFor();

  // As the second factor after the password.
  await signOut(page).click();
  await signIn(page, "carol", personsPassword);
  await page.getByLabel("Code of your authenticator app, or a recovery code").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await signOut(page).waitFor();

  // It is fresh enough to remove the passkey, which then signs nobody in.
  const remove = factorsOf(page).getByRole("button", { name: "Remove Laptop" });
  await remove.click();
  await remove.click();
  await factorsOf(page).getByText("Your account has no second factor.").waitFor();
  await signOut(page).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("This passkey can't sign in here.").waitFor();
  expect(wrong.filter((said) => !/401/.test(said))).toEqual([]);
}, 60_000);

test("a device that doesn't verify its user, and a copy of a passkey, sign nobody in", async (context) => {
  const { page, device, authenticatorId } = await withDevice(context);
  await signIn(page, "carol", personsPassword);
  await page.getByRole("link", { name: "carol" }).click();
  await addPasskey(page, "Laptop");
  await signOut(page).click();
  await verifyUsers(device, authenticatorId, false);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("The browser got no passkey.").waitFor();
  await verifyUsers(device, authenticatorId, true);
  const { credentials } = await device.send("WebAuthn.getCredentials", { authenticatorId });
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await signOut(page).waitFor();
  await signOut(page).click();

  // A copy from before that sign-in counts from where it was made.
  const [copied] = credentials;
  if (copied === undefined) throw new RangeError("The device has no passkey.");
  await device.send("WebAuthn.removeCredential", { authenticatorId, credentialId: copied.credentialId });
  await device.send("WebAuthn.addCredential", { authenticatorId, credential: copied });
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("This passkey can't sign in here.").waitFor();
}, 60_000);

test("a passkey is offered as the second factor only to whoever has one", async (context) => {
  const { page, carol } = await withDevice(context);
  await withApp(carol.api, Date);
  await signIn(page, "carol", personsPassword);
  await page.getByLabel("Code of your authenticator app, or a recovery code").waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.getByRole("button", { name: "Use a passkey" }).count()).toBe(0);
  await page.getByRole("button", { name: "Start again" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
}, 60_000);

test("an Admin with a passkey requires one of everybody, and whoever has none is told what to do", async (context) => {
  const { address, dataDir, page, wrong, person, carol } = await withDevice(context);
  const bob = await person("bob");
  const { id: organizationId } = await carol.api.organizations.create({ name: "Acme" });
  const grant = { principalType: "Account", principalId: bob.id, permissionType: "Edit" } as const;
  await carol.api.organizations.permissions.grant({ organizationId }, grant);
  const types = ["livesystem.mutation.failed"] as const;
  await bob.api.accounts.webhooks.create({ name: "Chat", url: "https://receiver.invalid/", types: [...types] });
  await signIn(page, "carol", personsPassword);
  const openAcme = async (of: Page) => {
    await of.getByRole("link", { name: "Access" }).first().click();
    await of.getByRole("link", { name: "Acme" }).click();
  };
  const factor = page.getByRole("region", { name: "Second factor" });
  const require = factor.getByRole("button", { name: "Require a second factor" });
  await openAcme(page);
  await require.click();
  await require.click();
  // Carol would shut herself out.
  await factor.getByRole("alert").getByText("you signed in without one").waitFor();
  await factor.getByRole("link", { name: "Your own second factors" }).click();
  await addPasskey(page, "Laptop");
  await signOut(page).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await signOut(page).waitFor();
  await openAcme(page);
  await require.click();
  await require.click();
  await factor.getByText("This organization requires a second factor.").waitFor();
  expect(await axeObjections(page)).toEqual([]);

  const other = await openConsole(context, address, { username: "bob", password: personsPassword });
  await other.page.getByRole("link", { name: "Access" }).first().click();
  await other.page.getByRole("cell", { name: "needs a second factor" }).waitFor();
  await openAcme(other.page);
  await other.page.getByRole("alert").getByText("add a passkey or an authenticator app").waitFor();
  await other.page.getByRole("link", { name: "Overview" }).click();
  await other.page.getByText("nothing of these organizations is shown: Acme.").waitFor();
  await other.page.getByRole("link", { name: "Add a second factor" }).click();
  await factorsOf(other.page).waitFor();
  // A webhook of a person gives no second factor.
  await other.page.evaluate("location.hash = '#/webhooks'");
  await other.page.getByRole("cell", { name: "leaves out Acme" }).waitFor();
  await other.page.getByRole("link", { name: "Chat" }).click();
  await other.page.getByText("Events of these organizations aren't sent: Acme.").waitFor();
  expect(await axeObjections(other.page)).toEqual([]);
  const environment = { LIVEPLANE_URL: address, LIVEPLANE_TOKEN: bob.token };
  const listed = await typedLine("accounts webhooks list", { folder: dataDir, environment });
  expect(listed.out).toMatch(/LEAVES OUT.*\n.*Chat +Active +Acme/);
  // Whoever has no environment is led to making one.
  await other.page.evaluate("location.hash = '#/live-systems/new'");
  await other.page.getByText("First create an environment").waitFor();
  await other.page.getByRole("link", { name: "Create an environment" }).click();
  await other.page.getByText("New environment").waitFor();
  expect([...wrong, ...other.wrong].filter((said) => !/40[13]/.test(said))).toEqual([]);
}, 60_000);

test("a person of whom the server requires a second factor is told so everywhere, adds one, and comes in with it", async (context) => {
  const { page } = await withDevice(context, { LIVEPLANE_SECOND_FACTOR: "everybody" });
  await signIn(page, "carol", personsPassword);
  await page.getByRole("alert").getByText("This server requires a second factor").first().waitFor();
  await page.getByRole("link", { name: "carol" }).click();
  await addPasskey(page, "Laptop");
  await signOut(page).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await signOut(page).waitFor();
  expect(await page.getByText("This server requires a second factor").count()).toBe(0);
}, 60_000);

test("at an address that isn't the console's there is no sign-in by passkey that works", async (context) => {
  const { url, page, device, authenticatorId } = await withDevice(context);
  await page.goto(url.replace("localhost", "127.0.0.1"));
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("The browser got no passkey.").waitFor();
  expect((await device.send("WebAuthn.getCredentials", { authenticatorId })).credentials).toEqual([]);
}, 60_000);
