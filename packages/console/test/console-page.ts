import type { Page } from "playwright-core";
import { expect, type TestContext } from "vitest";
import { pagesOfChromium } from "../../../examples/test/chromium.ts";
import { type RunningServer, runServer } from "../../server-express/test/running-server.ts";

const openPage = pagesOfChromium();

/** The password that the operator chooses in place of the one for once. */
export const ownPassword = "quite a long passphrase of mine";

/** A console in a browser, with what was asked for and what went wrong. */
export interface OpenedConsole {
  readonly page: Page;
  /** What the page's policy refused, its scripts threw, or the network broke. */
  readonly wrong: string[];
}

/** Opens the console of a server; nobody is signed in. */
export async function openConsole(context: TestContext, url: string): Promise<OpenedConsole> {
  const { page, wrong } = await openPage(context);
  page.on("console", (message) => {
    if (/Content Security Policy|TrustedHTML/.test(message.text())) wrong.push(message.text());
  });
  await page.goto(url);
  await page.getByLabel("Password").waitFor();
  return { page, wrong };
}

/** Signs in by the form. */
export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel("User name or e-mail").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** A server with the demo's live system, and the resource of its component `web`. */
export async function runDemo(settings: Readonly<Record<string, string>> = {}): Promise<RunningServer & Demo> {
  const server = await runServer({ ...settings });
  return { ...server, ...(await deployDemo(server)) };
}

/** The live system that tests play with. */
export interface Demo {
  readonly livesystemId: string;
  readonly componentId: string;
  /** What a person does in the cloud's own console. */
  byHand(change: { tags?: Record<string, string>; parameters?: Record<string, unknown> }, path?: string): Promise<void>;
}

async function deployDemo({ operator, liveplane, url }: RunningServer): Promise<Demo> {
  const { createDemo } = await import("../../server-express/src/demo.ts");
  const { id } = await operator.accounts.me();
  const { livesystemId, componentId } = await createDemo(liveplane, id, AbortSignal.timeout(20_000));
  const { accessToken } = await operator.sessions.create({ username: "operator", password: "a long enough secret" });
  return {
    livesystemId,
    componentId,
    async byHand({ tags, parameters }, path = "web") {
      const at = { id: livesystemId, componentId: `${livesystemId}/${path}` };
      const { resourceId } = await operator.liveSystems.components.get(at);
      const resource = `${url}/simulator/provider-a/resources/${encodeURIComponent(resourceId ?? "")}`;
      const send = async (method: string, below: string, body: unknown) => {
        const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
        const { ok } = await fetch(`${resource}${below}`, { method, headers, body: JSON.stringify(body) });
        expect(ok, `${method} ${below}`).toBe(true);
      };
      if (parameters !== undefined) await send("PATCH", "/parameters", parameters);
      if (tags !== undefined) await send("PUT", "/tags", tags);
      await operator.liveSystems.components.check(at);
    },
  };
}
