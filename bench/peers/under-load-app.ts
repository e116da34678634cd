import { rmSync } from "node:fs";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, ratePolicies } from "@liveplane/core";
import { exportStore } from "@liveplane/core/store";
import { createMetrics, createServer } from "@liveplane/server-express";
import { fleet } from "../fleet.ts";

/** A server over SQLite with a fleet, which sweeps, exports and reports its memory on request. */
const [dataDir = "", size = "1000", people = "32"] = process.argv.slice(2);
const metrics = createMetrics();
const unreached = Object.fromEntries(Object.keys(ratePolicies).map((bucket) => [bucket, 1e9]));
const settings = { openRegistration: true, accessTokenSeconds: 86_400 };
const ports = await nodeDefaults({ dataDir, metrics: metrics.port, settings });
const { store } = ports;
const { sweep } = await fleet(store, Number(size));
const liveplane = createLiveplane(ports);
const server = createServer({ liveplane, metrics, rateLimits: unreached, needsAgent: false });
const url = await server.listen(0);

const anyone = liveplane.as({ kind: "anonymous" });
const password = "correct horse battery";
const ids: string[] = [];
for (let at = 0; at < Number(people); at++)
  ids.push((await anyone.accounts.createWithCredentials({ username: `p${at}`, password })).id);
const [ownerId = ""] = ids;
const { accessToken: token } = await anyone.sessions.create({ username: "p0", password });
const api = liveplane.as({ kind: "account", accountId: ownerId });
await api.environments.create({ type: "Personal", ownerId, shortName: "bench" }, { name: "Bench" });

const asked: Readonly<Record<string, () => Promise<object>>> = {
  async sweep() {
    const startedAt = performance.now();
    await sweep();
    return { ms: performance.now() - startedAt };
  },
  async export() {
    const startedAt = performance.now();
    let lines = 0;
    for await (const line of exportStore(store)) lines += line === "" ? 0 : 1;
    return { ms: performance.now() - startedAt, lines };
  },
  /** The memory after garbage collection. */
  async memory() {
    for (let pass = 0; pass < 3; pass++) globalThis.gc?.();
    return process.memoryUsage();
  },
  async close() {
    await server.close();
    await liveplane.stop();
    return {};
  },
};
process.on("message", async (name: string) => process.send?.(await asked[name]?.()));
process.once("disconnect", () => {
  rmSync(dataDir, { recursive: true, force: true });
  process.exit();
});
process.send?.({ url, token, ownerId });
