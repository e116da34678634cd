import { createClient } from "@liveplane/client";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, type TestContext } from "vitest";
import { pagesOfChromium } from "../../../examples/test/chromium.ts";
import { createDemo } from "../../server-express/src/demo.ts";
import { operatorPassword, type RunningServer } from "../../server-express/test/running-server.ts";

/** A console in a browser, with what was asked for and what went wrong. */
export interface OpenedConsole {
  readonly page: Page;
  /** What the page's policy refused, its scripts threw, or the network broke. */
  readonly wrong: string[];
  /** All that its console said, and each address that it asked for. */
  readonly heard: string[];
}

/** Opens the console of a server: to somebody who has signed in before, or to nobody. */
export type OpenConsole = (context: TestContext, url: string, session?: Person) => Promise<OpenedConsole>;

/** Two days and three hours later, as a page sees it: what is young has no age to show, and in a picture always the same. */
export async function twoDaysLater(page: Page): Promise<void> {
  await page.clock.setFixedTime(Date.now() + 51 * 3_600_000);
}

/** Opens consoles in one browser for all tests of a file. */
export function consolesOfChromium(): OpenConsole {
  const openPage = pagesOfChromium();
  return async (context, url, session) => {
    const { page, wrong } = await openPage(context);
    const heard: string[] = [];
    page.on("request", (request) => void heard.push(request.url()));
    page.on("console", (message) => {
      heard.push(message.text());
      if (/Content Security Policy|TrustedHTML/.test(message.text())) wrong.push(message.text());
    });
    if (session !== undefined) await page.context().addCookies([await cookieOf(url, session)]);
    await page.goto(url);
    await page.getByText(session === undefined ? "Password" : "Sign out", { exact: true }).waitFor();
    return { page, wrong, heard };
  };
}

/** Somebody whose session the browser has, as if they had signed in before. */
export interface Person {
  readonly username: string;
  readonly password: string;
}

/** Who operates the servers of the tests. */
export const theOperator: Person = { username: "operator", password: operatorPassword };

/** The cookie that a browser has once somebody has signed in. */
async function cookieOf(url: string, person: Person) {
  const { accessToken } = await createClient({ baseUrl: url }).sessions.create(person);
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json", origin: url };
  const body = JSON.stringify({ do: "begin" });
  const answer = await fetch(`${url}/console/session`, { method: "POST", headers, body });
  const [, name = "", value = ""] = /^([^=]+)=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
  return { name, value, url: `${url}/console/session`, httpOnly: true, sameSite: "Strict" } as const;
}

/** Signs in by the form. */
export async function signIn(page: Page, username = "operator", password = operatorPassword): Promise<void> {
  await page.getByLabel("User name or e-mail").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** What scripts find that the browser has kept. */
export const keptInBrowser = (page: Page) =>
  page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);

/** What of it another scheme of colours can change. */
const rulesOfColours = ["color-contrast", "link-in-text-block"];

/** What axe objects to, in light and dark. */
export async function axeObjections(page: Page): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  // The policy lets nobody add a script to the page; a browser's own tools don't ask it.
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axe.source);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const only = colorScheme === "light" ? {} : { runOnly: rulesOfColours };
    const options = JSON.stringify({ resultTypes: ["violations"], preload: false, ...only });
    const run = `axe.run(document, ${options}).then((result) => result.violations)`;
    const violations = (await page.evaluate(run)) as { id: string; nodes: { html: string }[] }[];
    found.push(...violations.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)]));
  }
  return found;
}

/** In the page: buttons in the colour that stands out, of those that somebody sees. */
export function primaryButtons(): (string | null)[] {
  const probe = document.body.appendChild(document.createElement("button"));
  const standingOut = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return [...document.querySelectorAll("main button")]
    .filter((button) => button.checkVisibility() && button.closest("details:not([open])") === null)
    .filter((button) => getComputedStyle(button).backgroundColor === standingOut)
    .map((button) => button.textContent);
}

/** Goes on by the tab key, as far as to what says that. */
export async function tabTo(page: Page, text: string): Promise<void> {
  for (let times = 0; times < 60; times++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate("document.activeElement.textContent")) === text) return;
  }
  expect.unreachable(`No way by keyboard to: ${text}`);
}

/** The live system that tests play with. */
export interface Demo extends RunningServer {
  readonly livesystemId: string;
  /** Of its component `web`. */
  readonly componentId: string;
  /** What a person does in the cloud's own console, and has the agent look at. */
  byHand(change: { tags?: Record<string, string>; parameters?: Record<string, unknown> }, path?: string): Promise<void>;
}

/** The demo's live system on a server that runs. */
export async function withDemo(server: RunningServer): Promise<Demo> {
  const { operator, liveplane } = server;
  const { id } = await operator.accounts.me();
  const { livesystemId, componentId } = await createDemo(liveplane, id, AbortSignal.timeout(20_000));
  return { ...server, livesystemId, componentId, byHand: handIn(server, livesystemId) };
}

/** Gives everything back that somebody has, so that the next story begins with nobody having anything. */
export async function giveBack({ operator, byHand }: Pick<Demo, "operator" | "byHand">): Promise<void> {
  await byHand({ tags: { "managed-by": "platform", platform: "reconcile" } });
  await expect.poll(async () => (await operator.overrides.list()).items).toEqual([]);
}

/** Somebody who operates the clouds that a server simulates. */
export function handIn(
  { operator, url }: Pick<RunningServer, "operator" | "url">,
  livesystemId: string,
): Demo["byHand"] {
  const signedIn = operatorToken(url);
  return async ({ tags, parameters }, path = "web") => {
    const at = { id: livesystemId, componentId: `${livesystemId}/${path}` };
    const { resourceId } = await operator.liveSystems.components.get(at);
    const accessToken = await signedIn();
    const resource = `${url}/simulator/provider-a/resources/${encodeURIComponent(resourceId ?? "")}`;
    const send = async (method: string, below: string, body: unknown) => {
      const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
      const { ok } = await fetch(`${resource}${below}`, { method, headers, body: JSON.stringify(body) });
      expect(ok, `${method} ${below}`).toBe(true);
    };
    // Whoever takes over removes the tag first. Until then the agent may correct what they change.
    const takesOver = tags !== undefined && !("managed-by" in tags);
    if (takesOver) await send("PUT", "/tags", tags);
    if (parameters !== undefined) await send("PATCH", "/parameters", parameters);
    if (tags !== undefined && !takesOver) await send("PUT", "/tags", tags);
    await operator.liveSystems.components.check(at);
  };
}

/** The operator's token at a server, asked for once. */
export function operatorToken(url: string): () => Promise<string> {
  let asked: Promise<{ readonly accessToken: string }> | undefined;
  return async () => {
    asked ??= createClient({ baseUrl: url }).sessions.create(theOperator);
    return (await asked).accessToken;
  };
}
