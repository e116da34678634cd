import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";
import { createServer } from "@liveplane/server-express";
import type { Store } from "../../packages/core/src/ports/store.ts";
import { fleetStores } from "../fleet.ts";

/** A server over a log with this many events of one organization, with strangers and a guest who may see one in a hundred. */
const [kind = "memory", size = "1000", strangers = "1"] = process.argv.slice(2);
const password = "correct horse battery";
const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
const { store, close } = await fleetStores[kind as keyof typeof fleetStores]();
const liveplane = createLiveplane(
  await nodeDefaults({ dataDir, store, settings: { openRegistration: true, accessTokenSeconds: 86_400 } }),
);
const url = await createServer({ liveplane, rateLimits: "off", needsAgent: false }).listen(0);
const anyone = liveplane.as({ kind: "anonymous" });

async function person(username: string) {
  const { id } = await anyone.accounts.createWithCredentials({ username, password });
  const { accessToken: token } = await anyone.sessions.create({ username, password });
  return { id, token, api: liveplane.as({ kind: "account", accountId: id }) };
}

const [owner, guest] = [await person("owner"), await person("guest")];
const { organizations, environments } = owner.api;
const { id: ownerId } = await organizations.create({ name: "Bench" });
const group = { organizationId: ownerId, shortName: "some" };
await organizations.resourceGroups.upsert(group, {});
const grant = { principalType: "Account", principalId: guest.id, permissionType: "View" } as const;
await organizations.resourceGroups.permissions.grant(group, grant);
const resourceGroups = [`Organizational/${ownerId}/some`];
const named = (at: number) => ({ type: "Organizational", ownerId, shortName: `e${at}` }) as const;
for (let at = 0; at < 100; at++) await environments.create(named(at), at === 0 ? { resourceGroups } : {});
await fill(store, Number(size));
const tokens: string[] = [];
for (let at = 0; at < Number(strangers); at++) tokens.push((await person(`stranger${at}`)).token);

/** As changes leave them; the sequencer numbers them. */
async function fill(into: Store, count: number): Promise<void> {
  for (let made = 0; made < count; made += 200) {
    const value = (at: number) => ({
      ...{ id: crypto.randomUUID(), type: "environment.updated", subject: `Organizational/${ownerId}/e${at % 100}` },
      ...{ about: { kind: "environment", ...named(at % 100) }, data: { changed: ["description"] } },
      ...{ actor: owner.id, requestId: crypto.randomUUID(), time: Date.now() },
    });
    await into.commit({
      appends: Array.from({ length: 200 }, (_, at) => ({ prefix: ["event", "pending"], value: value(made + at) })),
    });
    await liveplane.log.sequence();
  }
}

process.on("message", async (count: number) => {
  const startedAt = performance.now();
  for (let after = 0; after < count; after += 100) await liveplane.log.read(after, 100);
  process.send?.(performance.now() - startedAt);
});
process.once("disconnect", async () => {
  await close();
  rmSync(dataDir, { recursive: true, force: true });
  process.exit();
});
process.send?.({ url, owner: owner.token, guest: guest.token, strangers: tokens });
