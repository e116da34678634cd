import { createServer } from "node:net";
import { createClient } from "@liveplane/client";
import { expect, test } from "vitest";
import { runServer, startExample } from "./run-example.ts";

/** A port that nobody listens at. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("webhook-receiver believes what is signed, and says what it is told", async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const { url, credentials } = await runServer({ LIVEPLANE_DEMO: "off", LIVEPLANE_WEBHOOK_ORIGINS: origin });
  const example = startExample("examples/webhook-receiver/main.ts", {
    LIVEPLANE_URL: url,
    LIVEPLANE_PASSWORD: credentials.password,
    RECEIVER_PORT: String(port),
  });
  let said = "";
  example.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 20_000 }).toContain("webhook.test ");
  const forged = { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" };
  expect((await fetch(origin, { method: "POST", headers: forged, body: "{}" })).status).toBe(401);
  const api = createClient({ baseUrl: url, credentials });
  await expect.poll(() => said, { timeout: 20_000 }).toContain("webhook.created ");
  const [webhook] = (await api.accounts.webhooks.list()).items;
  const { items } = await api.accounts.webhooks.deliveries.list({ webhookId: webhook?.id ?? "" });
  expect(items.find(({ type }) => type === "webhook.test")).toMatchObject({ status: "Delivered", answerStatus: 204 });
}, 60_000);
