import { statSync } from "node:fs";
import { LiveplaneError } from "@liveplane/core/errors";
import type { Database as Connection, Statement } from "better-sqlite3";
import { loadNodeSqlite } from "./node-sqlite.ts";
import { keepPrivateFile, tighten } from "./private-files.ts";

export type Driver = new (file: string, options?: { readonly?: boolean; timeout?: number }) => Connection;

/** Rows as arrays, which the driver creates faster than objects. */
export type SqliteRow = readonly [key: string, value: string, version: number, expiresAt: number | null];

const schemaVersion = 1;

/** What runs the statements: the package, or the SQLite that is part of Node. */
export type SqliteDriver = "better-sqlite3" | "node:sqlite";

/** Loads the vendor's package after checking Node's version: under an old one it would end the process. */
export async function loadDriver(name?: SqliteDriver): Promise<Driver> {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < 22)
    throw new LiveplaneError("UnsupportedRuntime", `SQLite needs Node 22 or later; this is ${process.version}.`);
  // Under Node 22 it is experimental, and warns.
  if (name === "node:sqlite" || (name === undefined && major >= 24)) return (await loadNodeSqlite()) as Driver;
  try {
    const { default: driver } = await import("better-sqlite3");
    return driver as unknown as Driver;
  } catch (cause) {
    if (name === undefined) return (await loadNodeSqlite()) as Driver;
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "This driver of the SQLite store needs the package better-sqlite3: npm install better-sqlite3@13",
      { cause },
    );
  }
}

interface Opened {
  readonly database: Connection;
  readonly statements: Statements;
  /** Makes this process the file's only owner. */
  readonly lock: Connection | null;
}

