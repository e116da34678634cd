import { createClient } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { send } from "../raw-http.ts";
import { startProcess } from "../server-process.ts";
import { saidOf, spanReceiver } from "./span-receiver.ts";

async function startServer(environment: Readonly<Record<string, string>>) {
  const dataDir = emptyFolder();
  const server = await startProcess(dataDir, environment);
  onTestFinished(() => void server.child.kill("SIGKILL"));
  return server;
}

const farAway = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = `00-${farAway.traceId}-${farAway.spanId}-01`;

test("spans of requests and of what they come to are sent, as the variables of OpenTelemetry say, and when it stops", {
  timeout: 60_000,
}, async () => {
  const receiver = await spanReceiver();
  onTestFinished(receiver.end);
  const { url, child, ended } = await startServer({ ...receiver.environment, OTEL_SERVICE_NAME: "plane-of-ours" });
  const client = createClient({ baseUrl: url, retries: 0 });
  await client.accounts.createWithCredentials({ username: "ada", password: "a long enough password" });
  const headers = { traceparent, "x-request-id": "request-of-the-test" };
  await send(url, { path: "/accounts/me", headers });
  child.kill("SIGTERM");
  expect(await ended).toBe(0);

  const spans = receiver.spans();
  const registered = spans.find(({ name }) => name === "accounts.createWithCredentials");
  expect(spans.filter(({ parentSpanId }) => parentSpanId === registered?.spanId).map(({ name }) => name)).toContain(
    "store.commit",
  );
  const refused = spans.find(({ name }) => name === "accounts.me");
  expect(refused).toMatchObject({ kind: 2, traceId: farAway.traceId, parentSpanId: farAway.spanId });
  expect(["liveplane.request_id", "error.type"].map((key) => refused && saidOf(refused, key))).toEqual([
    "request-of-the-test",
    "Unauthenticated",
  ]);
  expect(receiver.services()).toEqual(new Set(["plane-of-ours"]));
});

test("a receiver that isn't there is told of in the log, and holds nobody up", { timeout: 60_000 }, async () => {
  const nobody = { LIVEPLANE_TRACING: "otlp", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
  const { url, child, ended, log } = await startServer(nobody);
  await createClient({ baseUrl: url, retries: 0 }).accounts.createWithCredentials({
    username: "ada",
    password: "a long enough password",
  });
  const stoppedAt = performance.now();
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(8_000);
  expect(log()).toContain("Spans could not be sent");
});

test("no trace is sent of the share none", { timeout: 60_000 }, async () => {
  const receiver = await spanReceiver();
  onTestFinished(receiver.end);
  const { url, child, ended } = await startServer({ ...receiver.environment, LIVEPLANE_TRACED_SHARE: "0" });
  await send(url, { path: "/accounts/me", headers: { traceparent } });
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(receiver.spans()).toEqual([]);
});
