import { existsSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { backUpSqlite, restoreSqlite } from "@liveplane/adapters/sqlite-store";
import { LiveplaneError } from "@liveplane/core/errors";
import { exportStore, importStore, raiseFormat } from "@liveplane/core/store";
import type { ServerConfig } from "./configuration/config.ts";
import { codeOf } from "./configuration/settings.ts";
import { resetOperator } from "./operator.ts";
import { openPorts } from "./ports.ts";
import { openStore, openToRead, sqliteFile } from "./stores.ts";

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

/** Raises the store's format, which older releases then refuse. With SQLite, the server must not be running. */
export async function raiseStore(config: ServerConfig): Promise<void> {
  const store = await openStore(config);
  try {
    const { from, to } = await raiseFormat(store);
    const what = from === to ? `has format ${to} already` : `had format ${from} and has format ${to} now`;
    process.stdout.write(`The store ${what}.\n`);
  } finally {
    await store.close();
  }
}

/** Writes everything to a new file of JSON lines, which appears when it is complete. The server may be running. Secrets stay sealed. */
export async function exportTo(config: ServerConfig, file: string): Promise<void> {
  if (existsSync(file))
    throw new LiveplaneError("ConfigurationInvalid", `${file} already exists. Nothing was written.`);
  await using target = await opened(`${file}.part`, "w");
  const store = await openToRead(config);
  try {
    // A store without snapshots belongs to this process alone.
    const lines = exportStore(store, { onProgress: tell("exported"), atRest: !store.capabilities.snapshot });
    await pipeline(lines, target.createWriteStream());
    await rename(`${file}.part`, file);
    sayKeys(
      config,
      (ring) => `The key ring isn't in the file. Keep ${ring} too: a server on the imported data needs it.`,
    );
  } finally {
    await store.close();
  }
}

/** Reads a file of JSON lines into an empty store. No key ring is created, because the data is sealed under its original one. */
export async function importFrom(config: ServerConfig, file: string): Promise<void> {
  await readInto(config, file);
  sayKeys(config, ringNeeded);
}

function ringNeeded(ring: string): string {
  return existsSync(ring)
    ? `The key ring is there already: ${ring}.`
    : `Before you start the server, copy the key ring of the original one to ${ring}.`;
}

/** The same, without a word about the keys. */
export async function readInto(config: ServerConfig, file: string): Promise<void> {
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
  const database = requireSqlite(config, {
    postgres: `pg_dump --format=custom --file=${quoted(file)} "$DATABASE_URL"`,
    others: "export",
  });
  await backUpSqlite({ file: database, to: file });
  process.stderr.write(
    `The database was copied to ${file}, without its keys. Back up the keys separately: the copy opens only with them.\n`,
  );
}

/** Restores a copy of the database into a data folder that has none. */
export async function restoreFrom(config: ServerConfig, file: string): Promise<void> {
  await restoreInto(config, file);
  process.stderr.write("The database is restored. It opens only with the keys that it was written with.\n");
  sayKeys(config, ringNeeded);
}

/** The same, without a word about it. */
export async function restoreInto(config: ServerConfig, file: string): Promise<void> {
  const database = requireSqlite(config, {
    postgres: `pg_restore --no-owner --dbname="$DATABASE_URL" ${quoted(file)}`,
    others: "import",
  });
  await restoreSqlite({ from: file, file: database });
}

const quoted = (file: string) => `'${file.replaceAll("'", "'\\''")}'`;

/** The database file. Postgres has its own, better tools; the data of the other stores is moved as lines. */
function requireSqlite(config: ServerConfig, instead: { readonly postgres: string; readonly others: string }): string {
  const file = sqliteFile(config);
  if (file !== null) return file;
  const { kind } = config.store;
  const message =
    kind === "postgres"
      ? `The database is Postgres. Use its own tool: ${instead.postgres}`
      : `Only SQLite databases are copied, and this store is ${kind}. Use ${instead.others}.`;
  throw new LiveplaneError("ConfigurationInvalid", message);
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

/** Says what to do with the key ring, which the lines don't contain. A key in a setting is with its operator already. */
function sayKeys({ masterKey, dataDir }: ServerConfig, what: (ring: string) => string): void {
  if (masterKey === null) process.stderr.write(`${what(join(dataDir, "key-ring"))}\n`);
}

function tell(what: string): (entries: number) => void {
  return (entries) => void process.stderr.write(`${what} ${entries} entries\n`);
}
