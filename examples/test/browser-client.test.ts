import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Api, createClient } from "@liveplane/client";
import { build, preview } from "vite";
import { expect, onTestFinished, test } from "vitest";
import { pagesOfChromium } from "./chromium.ts";
import { demoComponents } from "./demo-system.ts";
import { emptyFolder, root, runServer } from "./run-example.ts";

const openPage = pagesOfChromium();

const page = join(root, "examples/browser-client");

/** Builds the page as its author does, and answers where it is. */
async function built(): Promise<string> {
  const outDir = emptyFolder();
  await build({ root: page, logLevel: "error", build: { outDir, emptyOutDir: true } });
  return outDir;
}

/** Serves the built page at an address of its own, with a server that allows it. */
async function served() {
  const options = { root: page, logLevel: "error", build: { outDir: await built() } } as const;
  const site = await preview({ ...options, preview: { host: "127.0.0.1", port: 0 } });
  onTestFinished(() => site.close());
  const origin = new URL(site.resolvedUrls?.local[0] ?? "").origin;
  return { origin, ...(await runServer({ LIVEPLANE_DEMO: "on", LIVEPLANE_CORS_ORIGINS: origin })) };
}

/** What a person does in the simulated cloud's console, and has the agent look at. */
function byHand(url: string, accessToken: string, api: Api) {
  return async (
    component: Awaited<ReturnType<typeof demoComponents>>[number],
    parameters: Record<string, unknown> = {},
  ) => {
    const resource = `${url}/simulator/provider-a/resources/${encodeURIComponent(component.resourceId ?? "")}`;
    const send = async (method: string, path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
      const { ok } = await fetch(`${resource}${path}`, { method, headers, body: JSON.stringify(body) });
      expect(ok, `${method} ${path}`).toBe(true);
    };
    await send("PUT", "/tags", {});
    if (Object.keys(parameters).length > 0) await send("PATCH", "/parameters", parameters);
    await api.liveSystems.components.check({ id: component.livesystemId, componentId: component.id });
  };
}

test("the page is built whole: every file that it names is there, every element that its script looks for too", async () => {
  const folder = await built();
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(files).toHaveLength(2);
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  const source = readFileSync(join(page, "main.ts"), "utf8");
  const ids = [...source.matchAll(/byId\("([^"]+)"/g)].map(([, id]) => `id="${id}"`);
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.filter((id) => !html.includes(id))).toEqual([]);
});

test("the built page runs in browsers: no Node in it, and none of the contract's schemas", async () => {
  const folder = join(await built(), "assets");
  const script = readdirSync(folder).find((name) => name.endsWith(".js")) ?? "";
  const code = readFileSync(join(folder, script), "utf8");
  expect(code).not.toMatch(/["'`]node:|process\.env|ZodError/);
  expect(code.length).toBeLessThan(80_000);
});

test("the server allows the page's origin to call it, and no other", async () => {
  const { url } = await runServer({ LIVEPLANE_CORS_ORIGINS: "http://localhost:5173" });
  const ask = async (origin: string) => {
    const headers = {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization",
    };
    const { headers: allowed } = await fetch(`${url}/overrides`, { method: "OPTIONS", headers });
    return allowed.get("access-control-allow-origin");
  };
  expect(await ask("http://localhost:5173")).toBe("http://localhost:5173");
  expect(await ask("http://localhost:5174")).toBeNull();
});

test("in Chromium: the oldest override first, its drift and its hand-back plan; a note; the next one as it happens", async (context) => {
  const { page: tab, wrong } = await openPage(context);
  const { origin, url, credentials } = await served();
  const api = createClient({ baseUrl: url, credentials });
  const components = await demoComponents(api);
  const [web, network] = ["web", "network/vnet"].map((path) => components.find(({ id }) => id.endsWith(`/${path}`)));
  const { accessToken } = await createClient({ baseUrl: url }).sessions.create(credentials);
  const takeOver = byHand(url, accessToken, api);
  if (web === undefined || network === undefined) return expect.unreachable();
  await takeOver(web, { workers: 6 });

  await tab.goto(origin);
  await tab.getByLabel("Server").fill(url);
  await tab.getByLabel("Password").fill("not the password");
  await tab.getByRole("button", { name: "Sign in" }).click();
  await expect.poll(() => tab.getByRole("status").textContent()).toMatch(/password/i);
  await tab.getByLabel("Password").fill(credentials.password);
  await tab.getByRole("button", { name: "Sign in" }).click();

  const list = tab.getByRole("region", { name: "Overrides, oldest first" });
  await list.getByRole("link", { name: "web" }).click();
  const drift = tab.getByRole("table", { name: "What differs" });
  await expect.poll(() => drift.getByRole("row").nth(1).textContent()).toBe("workers26");
  const plan = tab.getByRole("table", { name: "What a hand-back would revert" });
  expect(await plan.getByRole("row").nth(1).textContent()).toBe("/workers62it was changed in the cloud");
  await tab.getByText("Keep the changes instead").click();
  expect(await tab.locator("pre").textContent()).toContain('"value": 6');

  await tab.getByLabel("Reason").fill("Black Friday");
  await tab.getByRole("button", { name: "Note it" }).click();
  await expect.poll(() => tab.getByRole("status").textContent()).toBe("Noted.");
  await expect.poll(() => list.textContent()).toContain("Black Friday");
  const noted = await api.liveSystems.components.get({ id: web.livesystemId, componentId: web.id });
  expect(noted.override).toMatchObject({ reason: "Black Friday" });

  await tab.getByLabel("Ticket").fill("OPS-1");
  await api.liveSystems.components.annotateOverride(
    { id: web.livesystemId, componentId: web.id },
    { reason: "Black Friday, until Monday" },
  );
  await expect.poll(() => list.textContent()).toContain("until Monday");
  await tab.getByRole("button", { name: "Note it" }).click();
  await expect.poll(() => tab.getByRole("status").textContent()).toContain("changed meanwhile");
  await expect.poll(() => tab.getByLabel("Reason").inputValue()).toContain("until Monday");

  await takeOver(network);
  await expect.poll(() => list.getByRole("link").count(), { timeout: 10_000 }).toBe(2);
  expect(await list.getByRole("link").locator("strong").allInnerTexts()).toEqual(["web", "network/vnet"]);
  expect(wrong).toEqual([]);
}, 90_000);
