import { LiveplaneError } from "@liveplane/core/errors";
import {
  appendedKey,
  boundsOf,
  decodeKey,
  type Entry,
  encodeKey,
  type Json,
  type Key,
  prepare,
  type Store,
  type StoreOptions,
  type StoreSnapshot,
} from "@liveplane/core/store";
import type { Database as Connection, Statement } from "better-sqlite3";

/** Options of a SQLite store. */
export interface SqliteStoreOptions {
  /** The database file. Made when it is not there; its folder must be. */
  readonly file: string;
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

const schemaVersion = 1;
/** Above it a queue of commits is cut, so that none waits for ever. */
const largestGroup = 64;
/** Expired entries count as absent; so often they are taken away. */
const sweepEveryMs = 60_000;

/**
 * Opens a store in one file. A commit is on the disk when it is answered (WAL, synchronous FULL); commits that queue up share
 * one write. One process holds the file: a second gets `StoreFailed`.
 */
export async function sqliteStore({ file, now = Date.now }: SqliteStoreOptions): Promise<Store> {
  refuseOldNode();
  const driver = await loadDriver();
  const { database, lock } = openAlone(driver, file);
  const statements = prepareStatements(database);
  const queue: Waiting[] = [];
  /** Of the latest commit. One process holds the file, so nobody else moves it; a number that may be in the file is not used again. */
  let version = statements.head.get()?.version ?? 0;
  let scheduled = false;
  let swept = now();
  let closed = false;

  const enter = ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };

  /** Makes all commits that wait in one transaction; each is judged by itself, in order, and they reach the disk together. */
  function flush(): void {
    scheduled = false;
    const group = queue.splice(0, largestGroup);
    if (queue.length > 0) schedule();
    const answers = together(group);
    for (const [at, { resolve, reject }] of group.entries()) {
      if (answers instanceof LiveplaneError) reject(answers);
      else resolve(answers[at] ?? null);
    }
  }

  function together(group: readonly Waiting[]): (number | null)[] | LiveplaneError {
    const before = version;
    let answers: (number | null)[];
    try {
      statements.begin.run();
      const time = now();
      answers = group.map(({ commit }) => {
        if (!apply(statements, commit, { version: version + 1, now: time })) return null;
        version += 1;
        return version;
      });
      if (version > before) statements.raise.run(version);
      sweep(time);
    } catch (cause) {
      version = before;
      return undone(statements, database, failed("commit", cause));
    }
    try {
      statements.end.run();
      return answers;
    } catch (cause) {
      return undone(statements, database, notEnded(cause));
    }
  }

  function sweep(time: number): void {
    if (time - swept < sweepEveryMs) return;
    swept = time;
    statements.sweep.run(time);
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    capabilities: { sharedByProcesses: false, durable: true, snapshot: true },
    ...reader(statements, now, enter),
    async commit(commit, options) {
      const prepared = prepare(commit);
      enter(options);
      return new Promise<number | null>((resolve, reject) => {
        queue.push({ commit: prepared, resolve, reject });
        schedule();
      });
    },
    async snapshot(options): Promise<StoreSnapshot> {
      enter(options);
      return openSnapshot(driver, file, now);
    },
    async close() {
      if (closed) return;
      closed = true;
      while (queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
      database.close();
      lock.close();
    },
  };
}

type Prepared = ReturnType<typeof prepare>;
type Driver = new (file: string, options?: { readonly?: boolean; timeout?: number }) => Connection;

interface Waiting {
  readonly commit: Prepared;
  readonly resolve: (version: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Rows come as arrays, which the driver makes faster than objects. */
type Row = readonly [key: string, value: string, version: number, expiresAt: number | null];

function refuseOldNode(): void {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < 22)
    throw new LiveplaneError("UnsupportedRuntime", `SQLite needs Node 22 or later; this is ${process.version}.`);
}

async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver } = await import("better-sqlite3");
    return driver as unknown as Driver;
  } catch (cause) {
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "The SQLite store needs the package better-sqlite3: npm install better-sqlite3@13",
      { cause },
    );
  }
}

function openAlone(driver: Driver, file: string): { readonly database: Connection; readonly lock: Connection } {
  const lock = holdAlone(driver, file);
  try {
    return { database: open(driver, file), lock };
  } catch (error) {
    lock.close();
    throw error;
  }
}

