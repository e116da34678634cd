import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { backUpSqlite, restoreSqlite, sqliteStore } from "@liveplane/adapters/sqlite-store";
import { LiveplaneError } from "@liveplane/core/errors";
import { exportStore, importStore, type Store } from "@liveplane/core/store";
import type { ServerConfig } from "./configuration/config.ts";
import { codeOf } from "./configuration/settings.ts";
import { resetOperator } from "./operator.ts";
import { openPorts, openStore } from "./ports.ts";

/** Sets a new one-time password for the operator, and prints it. With SQLite, the server must not be running. */
export async function renewOperator(config: ServerConfig): Promise<void> {
  const ports = await openPorts(config);
  try {
    const password = await resetOperator(ports);
    process.stdout.write(`The operator's one-time password: ${password}\n`);
  } finally {
    await ports.store.close();
  }
}

/** Writes everything to a file of JSON lines, which appears when it is complete. The server may be running. Secrets stay sealed. */
export async function exportTo(config: ServerConfig, file: string): Promise<void> {
  await using target = await opened(`${file}.part`, "w");
  const store = await openToRead(config);
  try {
    await pipeline(exportStore(store, { onProgress: tell("exported") }), target.createWriteStream());
    await rename(`${file}.part`, file);
  } finally {
    await store.close();
  }
}

/** Reads a file of JSON lines into an empty store. No key ring is created, because the data is sealed under its original one. */
export async function importFrom(config: ServerConfig, file: string): Promise<void> {
  await using source = await opened(file, "r");
  const store = await openStore(config);
  try {
    await importStore(store, source.createReadStream({ encoding: "utf8" }), { onProgress: tell("imported") });
  } finally {
    await store.close();
  }
}

/** Writes a copy of the database to a file. The server may be running. The keys aren't included. */
export async function backUpTo(config: ServerConfig, file: string): Promise<void> {
  requireSqlite(config, `pg_dump --format=custom --file=${quoted(file)} "$DATABASE_URL"`);
  await backUpSqlite({ file: databaseOf(config), to: file });
  process.stderr.write(
    `The database was copied to ${file}, without its keys. Back up the keys separately: the copy opens only with them.\n`,
  );
}

/** Restores a copy of the database into a data folder that has none. */
export async function restoreFrom(config: ServerConfig, file: string): Promise<void> {
  requireSqlite(config, `pg_restore --no-owner --dbname="$DATABASE_URL" ${quoted(file)}`);
  await restoreSqlite({ from: file, file: databaseOf(config) });
  process.stderr.write(`The database is restored. It opens only with the keys that it was written with.\n`);
}

const databaseOf = ({ dataDir }: ServerConfig) => join(dataDir, "liveplane.db");
const quoted = (file: string) => `'${file.replaceAll("'", "'\\''")}'`;

/** Postgres has its own, better tools. */
function requireSqlite({ databaseUrl }: ServerConfig, line: string): void {
  if (databaseUrl === null) return;
  throw new LiveplaneError("ConfigurationInvalid", `The database is Postgres. Use its own tool: ${line}`);
}

/** The file is opened before the store, so a typing error is reported at once. */
async function opened(file: string, flags: "r" | "w"): Promise<FileHandle> {
  const what = flags === "r" ? "read" : "written";
  const handle = await open(file, flags, 0o600).catch((cause: unknown) => {
    throw new LiveplaneError("ConfigurationInvalid", `The file ${file} can't be ${what}${codeOf(cause)}.`, { cause });
  });
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw new LiveplaneError("ConfigurationInvalid", `${file} is a folder. Name a file in it.`);
}

async function openToRead(config: ServerConfig): Promise<Store> {
  if (config.databaseUrl !== null) return openStore(config);
  return sqliteStore({ file: databaseOf(config), readOnly: true });
}

function tell(what: string): (entries: number) => void {
  return (entries) => void process.stderr.write(`${what} ${entries} entries\n`);
}
