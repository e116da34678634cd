// A control plane on your own store and cloud: its records are in a Map, and every resource is a JSON file. Deploys one resource and
// reports what happens to it. Open its file, remove "managed-by" from the tags, and save. Ends with Ctrl-C.
import { resolve } from "node:path";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, deployAndWait, type EnvironmentRef } from "@liveplane/core";
import { folderCloud } from "./folder-cloud.ts";
import { mapStore } from "./map-store.ts";

const folder = resolve(".liveplane/resources");
const clouds = {
  adapters: [folderCloud({ folder })],
  // This cloud has no initialization: an environment's resources go into a folder with its name.
  targetFor: async ({ shortName }: EnvironmentRef) => ({ scope: shortName, region: "here" }),
};
const settings = { checkSeconds: 1 };
const liveplane = createLiveplane(await nodeDefaults({ dataDir: ".liveplane", store: mapStore(), clouds, settings }));
await liveplane.start();

const host = liveplane.as({ kind: "system", name: "host" });
const { id: ownerId } = await host.accounts.createWithCredentials({
  username: "ada",
  password: "correct horse battery",
});
const ada = liveplane.as({ kind: "account", accountId: ownerId });
const environmentId = { type: "Personal", ownerId, shortName: "home" } as const;
await ada.environments.create(environmentId, {});
const components = [{ path: "note", provider: "folder", type: "note", resourceName: "note", parameters: { size: 1 } }];
await deployAndWait(ada, { name: "notes", environmentId, components }, { intervalMs: 100 });
console.log(`deployed: ${folder}/home/note.json`);

process.once("SIGINT", () => liveplane.stop()).once("SIGTERM", () => liveplane.stop());
for await (const { type, data } of ada.events.follow({ after: 0 })) {
  if ("from" in data) console.log(`${type}: ${data.from} → ${data.status}`);
}
