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
import { inParallel } from "../../packages/core/src/records/in-parallel.ts";
import { report } from "./answers.ts";
import { environmentsOf, membersOf, nameOf, type TrafficCaller, type TrafficWorld } from "./traffic.ts";

/** The server as people run it: SQLite on disk or Postgres, metrics, and limits that are counted and never reached. */
const {
  callers,
  organizations = 0,
  changes = 0,
  connectionString,
  folder,
} = JSON.parse(process.argv[2] ?? "") as TrafficWorld;
const shared = connectionString !== undefined && {
  store: await postgresStore({ connectionString }),
  keyRing: staticKeyRing({ keys: [randomBytes(32).toString("base64")] }),
};
const dataDir = folder ?? mkdtempSync(join(tmpdir(), "liveplane-bench-"));
if (folder === undefined) process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
/** Requests of different callers that fill the store at the same time. */
const atOnce = 50;
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
const numbers = (length: number) => Array.from({ length }, (_, at) => at);
const people: TrafficCaller[] = [];
await inParallel(numbers(callers), atOnce, async (at) => {
  const person = { username: `person-${at}`, password: "correct horse battery" };
  const { id: ownerId } = await anyone.accounts.createWithCredentials(person);
  const { accessToken: token } = await anyone.sessions.create(person);
  const { environments } = liveplane.as({ kind: "account", accountId: ownerId });
  for (let made = 0; made < environmentsOf(at); made++) {
    const id = { type: "Personal", ownerId, shortName: nameOf(made) } as const;
    await environments.create(id, { name: nameOf(made) });
    for (let nth = 0; nth < changes; nth++) await environments.update(id, { name: `${nameOf(made)} ${nth}` });
  }
  people[at] = { token, ownerId };
});
await inParallel(numbers(organizations), atOnce, async (at) => {
  const [{ ownerId: accountId } = { ownerId: "" }, ...members] = membersOf(at, people);
  const { organizations: own } = liveplane.as({ kind: "account", accountId });
  const { id: organizationId } = await own.create({ name: `Organization ${at}` });
  for (const { ownerId: principalId } of members)
    await own.permissions.grant({ organizationId }, { principalType: "Account", principalId, permissionType: "View" });
});
report({ url, callers: people });
