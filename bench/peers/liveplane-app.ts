import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, ratePolicies } from "@liveplane/core";
import { memoryStore } from "@liveplane/core/store";
import { createMetrics, createServer } from "@liveplane/server-express";
import { report } from "./answers.ts";

/** `memory`: alone. `sqlite`: as people run it, with metrics, and with limits that are counted and never reached. */
const [kind = "memory"] = process.argv.slice(2);
const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
const metrics = createMetrics();
const unreached = Object.fromEntries(Object.keys(ratePolicies).map((bucket) => [bucket, 1e9]));
const [ports, options] =
  kind === "memory"
    ? [{ store: memoryStore() }, { rateLimits: "off" as const }]
    : [{ metrics: metrics.port }, { rateLimits: unreached, metrics }];
const liveplane = createLiveplane(
  await nodeDefaults({ dataDir, ...ports, settings: { openRegistration: true, accessTokenSeconds: 86_400 } }),
);
await liveplane.start();
const url = await createServer({ liveplane, ...options }).listen(0);

const anyone = liveplane.as({ kind: "anonymous" });
const person = { username: "ada", password: "correct horse battery" };
const { id: ownerId } = await anyone.accounts.createWithCredentials(person);
const { accessToken: token } = await anyone.sessions.create(person);
const api = liveplane.as({ kind: "account", accountId: ownerId });
await api.environments.create({ type: "Personal", ownerId, shortName: "bench" }, { name: "Bench" });
const { id: organizationId } = await api.organizations.create({ name: "Bench" });
report({ url, token, ownerId, organizationId });
