import { join } from "node:path";
import { createClient } from "@liveplane/client";
import { build, preview } from "vite";
import { expect, onTestFinished, test } from "vitest";
import { bundleElements } from "../../packages/console/src/files/bundle.ts";
import { pagesOfChromium } from "./chromium.ts";
import { demoComponents } from "./demo-system.ts";
import { emptyFolder, root, runServer } from "./run-example.ts";

const openPage = pagesOfChromium();
const folder = join(root, "examples/console-elements");

/** The elements as the package has them once it is built. */
const published = {
  name: "published",
  enforce: "pre",
  resolveId: (id: string) => (id === "@liveplane/console/elements" ? "\0elements" : null),
  load: async (id: string) => (id === "\0elements" ? Buffer.from(await bundleElements()).toString() : null),
} as const;

/** The pages as their author builds them, at an address of their own. */
async function served(): Promise<string> {
  const outDir = emptyFolder();
  const resolve = { conditions: ["@liveplane/source", "module", "browser", "production"] };
  await build({ root: folder, plugins: [published], resolve, logLevel: "error", build: { outDir, emptyOutDir: true } });
  const site = await preview({
    root: folder,
    logLevel: "error",
    build: { outDir },
    preview: { host: "127.0.0.1", port: 0 },
  });
  onTestFinished(() => site.close());
  return new URL(site.resolvedUrls?.local[0] ?? "").origin;
}

test("in plain HTML, React and Vue the elements show the board by the host's sign-in, and open a component in its own way", async (context) => {
  const { page, wrong } = await openPage(context);
  const origin = await served();
  const { url, credentials } = await runServer({ LIVEPLANE_DEMO: "on", LIVEPLANE_CORS_ORIGINS: origin });
  const api = createClient({ baseUrl: url, credentials });
  const web = (await demoComponents(api)).find(({ id }) => id.endsWith("/web"));
  const { accessToken } = await api.sessions.create(credentials);
  const tags = `${url}/simulator/provider-a/resources/${encodeURIComponent(web?.resourceId ?? "")}/tags`;
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
  expect((await fetch(tags, { method: "PUT", headers, body: "{}" })).ok).toBe(true);
  await api.liveSystems.components.check({ id: web?.livesystemId ?? "", componentId: web?.id ?? "" });
  for (const host of ["plain", "react", "vue"]) {
    await page.goto(`${origin}/${host}.html`);
    await page.getByLabel("Server").fill(url);
    await page.getByLabel("Password").fill(credentials.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("liveplane-overrides").getByRole("link", { name: "web" }).click();
    await page.locator("liveplane-component").getByRole("heading", { name: "Hand it back" }).waitFor();
    expect([host, page.url()]).toEqual([host, `${origin}/${host}.html`]);
  }
  expect(wrong).toEqual([]);
}, 60_000);
