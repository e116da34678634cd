import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Api, createClient } from "@liveplane/client";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { authenticatorApp } from "../../core/test/builders/factors.ts";
import { createDemo } from "../../server-express/src/demo.ts";
import { personsPassword, runServer } from "../../server-express/test/running-server.ts";
import { signInWorld } from "../../server-express/test/sign-in-world.ts";
import {
  axeObjections,
  consolesOfChromium,
  keptInBrowser,
  primaryButtons,
  signIn,
  theOperator,
} from "./console-page.ts";

const openConsole = consolesOfChromium();

const ownPassword = "quite a long passphrase of mine";
const none = "No live systems yet.";

test("people sign in at a provider of their own, come back, stay signed in, and link whoever else they are there", async (context) => {
  const { server, provider } = await signInWorld({ LIVEPLANE_OIDC_PROVISION: "verified-email" });
  provider.people.ada = { email: "ada@example.com", email_verified: true };
  const { page, wrong, heard } = await openConsole(context, server.url);
  await page.getByRole("link", { name: "Sign in at your organization's provider" }).click();
  await page.getByText(none).waitFor();
  await page.reload();
  await page.getByText(none).waitFor();
  expect(page.url()).toBe(`${server.url}/`);

  // Back from the provider they are where they were.
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.evaluate("location.hash = '#/events?type=session.'");
  await page.getByRole("link", { name: "Sign in at your organization's provider" }).click();
  await page.getByRole("heading", { name: "Events" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/events?type=session.");
  // Whoever signed out identifies themselves there anew.
  const starts = heard.filter((address) => address.includes("/auth/oidc/start"));
  expect(starts.map((address) => new URL(address).searchParams.get("fresh"))).toEqual([null, "1"]);
  expect(await keptInBrowser(page)).toEqual([0, 0, ""]);

  await page.getByRole("link", { name: "ada@example.com" }).click();
  await page
    .getByRole("cell", { name: /^Chrome on / })
    .first()
    .waitFor();
  const identities = page.getByRole("region", { name: "Linked identities" });
  await identities.getByRole("cell", { name: "ada@example.com", exact: true }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  expect(await page.evaluate(primaryButtons)).toEqual(["Add an authenticator app"]);
  await identities.getByRole("button", { name: "Unlink ada@example.com" }).click();
  await identities.getByRole("button", { name: "Unlink ada@example.com" }).click();
  await identities.getByText("This identity is the account's only way to sign in. Set a password first.").waitFor();
  // It has no password that could be changed. A mailed code sets the first one.
  const password = page.getByRole("region", { name: "Password" });
  await password.getByText("Your account has no password.").waitFor();
  expect(await password.getByText("Change your password").count()).toBe(0);
  await password.getByRole("button", { name: "Send a code to ada@example.com" }).click();
  await page.getByRole("status").getByText("a mail with a code is on its way").waitFor();
  // Somebody else sits down at the provider: it has forgotten who was there.
  await page.context().clearCookies({ name: /^_session/ });
  provider.who = "grace";
  provider.people.grace = { email: "grace@example.com", email_verified: true };
  await identities.getByRole("button", { name: "Link an identity" }).click();
  await page.getByRole("heading", { name: "Link this identity to this account?" }).waitFor();
  expect(await page.getByRole("main").textContent()).toMatch(/grace@example\.com.*ada@example\.com/s);
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Link them" }).click();
  await identities.getByRole("cell", { name: "grace@example.com", exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/account");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const refusal = identities.getByText("This needs a sign-in within the last ten minutes.");
  const linkAgain = async () => {
    await identities.getByRole("button", { name: "Link an identity" }).click();
    return refusal.count();
  };
  await expect.poll(linkAgain, { interval: 200 }).toBe(1);
  await identities.getByRole("button", { name: "Sign in again" }).click();
  const atProvider = page.getByRole("link", { name: "Sign in at your organization's provider" });
  expect(await atProvider.getAttribute("href")).toContain("fresh=1");
  expect(heard.filter((said) => said.includes("#code="))).toEqual([]);
  expect(wrong).toEqual([]);
}, 60_000);

test("a link that a program prints is confirmed in the browser, which then goes to the program", async (context) => {
  const { server, provider, program } = await signInWorld();
  const bob = await server.person("bob");
  provider.who = "grace";
  const waiting = createServer((_, response) => void response.end("Go back to the terminal.")).listen(0, "127.0.0.1");
  onTestFinished(() => void waiting.close());
  await once(waiting, "listening");
  const { port } = waiting.address() as AddressInfo;
  const { url } = await bob.api.accounts.identities.authorize();
  const { page } = await openConsole(context, server.url);
  await page.goto(`${server.url}${url}&${program().query.replace("loopback=9", `loopback=${port}`)}`);
  await page.getByRole("button", { name: "Link them" }).click();
  await page.getByText("Go back to the terminal.").waitFor();
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  expect(await bob.api.accounts.identities.link({ code })).toMatchObject({ subject: "grace" });
  await page.goto(`${server.url}/auth/oidc/start?device=1&code_challenge=${"c".repeat(43)}`);
  await page.getByRole("heading", { name: "Take this code to your terminal" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(255, 255, 255)");
}, 60_000);

test("a sign-in that needs a second factor asks for a code, at a password and at a provider", async (context) => {
  const { server, provider } = await signInWorld({ LIVEPLANE_OIDC_PROVISION: "verified-email" });
  provider.people.ada = { email: "ada@example.com", email_verified: true };
  const { page, wrong } = await openConsole(context, server.url);
  const bob = await server.person("bob");
  const codes = await withRecoveryCodes(bob.api);
  const signOut = page.getByRole("button", { name: "Sign out" });
  await signIn(page, "bob", personsPassword);
  const code = page.getByLabel("Code of your authenticator app, or a recovery code");
  await code.fill("000000");
  expect(await axeObjections(page)).toEqual([]);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").getByText("The code is wrong").waitFor();
  await page.getByRole("button", { name: "Start again" }).click();
  await signIn(page, "bob", personsPassword);
  await code.fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Continue" }).click();
  await signOut.waitFor();
  await page.reload();
  await signOut.waitFor();
  await signOut.click();

  await page.getByRole("link", { name: "Sign in at your organization's provider" }).click();
  await signOut.waitFor();
  const ada = await apiOfPage(page, server.url);
  const [ofAda = ""] = await withRecoveryCodes(ada);
  await signOut.click();
  await page.getByRole("link", { name: "Sign in at your organization's provider" }).click();
  await code.fill(ofAda);
  await page.getByRole("button", { name: "Continue" }).click();
  await signOut.waitFor();
  await page.reload();
  await signOut.waitFor();
  expect(wrong.filter((said) => !/401|403/.test(said))).toEqual([]);
}, 60_000);

test("people add an authenticator app and recovery codes on their account's page, and remove them", async (context) => {
  const { url, person } = await runServer();
  await person("carol");
  const { page, wrong } = await openConsole(context, url);
  await signIn(page, "carol", personsPassword);
  await page.getByRole("link", { name: "carol" }).click();
  const factors = page.getByRole("region", { name: "Second factors" });
  await factors.getByText("Your account has no second factor.").waitFor();
  await factors.getByRole("button", { name: "Add an authenticator app" }).click();
  await factors.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  const shown = await factors.locator(".copy-line code").textContent();
  await factors.getByLabel("Code that the app shows").fill("12345");
  await factors.getByRole("button", { name: "Confirm the app" }).click();
  await factors.getByText("The code is wrong. Check the clock of the device").waitFor();
  await factors.getByLabel("Code that the app shows").fill(await authenticatorApp(shown ?? "").codeAt(Date.now()));
  await factors.getByRole("button", { name: "Confirm the app" }).click();
  await factors.getByRole("cell", { name: "authenticator app", exact: true }).waitFor();

  await factors.getByRole("button", { name: "Issue recovery codes" }).click();
  await factors.getByRole("button", { name: "Issue recovery codes" }).click();
  await factors.getByText("Keep these codes in a safe place.").waitFor();
  expect(await factors.getByRole("listitem").count()).toBe(10);
  await factors.getByRole("cell", { name: "10 unused" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  const remove = factors.getByRole("button", { name: "Remove Authenticator app" });
  await remove.click();
  await remove.click();
  await factors.getByText("Your account has no second factor.").waitFor();
  expect(wrong.filter((said) => !said.includes("400"))).toEqual([]);
}, 60_000);

/** Adds an authenticator app to somebody's account, and returns its recovery codes. */
async function withRecoveryCodes({ accounts: { factors } }: Api): Promise<readonly string[]> {
  const { secret } = await factors.addTotp();
  await factors.confirmTotp({ code: await authenticatorApp(secret).codeAt(Date.now()) });
  return (await factors.issueRecoveryCodes()).codes;
}

/** The API for who is signed in on a page. */
async function apiOfPage(page: Page, baseUrl: string): Promise<Api> {
  const body = JSON.stringify({ do: "renew" });
  const token: string = await page.evaluate(async (sent) => {
    const headers = { "content-type": "application/json" };
    return (await (await fetch("/console/session", { method: "POST", headers, body: sent })).json()).accessToken;
  }, body);
  return createClient({ baseUrl, token });
}

test("whoever has a password for once chooses one of their own, and stays signed in when the page is loaded again", async (context) => {
  const { url, liveplane, person } = await runServer();
  const { id } = await person("newcomer");
  await liveplane.administration.setPassword(id, "for once and never again", { oneTime: true });
  const { page, wrong } = await openConsole(context, url);
  await signIn(page, "newcomer", "not the password");
  await page.getByRole("alert").getByText("The user name or password is wrong.").waitFor();
  await signIn(page, "newcomer", "for once and never again");
  // Whoever waits for too long here, or is somebody else, begins again.
  await page.getByLabel("New password").waitFor();
  await page.getByRole("button", { name: "Start again" }).click();
  await signIn(page, "newcomer", "for once and never again");
  await page.getByLabel("New password").fill("123456789012");
  await page.getByRole("button", { name: "Set password and continue" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("New password").fill(ownPassword);
  await page.getByRole("button", { name: "Set password and continue" }).click();
  await page.getByText(none).waitFor();
  await page.reload();
  await page.getByText(none).waitFor();
  expect(await keptInBrowser(page)).toEqual([0, 0, ""]);

  // Another tab has the same session, and keeps nothing of it once it is ended.
  const tab = await page.context().newPage();
  await tab.goto(url);
  await tab.getByText(none).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  await tab.getByLabel("Password").waitFor();
  expect(await tab.getByText("Your session has ended.").count()).toBe(0);
  expect(await tab.getByText(none).count()).toBe(0);
  await page.reload();
  await page.getByLabel("Password").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("whoever's session lapses or is revoked signs in again, and goes on where they were with what they had typed", async (context) => {
  const { url, operator, person, liveplane } = await runServer();
  const { livesystemId } = await createDemo(liveplane, (await operator.accounts.me()).id, AbortSignal.timeout(20_000));
  const { page, wrong } = await openConsole(context, url, theOperator);
  const at = `${url}/#/live-systems/${livesystemId}`;
  await page.goto(at);
  const editor = page.getByLabel("Declaration (JSON or YAML)");
  const typed = '{ "name": "half of what I meant" }';
  await editor.fill(typed);
  /** What they see at the end of the session, and once they have signed in again. */
  const signInAgain = async () => {
    await page
      .getByText("Your session has ended. Sign in again to continue where you left off.")
      .waitFor({ timeout: 20_000 });
    expect(await editor.isVisible()).toBe(false);
    await signIn(page);
    await editor.waitFor();
    expect(await editor.inputValue()).toBe(typed);
    expect(page.url()).toBe(at);
    await page.getByText("live", { exact: true }).waitFor();
  };
  for await (const { id, current } of operator.sessions.list.all())
    if (!current) await operator.sessions.delete({ sessionId: id });
  await signInAgain();
  expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");

  // Nobody was there for longer than a session idles.
  const plan = page.getByRole("button", { name: "Plan", exact: true });
  const lapse = async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    // By then the page may have seen it by itself, and asks for a sign-in.
    await plan.dispatchEvent("click");
  };
  await lapse();
  await signInAgain();

  // Somebody else at the same browser finds nothing of it.
  await person("ada");
  await lapse();
  await page.getByText("Your session has ended.").waitFor({ timeout: 20_000 });
  await signIn(page, "ada", personsPassword);
  await page.getByText("Not found. It may have been deleted, or you may not have permission to view it.").waitFor();
  expect(await editor.count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);
