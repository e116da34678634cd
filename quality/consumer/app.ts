import { rm } from "node:fs/promises";
import { nodeDefaults } from "@liveplane/adapters/node";
import { type Api, createClient, isLiveplaneError } from "@liveplane/client";
import { createLiveplane } from "@liveplane/core";
import { createServer } from "@liveplane/server-express";
import { story } from "./story.js";

/** An application of somebody who has only the packages: embeds the core, serves it, and calls it over HTTP. */
const dataDir = "data";
const liveplane = createLiveplane(await nodeDefaults({ dataDir, settings: { openRegistration: true } }));
await liveplane.start();
const host: Api = liveplane.as({ kind: "system", name: "host" });
const password = "correct horse battery";
const { id: ownerId } = await host.accounts.createWithCredentials({ username: "grace", password });

const server = createServer({ liveplane });
const baseUrl = await server.listen(0);
const grace = createClient({ baseUrl, credentials: { username: "grace", password } });

const production = { type: "Personal", ownerId, shortName: "production" } as const;
await grace.environments.create(production, { name: "Production" });
await grace.environments.secrets.create(production, { shortName: "db", value: "s3cret" });
const names: (string | null)[] = [];
for await (const { name } of grace.environments.list.all()) names.push(name);
const missing = await grace.environments.get({ ...production, shortName: "nowhere" }).catch((error: unknown) => error);
const told = await story(baseUrl);

await server.close();
await liveplane.stop();
await rm(dataDir, { recursive: true });
console.log(JSON.stringify({ names, missing: isLiveplaneError(missing) ? missing.code : missing, ...told }));
