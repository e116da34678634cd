import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { staticKeyRing } from "@liveplane/adapters/key-rings";
import { nodeDefaults } from "@liveplane/adapters/node";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { createLiveplane, ratePolicies, webRuntime } from "@liveplane/core";
import { fakeHasher } from "@liveplane/core/testing";
import { createMetrics, createServer } from "@liveplane/server-express";
import { report } from "./answers.ts";
import { environmentsOf, nameOf, type TrafficCaller } from "./traffic.ts";

/** The server as people run it: SQLite on disk or Postgres, metrics, and limits that are counted and never reached. */
const [callers, connectionString] = process.argv.slice(2);
const shared = connectionString !== undefined && {
  store: await postgresStore({ connectionString }),
  keyRing: staticKeyRing({ keys: [randomBytes(32).toString("base64")] }),
};
const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
const metrics = createMetrics();
const rateLimits = Object.fromEntries(Object.keys(ratePolicies).map((bucket) => [bucket, 1e9]));
const settings = { openRegistration: true, accessTokenSeconds: 86_400 };
// Passwords are checked only before the measurement; 400 argon2 hashes would add half a minute.
const hasher = fakeHasher(webRuntime());
const liveplane = createLiveplane({
  ...(await nodeDefaults({ dataDir, metrics: metrics.port, settings, ...shared })),
  hasher,
});
await liveplane.start();
const url = await createServer({ liveplane, rateLimits, metrics }).listen(0);

const anyone = liveplane.as({ kind: "anonymous" });
const people: TrafficCaller[] = [];
for (let at = 0; at < Number(callers); at++) {
  const person = { username: `person-${at}`, password: "correct horse battery" };
  const { id: ownerId } = await anyone.accounts.createWithCredentials(person);
  const { accessToken: token } = await anyone.sessions.create(person);
  const api = liveplane.as({ kind: "account", accountId: ownerId });
  for (let made = 0; made < environmentsOf(at); made++)
    await api.environments.create({ type: "Personal", ownerId, shortName: nameOf(made) }, { name: nameOf(made) });
  people.push({ token, ownerId });
}
report({ url, callers: people });
