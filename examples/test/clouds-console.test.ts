import { createClient } from "@liveplane/client";
import { expect, type TestContext, test } from "vitest";
import { pagesOfChromium } from "./chromium.ts";
import { demoComponents } from "./demo-system.ts";
import { runServer } from "./run-example.ts";

const openPage = pagesOfChromium();

/** The demo in a browser, signed in at the clouds' console: its `web`, and its row. */
async function openConsole(context: TestContext) {
  const { page, wrong } = await openPage(context);
  const { url, credentials } = await runServer({ LIVEPLANE_DEMO: "on", LIVEPLANE_CHECK_SECONDS: "1" });
  const api = createClient({ baseUrl: url, credentials });
  const web = (await demoComponents(api)).find(({ id }) => id.endsWith("/web"));
  const at = { id: web?.livesystemId ?? "", componentId: web?.id ?? "" };
  await page.goto(`${url}/simulator`);
  await page.getByLabel("Password").fill(credentials.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  const row = page.getByRole("row").filter({ hasText: web?.resourceId ?? "" });
  return { page, wrong, row, component: () => api.liveSystems.components.get(at) };
}

test("in Chromium: a resource is taken over and given back in the clouds' console, as the welcome says", async (context) => {
  const { wrong, row, component } = await openConsole(context);
  const status = async () => (await component()).status;
  const saveTags = async (tags: Readonly<Record<string, string>>) => {
    await row.getByRole("textbox").first().fill(JSON.stringify(tags));
    await row.getByRole("button", { name: "Save tags" }).click();
  };
  await saveTags({});
  await expect.poll(status, { timeout: 10_000 }).toBe("ManualOverride");
  await saveTags({ "managed-by": "platform", platform: "reconcile" });
  await expect.poll(status, { timeout: 10_000 }).toBe("Active");
  expect(wrong).toEqual([]);
}, 60_000);

test("in Chromium: a cloud takes its time and gives up, as its behaviour in the console says", async (context) => {
  const { page, wrong, row, component } = await openConsole(context);
  const cloud = page.getByRole("row").filter({ hasText: "provider-a" }).filter({ hasText: "Save behaviour" });
  const fails = { code: "QuotaExceeded", message: "There is no more of it." };
  await cloud.getByRole("textbox").fill(JSON.stringify({ slow: { takesMs: 3000, fails } }));
  await cloud.getByRole("button", { name: "Save behaviour" }).click();
  await expect.poll(() => page.locator("#message").textContent()).toBe("Saved.");
  await row
    .getByRole("textbox")
    .nth(1)
    .fill(JSON.stringify({ workers: 9 }));
  await row.getByRole("button", { name: "Save parameters" }).click();
  await expect.poll(async () => (await component()).working?.since, { timeout: 10_000 }).toEqual(expect.any(String));
  const failed = {
    value: false,
    reason: "ProvisioningFailed",
    providerCode: fails.code,
    providerMessage: fails.message,
  };
  await expect
    .poll(async () => (await component()).conditions.inSync, { timeout: 20_000 })
    .toEqual(expect.objectContaining(failed));
  expect(wrong).toEqual([]);
}, 60_000);
