import { createClient } from "@liveplane/client";
import { expect, test } from "vitest";
import { openPage } from "./chromium.ts";
import { demoComponents } from "./demo-system.ts";
import { runServer } from "./run-example.ts";

test("in Chromium: a resource is taken over and given back in the clouds' console, as the welcome says", async (context) => {
  const { page, wrong } = await openPage(context);
  const { url, credentials } = await runServer({ LIVEPLANE_DEMO: "on", LIVEPLANE_CHECK_SECONDS: "1" });
  const api = createClient({ baseUrl: url, credentials });
  const web = (await demoComponents(api)).find(({ id }) => id.endsWith("/web"));
  const at = { id: web?.livesystemId ?? "", componentId: web?.id ?? "" };
  const status = async () => (await api.liveSystems.components.get(at)).status;

  await page.goto(`${url}/simulator`);
  await page.getByLabel("Password").fill(credentials.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  const row = page.getByRole("row").filter({ hasText: web?.resourceId ?? "" });
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
