import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, ratePolicies, webRuntime } from "@liveplane/core";
import { memoryStore } from "@liveplane/core/store";
import { createMetrics, createServer } from "@liveplane/server-express";
import { openTracing } from "../../packages/server-express/src/observing/tracing.ts";
import { report } from "./answers.ts";

/**
 * `memory`: alone. `sqlite`: as people run it, with metrics, and with limits that are counted and never reached. The next argument is the
 * share of traces sent.
 */
const [kind = "memory", tracedShare] = process.argv.slice(2);
const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
const metrics = createMetrics();
const unreached = Object.fromEntries(Object.keys(ratePolicies).map((bucket) => [bucket, 1e9]));
const [ports, options] =
  kind === "memory"
    ? [{ store: memoryStore() }, { rateLimits: "off" as const }]
    : [{ metrics: metrics.port }, { rateLimits: unreached, metrics }];
const { logger } = webRuntime();
const tracing =
  tracedShare === undefined ? null : await openTracing({ tracing: "otlp", tracedShare: Number(tracedShare) }, logger);
const traced = tracing === null ? {} : { tracer: tracing.tracer };
const settings = { openRegistration: true, accessTokenSeconds: 86_400 };
const liveplane = createLiveplane(await nodeDefaults({ dataDir, ...ports, ...traced, settings }));
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
