import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keyvStore } from "@liveplane/adapters/keyv-store";
import { pgliteStore } from "@liveplane/adapters/pglite-store";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import type { Store } from "@liveplane/core/store";
import Keyv from "keyv";
import { createEventLog } from "../../../core/src/events/event-log.ts";
import { webRuntime } from "../../../core/src/ports/web-runtime.ts";
import { collection } from "../../../core/src/records/collection.ts";
import { createRecords } from "../../../core/src/records/create-records.ts";

/** The stores that outlive a process. */
export type Kind = "sqlite" | "node-sqlite" | "postgres" | "pglite" | "keyv";

/** Opens a store where it is: a file, a connection string, a folder. */
export async function openStore(kind: Kind, address: string): Promise<Store> {
  if (kind === "node-sqlite") return sqliteStore({ file: address, driver: "node:sqlite" });
  if (kind === "sqlite") return sqliteStore({ file: address });
  if (kind === "postgres") return postgresStore({ connectionString: address });
  if (kind === "pglite") return pgliteStore({ folder: address });
  return keyvStore({ keyv: new Keyv({ store: await folderBackend(address) }), snapshotEvery: 40, durable: true });
}

/** A key per file, replaced in one step. */
async function folderBackend(folder: string) {
  await mkdir(folder, { recursive: true });
  const fileOf = (key: string) => join(folder, encodeURIComponent(key));
  const missing = () => undefined;
  return {
    get: (key: string) => readFile(fileOf(key), "utf8").catch(missing),
    async set(key: string, value: unknown) {
      await writeFile(`${fileOf(key)}.new`, String(value));
      await rename(`${fileOf(key)}.new`, fileOf(key));
      return true;
    },
    delete: (key: string) =>
      rm(fileOf(key)).then(
        () => true,
        () => false,
      ),
    clear: () => rm(folder, { recursive: true }),
  };
}

/** One of two records that every commit of the crashing process writes together. */
export interface Half {
  readonly id: string;
  readonly side: "left" | "right";
  readonly state: string;
}

export const halves = collection<Half>()("half", {
  key: ({ id, side }) => [id, side],
  indexes: { byState: ({ state }) => [[state]] },
  uniques: { name: ({ id, side, state }) => [[state, side, id]] },
});

/** Records and their event log over a store. */
export function recordsOver(store: Store) {
  const runtime = webRuntime();
  const log = createEventLog({ store, runtime });
  return { log, records: createRecords({ store, runtime, onEvents: log.wake }) };
}
