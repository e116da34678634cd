import { createServer } from "node:net";
import { createClient } from "@liveplane/client";
import { expect, test } from "vitest";
import { runExample, runServer, startExample } from "./run-example.ts";

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

test("webhook-receiver ends with one line if its password is missing, wrong, or to be changed first", async () => {
  const { url, credentials } = await runServer({ LIVEPLANE_DEMO: "off" });
  const operator = createClient({ baseUrl: url, credentials });
  const invited = { username: "newcomer", password: "only good for once" };
  await operator.accounts.createWithCredentials(invited);
  for (const given of [
    {},
    { LIVEPLANE_PASSWORD: "not the password" },
    { LIVEPLANE_USER: invited.username, LIVEPLANE_PASSWORD: invited.password },
  ]) {
    const ended = await runExample("examples/webhook-receiver/main.ts", { LIVEPLANE_URL: url, ...given });
    expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^Set LIVEPLANE_PASSWORD to the password that \w+ chose in the console\. \(.*\)\n$/);
  }
}, 60_000);
