import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";
import { memoryStore } from "@liveplane/core/store";
import { createServer } from "@liveplane/server-express";
import { report } from "./answers.ts";

const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
const liveplane = createLiveplane(
  await nodeDefaults({
    dataDir,
    store: memoryStore(),
    settings: { openRegistration: true, accessTokenSeconds: 86_400 },
  }),
);
const url = await createServer({ liveplane, rateLimits: "off", needsAgent: false }).listen(0);

const anyone = liveplane.as({ kind: "anonymous" });
const person = { username: "ada", password: "correct horse battery" };
const { id: ownerId } = await anyone.accounts.createWithCredentials(person);
const { accessToken: token } = await anyone.sessions.create(person);
const api = liveplane.as({ kind: "account", accountId: ownerId });
await api.environments.create({ type: "Personal", ownerId, shortName: "bench" }, { name: "Bench" });
const { id: organizationId } = await api.organizations.create({ name: "Bench" });
report({ url, token, ownerId, organizationId });