function open(driver: Driver, file: string): Connection {
  let database: Connection | undefined;
  try {
    database = new driver(file, { timeout: 0 });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    const found = database.pragma("user_version", { simple: true }) as number;
    if (found > schemaVersion)
      throw new LiveplaneError("ConfigurationInvalid", "The database was written by a newer version of liveplane.");
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

/** A lock that the operating system gives back when the process ends, however it ends. */
function holdAlone(driver: Driver, file: string): Connection {
  const lock = guarded("be opened", () => new driver(`${file}.lock`, { timeout: 0 }));
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (cause) {
    lock.close();
    throw new LiveplaneError(
      "StoreFailed",
      "Another process has this database open. Use Postgres for several processes.",
      { cause },
    );
  }
}

interface Statements {
  readonly begin: Statement<[]>;
  readonly end: Statement<[]>;
  readonly rollback: Statement<[]>;
  readonly head: Statement<[], { version: number }>;
  readonly raise: Statement<[number]>;
  readonly get: Statement<[string, number], Row>;
  readonly set: Statement<[string, string, number, number | null]>;
  readonly remove: Statement<[string]>;
  readonly sweep: Statement<[number]>;
  readonly up: Statement<[string, string | Buffer, number, number], Row>;
  readonly down: Statement<[string, string | Buffer, number, number], Row>;
}

function prepareStatements(database: Connection): Statements {
  const live = "(expires_at IS NULL OR expires_at > ?)";
  const rows = <Given extends unknown[]>(text: string) => database.prepare<Given, Row>(text).raw();
  return {
    begin: database.prepare("BEGIN IMMEDIATE"),
    end: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
    head: database.prepare("SELECT version FROM head"),
    raise: database.prepare("UPDATE head SET version = ?"),
    get: rows(`SELECT key, value, version, expires_at FROM entry WHERE key = ? AND ${live}`),
    set: database.prepare(
      "INSERT INTO entry VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at",
    ),
    remove: database.prepare("DELETE FROM entry WHERE key = ?"),
    sweep: database.prepare("DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE expires_at <= ? LIMIT 5000)"),
    up: rows(
      `SELECT key, value, version, expires_at FROM entry WHERE key > ? AND key < ? AND ${live} ORDER BY key LIMIT ?`,
    ),
    down: rows(
      `SELECT key, value, version, expires_at FROM entry WHERE key > ? AND key < ? AND ${live} ORDER BY key DESC LIMIT ?`,
    ),
  };
}

/** One commit inside the transaction. `false`: a check didn't hold, nothing was written. */
function apply(
  statements: Statements,
  { checks, sets, deletes, appends }: Prepared,
  { version: made, now }: { readonly version: number; readonly now: number },
): boolean {
  for (const { key, version } of checks) {
    if ((statements.get.get(key, now)?.[2] ?? null) !== version) return false;
  }
  for (const key of deletes) statements.remove.run(key);
  for (const { key, json, expiresAt } of sets) statements.set.run(key, json, made, expiresAt ?? null);
  for (const [at, { prefix, json }] of appends.entries()) {
    statements.set.run(encodeKey([...prefix, ...appendedKey(made, at)]), json, made, null);
  }
  return true;
}

function reader(
  statements: Statements,
  now: () => number,
  enter: (options?: StoreOptions) => void,
): Pick<Store, "get" | "list"> {
  return {
    async get(keys: readonly Key[], options) {
      const encoded = keys.map(encodeKey);
      enter(options);
      const time = now();
      return guarded("read", () =>
        encoded.map((key) => {
          const row = statements.get.get(key, time);
          return row === undefined ? null : toEntry(row);
        }),
      );
    },
    async list(range, options) {
      const { lower, upper, limit, reverse } = boundsOf(range);
      enter(options);
      const statement = reverse ? statements.down : statements.up;
      return guarded("read", () => statement.all(lower, upper ?? behindAll, now(), limit).map(toEntry));
    },
  };
}

/** SQLite orders bytes behind all text. */
const behindAll = Buffer.alloc(0);

function toEntry([key, value, version, expiresAt]: Row): Entry {
  const entry = { key: decodeKey(key), value: JSON.parse(value) as Json, version };
  return expiresAt === null ? entry : { ...entry, expiresAt };
}

function openSnapshot(driver: Driver, file: string, now: () => number): StoreSnapshot {
  const database = guarded("be opened", () => new driver(file, { readonly: true }));
  const statements = prepareStatements(database);
  database.exec("BEGIN");
  statements.head.get();
  const instant = now();
  return {
    ...reader(
      statements,
      () => instant,
      () => {},
    ),
    async release() {
      database.close();
    },
  };
}

function guarded<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw failed(what, cause);
  }
}

function undone(statements: Statements, database: Connection, error: LiveplaneError): LiveplaneError {
  if (database.inTransaction) guarded("roll back", () => statements.rollback.run());
  return error;
}

/** A full disk ends a transaction cleanly. After any other failure to write it, a restart may find it made. */
function notEnded(cause: unknown): LiveplaneError {
  const code = codeOf(cause);
  if (code === "SQLITE_FULL" || code === "SQLITE_BUSY") return failed("commit", cause);
  return new LiveplaneError("CommitOutcomeUnknown", `The database could not finish a commit (${code}).`, { cause });
}

function codeOf(cause: unknown): string {
  return String(Reflect.get(Object(cause), "code") ?? "unknown");
}

function failed(what: string, cause: unknown): LiveplaneError {
  const code = codeOf(cause);
  const reason = code === "SQLITE_FULL" ? "the disk is full" : code;
  return new LiveplaneError("StoreFailed", `The database could not ${what}: ${reason}.`, {
    cause,
    retryable: code === "SQLITE_BUSY",
  });
}
