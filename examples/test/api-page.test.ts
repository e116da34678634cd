import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, type TestContext, test } from "vitest";
import { bundledServer } from "../../quality/bundled-server.ts";
import { pagesOfChromium } from "./chromium.ts";
import { runServer, startExample } from "./run-example.ts";

const openPage = pagesOfChromium();

/** Opens the page of a server's API, and says what its policy refused and whom it asked. */
async function openApiPage(context: TestContext, url: string) {
  const { page, wrong } = await openPage(context);
  const asked = new Set<string>();
  page.on("request", (request) => asked.add(new URL(request.url()).origin));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) wrong.push(message.text());
  });
  await page.goto(`${url}/docs`);
  return { page, wrong, asked };
}

/** Where one signs in. Eighty thousand nodes are below it: to look for something in all of them takes a second. */
const headerOf = (page: Page) => page.locator("body > header");

async function signIn(page: Page, username: string, password: string) {
  const header = headerOf(page);
  await header.locator("summary", { hasText: "Sign in" }).click();
  await header.getByLabel("User name or e-mail").fill(username);
  await header.getByLabel("Password", { exact: true }).fill(password);
  await header.getByRole("button", { name: "Sign in" }).click();
}

/** Opens the form of an operation, and gives the place of both. */
async function openForm(page: Page, id: string) {
  const operation = page.locator(`[id="${id}"]`);
  await operation.locator("summary", { hasText: "Try it" }).click();
  return operation;
}

test("in Chromium: one finds an operation, opens its schemas and errors, and nobody else is asked for anything", async (context) => {
  const { url } = await runServer();
  const { page, wrong, asked } = await openApiPage(context, url);
  const navigation = page.getByRole("navigation", { name: "Operations" });
  await page.keyboard.press("/");
  await page.keyboard.type("rotate nothing");
  await expect.poll(() => page.locator("#found").textContent()).toBe("0 operations found.");
  await page.getByRole("searchbox", { name: "Search" }).fill("deploy post");
  await expect.poll(() => navigation.getByRole("link", { name: "POST" }).count()).toBeGreaterThan(0);
  await page.getByRole("searchbox", { name: "Search" }).fill("environments.create creates an environment");
  await expect.poll(() => page.locator("#found").textContent()).toBe("1 operation found.");
  await page.keyboard.press("Enter");
  expect(page.url()).toBe(`${url}/docs#environments.create`);

  const operation = page.locator('[id="environments.create"]');
  const answer = operation.locator("details[data-fill=schema-Environment]");
  await answer.locator("summary").first().click();
  await expect.poll(() => operation.getByText("managementEnvironmentId").count()).toBeGreaterThan(1);
  await operation.locator("summary", { hasText: /^Errors/ }).click();
  await operation.locator("summary", { hasText: /^412/ }).click();
  await expect.poll(() => operation.getByText(/another version|has changed|precondition/i).count()).toBeGreaterThan(0);
  expect(asked).toEqual(new Set([url]));
  expect(wrong).toEqual([]);
}, 60_000);

test("in Chromium: one signs in, tries operations out, and is shown the answer and a line for curl without the token", async (context) => {
  const { url, credentials } = await runServer();
  const { page, wrong, asked } = await openApiPage(context, url);
  await signIn(page, credentials.username, credentials.password);
  await expect.poll(() => page.locator("[data-signed]").textContent()).toBe("Signed in as operator.");

  const create = await openForm(page, "environments.create");
  await create.getByRole("button", { name: "Send" }).click();
  await expect
    .poll(() => create.getByRole("status").textContent())
    .toMatch(/^201 Created in \d+ ms, request [\w-]{36}$/);
  expect(JSON.parse((await create.locator(".answered > pre").textContent()) ?? "")).toMatchObject({ name: "Staging" });
  await create.locator("summary", { hasText: "curl" }).click();
  const line = (await create.locator(".answered details pre").textContent()) ?? "";
  expect(line).toMatch(/^curl -i -X POST 'http:\/\/127\.0\.0\.1:\d+\/environments\/Personal\/[0-9a-f-]{36}\/staging'/);
  expect(line).toContain('-H "Authorization: Bearer $TOKEN"');
  await create
    .locator("summary", { hasText: /^Headers$/ })
    .last()
    .click();
  await expect.poll(() => create.getByText("ratelimit-policy").count()).toBe(1);

  const events = await openForm(page, "events.follow");
  await events.getByRole("textbox", { name: "after" }).fill("0");
  await events.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => events.locator(".answered > pre").textContent()).toContain("environment.created");
  await events.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => events.getByRole("status").textContent()).toMatch(/^Stopped after/);

  const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
  expect(kept).toEqual([0, 0, ""]);
  await headerOf(page).getByRole("button", { name: "Sign out" }).click();
  await expect.poll(() => page.locator("[data-signed]").textContent()).toBe("Not signed in.");
  await create.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => create.getByRole("status").textContent()).toMatch(/^401 /);
  expect(asked).toEqual(new Set([url]));
  expect(wrong).toEqual([]);
}, 60_000);

test("in Chromium: whoever has a password for once chooses one of their own on the page", async (context) => {
  const environment = { PORT: "0", LIVEPLANE_DATA: "data", LIVEPLANE_LOG: "silent" };
  const server = startExample(bundledServer, environment);
  let said = "";
  server.stdout?.on("data", (chunk) => (said += chunk));
  server.stderr?.on("data", (chunk) => (said += chunk));
  const shown = (pattern: RegExp) => pattern.exec(said)?.[1] ?? "";
  await expect.poll(() => shown(/shown this once: (\S+)/), { timeout: 30_000 }).not.toBe("");
  const { page, wrong } = await openApiPage(context, shown(/(http:\/\/127\.0\.0\.1:\d+)/));
  await signIn(page, "operator", shown(/shown this once: (\S+)/));
  await headerOf(page).getByLabel("One of your own").fill("quite a long passphrase of mine");
  await headerOf(page).getByRole("button", { name: "Choose it" }).click();
  await expect.poll(() => page.locator("[data-signed]").textContent()).toBe("Signed in as operator.");
  expect(wrong).toEqual([]);
}, 60_000);

test("in Chromium: axe objects to nothing on the page, all opened, in light and dark", async (context) => {
  const { url } = await runServer();
  const { page, wrong } = await openPage(context);
  // The policy lets nobody add a script to the page; a browser's own tools come before it.
  await page.addInitScript(axe.source);
  await page.goto(`${url}/docs`);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("header details, #sessions details"))
      details.setAttribute("open", "");
  });
  await expect.poll(() => page.locator("#sessions details[data-fill][open]").count()).toBe(0);
  await page.evaluate(() => {
    // The areas are alike: one of them is looked at, since all would take a minute.
    for (const section of document.querySelectorAll("main > section:not(#sessions)")) section.remove();
    const { axe: judge } = globalThis as unknown as {
      axe: { run(context: unknown): Promise<{ violations: object[] }> };
    };
    Object.assign(globalThis, { judge: async () => (await judge.run(document)).violations });
  });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await page.evaluate("judge()")]).toEqual([colorScheme, []]);
  }
  expect(wrong).toEqual([]);
}, 60_000);
