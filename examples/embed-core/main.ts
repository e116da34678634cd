// The core in a plain Node script: no server, no port, no framework. Creates an account and, as that account, an environment with a secret.
// Its data is in the folder .liveplane: a database, and the key that seals the secret. Delete the folder to run this again.
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";

const liveplane = createLiveplane(await nodeDefaults({ dataDir: ".liveplane" }));
await liveplane.start();

const host = liveplane.as({ kind: "system", name: "host" });
const account = await host.accounts.createWithCredentials({ username: "ada", password: "correct horse battery" });

const ada = liveplane.as({ kind: "account", accountId: account.id });
const production = { type: "Personal", ownerId: account.id, shortName: "production" } as const;
await ada.environments.create(production, { name: "Production" });
await ada.environments.secrets.create(production, { shortName: "db", value: "s3cret" });

console.log(await ada.environments.get(production));
await liveplane.stop();
