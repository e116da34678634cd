import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { webRuntime } from "@liveplane/core";
import { expect, onTestFinished, test } from "vitest";
import { identityWorld } from "../../../core/test/builders/identity.ts";
import { happen } from "../../../core/test/builders/webhooks.ts";
import { nodeCrypto } from "../../src/node-crypto.ts";
import { pgBossScheduler } from "../../src/pg-boss-scheduler.ts";
import { postgresStore } from "../../src/postgres-store.ts";
import { webhookSender } from "../../src/webhooks/webhook-sender.ts";
import { sharedPostgres } from "../postgres.ts";
import { stranger } from "./webhook-stranger.ts";

/** A receiver that takes connections and answers nothing. */
async function silent() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}).once("close", () => sockets.delete(socket)));
    socket.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => sockets.size };
}

/** A control plane over Postgres and pg-boss, in real time. */
async function world(allow: readonly string[]) {
  const connectionString = await (await sharedPostgres()).freshSchema();
  const runtime = webRuntime({ crypto: nodeCrypto });
  const scheduler = await pgBossScheduler({ connectionString, runtime });
  const store = await postgresStore({ connectionString });
  const made = await identityWorld({}, undefined, {
    runtime,
    store,
    scheduler,
    webhookSender: webhookSender({ allow }),
  });
  await made.liveplane.start();
  onTestFinished(() => made.liveplane.stop());
  return made;
}

test("receivers of five accounts that never answer delay another account's message by less than ten seconds", {
  timeout: 180_000,
}, async () => {
  const [bad, good] = [await silent(), await stranger()];
  const { person, liveplane } = await world([bad.origin, good.origin]);
  const tenant = async (name: string, url: string, webhooks: number) => {
    const { account } = await person(name);
    const api = liveplane.as({ kind: "account", accountId: account.id });
    const environment = { type: "Personal", ownerId: account.id, shortName: "dev" } as const;
    await api.environments.create(environment, {});
    for (let nth = 0; nth < webhooks; nth++) await api.accounts.webhooks.create({ name: "One", url });
    return { api, environment };
  };
  for (let nth = 0; nth < 5; nth++) await tenant(`silent${nth}`, bad.origin, 20);
  await expect.poll(bad.open, { timeout: 20_000, interval: 50 }).toBeGreaterThan(50);
  const delays: number[] = [];
  const timed = async <T>(causing: () => Promise<T>): Promise<T> => {
    const [begun, before] = [performance.now(), good.got.length];
    const caused = await causing();
    while (good.got.length === before) await sleep(20);
    delays.push(performance.now() - begun);
    return caused;
  };
  const { api, environment } = await timed(() => tenant("other", good.origin, 1));
  for (let nth = 0; nth < 8; nth++) await timed(() => happen(api, environment));
  expect(Math.max(...delays)).toBeLessThan(10_000);
  process.stdout.write(`Delays beside 100 silent receivers: ${delays.map((ms) => Math.round(ms)).join(", ")} ms.\n`);
});