/** Opens the file for the one process that may write it. A small file is checked for damage. */
export function openAlone(driver: Driver, file: string, checkUpToBytes: number): Opened {
  guarded("be opened", () => keepPrivateFile(`${file}.lock`));
  const lock = holdAlone(driver, file);
  try {
    guarded("be opened", () => keepPrivateFile(file));
    // SQLite gives new files the mode of the database file.
    for (const beside of ["-wal", "-shm", "-journal"]) tighten(`${file}${beside}`, 0o600);
    const database = open(driver, file);
    if (statSync(file).size <= checkUpToBytes) refuseDamaged(database);
    return { database, statements: prepareStatements(database), lock };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Opens the file to read it while another process writes it. */
export function openBeside(driver: Driver, file: string): Opened {
  const database = guarded("be opened", () => new driver(file, { readonly: true }));
  try {
    refuseNewer(database);
    return { database, statements: guarded("be read", () => prepareStatements(database)), lock: null };
  } catch (error) {
    database.close();
    throw error;
  }
}

function refuseNewer(database: Connection): void {
  const found = guarded("be read", () => database.pragma("user_version", { simple: true }) as number);
  if (found > schemaVersion)
    throw new LiveplaneError("ConfigurationInvalid", "The database was written by a newer version of liveplane.");
}

/** Checks the whole file. */
export function refuseDamaged(database: Connection): void {
  const found = guarded("be read", () => database.pragma("quick_check(1)", { simple: true }));
  if (found === "ok") return;
  database.close();
  const where = String(found).replaceAll(/\s+/g, " ").slice(0, 200);
  const message = `The database is damaged (${where}). Restore a backup.`;
  throw new LiveplaneError("StoreFailed", message);
}

function open(driver: Driver, file: string): Connection {
  let database: Connection | undefined;
  try {
    database = new driver(file, { timeout: 0 });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    // Overwritten and deleted data is erased when its page is written anyway.
    database.pragma("secure_delete = FAST");
    refuseNewer(database);
    database.exec(`
      CREATE TABLE IF NOT EXISTS entry (
        key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, expires_at INTEGER
      ) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS entry_expiry ON entry (expires_at) WHERE expires_at IS NOT NULL;
      CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL);
      INSERT OR IGNORE INTO head VALUES (1, 0);
      PRAGMA user_version = ${schemaVersion};`);
    return database;
  } catch (cause) {
    database?.close();
    throw cause instanceof LiveplaneError ? cause : failed("be opened", cause);
  }
}

/** A lock that the operating system releases when the process ends, however it ends. */
export function holdAlone(driver: Driver, file: string): Connection {
  const lock = guarded("be opened", () => new driver(`${file}.lock`, { timeout: 0 }));
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (cause) {
    lock.close();
    throw new LiveplaneError(
      "StoreFailed",
      `Another process has the database ${file} open. Stop it, or use Postgres for several processes.`,
      { cause },
    );
  }
}

/** The number of expired entries deleted at once. */
export const sweptAtOnce = 5000;

/** All statements of a store. */
export interface Statements {
  readonly begin: Statement<[]>;
  readonly end: Statement<[]>;
  readonly rollback: Statement<[]>;
  readonly head: Statement<[], { version: number }>;
  readonly raise: Statement<[number]>;
  readonly get: Statement<[string, number], SqliteRow>;
  readonly version: Statement<[string, number], number>;
  /** Changes when another connection has changed anything. */
  readonly changed: Statement<[], number>;
  readonly set: Statement<[string, string, number, number | null]>;
  readonly remove: Statement<[string]>;
  /** Returns the deleted keys. */
  readonly sweep: Statement<[number], string>;
  readonly up: Statement<[string, string | Buffer, number, number], SqliteRow>;
  readonly down: Statement<[string, string | Buffer, number, number], SqliteRow>;
}

/** Prepares every statement once. */
function prepareStatements(database: Connection): Statements {
  const live = "(expires_at IS NULL OR expires_at > ?)";
  const rows = <Given extends unknown[]>(text: string) => database.prepare<Given, SqliteRow>(text).raw();
  return {
    begin: database.prepare("BEGIN IMMEDIATE"),
    end: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
    head: database.prepare("SELECT version FROM head"),
    raise: database.prepare("UPDATE head SET version = ?"),
    get: rows(`SELECT key, value, version, expires_at FROM entry WHERE key = ? AND ${live}`),
    version: database.prepare<[string, number], number>(`SELECT version FROM entry WHERE key = ? AND ${live}`).pluck(),
    changed: database.prepare<[], number>("PRAGMA data_version").pluck(),
    set: database.prepare(
      "INSERT INTO entry VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at",
    ),
    remove: database.prepare("DELETE FROM entry WHERE key = ?"),
    sweep: database
      .prepare<[number], string>(
        `DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE expires_at <= ? LIMIT ${sweptAtOnce}) RETURNING key`,
      )
      .pluck(),
    up: rows(
      `SELECT key, value, version, expires_at FROM entry WHERE key > ? AND key < ? AND ${live} ORDER BY key LIMIT ?`,
    ),
    down: rows(
      `SELECT key, value, version, expires_at FROM entry WHERE key > ? AND key < ? AND ${live} ORDER BY key DESC LIMIT ?`,
    ),
  };
}

/** Uses the database, with failures in our own words. */
export function guarded<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw failed(what, cause);
  }
}

/** Results of SQLite that are treated differently; Node reports their numbers. */
const resultCodes: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  26: "SQLITE_NOTADB",
};

/** The driver's own code for a failure. */
export function sqliteCodeOf(cause: unknown): string {
  const number = Reflect.get(Object(cause), "errcode");
  if (typeof number === "number") return resultCodes[number & 0xff] ?? `SQLITE_${number}`;
  return String(Reflect.get(Object(cause), "code") ?? "unknown");
}

/** Whether a failure means that the file is damaged: bad pages, or a value that isn't JSON. */
export function isDamage(cause: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCodeOf(cause)) || cause instanceof SyntaxError;
}

/** The failure of something that changed nothing. */
export function failed(what: string, cause: unknown): LiveplaneError {
  const code = sqliteCodeOf(cause);
  const reason = code === "SQLITE_FULL" ? "the disk is full" : code;
  return new LiveplaneError("StoreFailed", `The database could not ${what}: ${reason}.`, {
    cause,
    retryable: code === "SQLITE_BUSY",
  });
}
