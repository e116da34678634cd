// The core over Keyv: its state is in memory, and Keyv's backend (here SQLite) keeps the journal of every commit. Creates an account,
// stops, starts again with the same file, and finds the account. Keyv has no compare-and-set, so only one process may use such a store.
import { mkdirSync } from "node:fs";
import KeyvSqlite from "@keyv/sqlite";
import { keyvStore } from "@liveplane/adapters/keyv-store";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";
import Keyv from "keyv";

const dataDir = ".liveplane";
mkdirSync(dataDir, { recursive: true });

async function open() {
  // No listener for errors and no ttl: keyvStore must see failures, and nothing may expire.
  const keyv = new Keyv({ store: new KeyvSqlite(`sqlite://${dataDir}/liveplane.db`) });
  const store = await keyvStore({ keyv, durable: true });
  const liveplane = createLiveplane(await nodeDefaults({ dataDir, store }));
  await liveplane.start();
  const host = liveplane.as({ kind: "system", name: "host" });
  const close = async () => {
    await liveplane.stop();
    await store.close();
    await keyv.disconnect();
  };
  return { host, close };
}

const first = await open();
const { id } = await first.host.accounts.createWithCredentials({ username: "ada", password: "correct horse battery" });
await first.close();

const second = await open();
for await (const account of second.host.accounts.list.all())
  console.log(account.id === id ? `${account.username} is still there.` : account);
await second.close();
