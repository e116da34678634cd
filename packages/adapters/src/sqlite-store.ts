import { LiveplaneError } from "@liveplane/core/errors";
import {
  appendedKey,
  encodeKey,
  prepare,
  type Store,
  type StoreOptions,
  type StoreSnapshot,
} from "@liveplane/core/store";
import type { Database as Connection } from "better-sqlite3";
import {
  type Driver,
  failed,
  guarded,
  isDamage,
  loadDriver,
  openAlone,
  openBeside,
  type SqliteDriver,
  type Statements,
  sqliteCodeOf,
  sweptAtOnce,
} from "./stores/sqlite-database.ts";
import { type SqliteMemory, sqliteMemory, sqliteReader } from "./stores/sqlite-reader.ts";

export { backUpSqlite, restoreSqlite, type SqliteBackup, type SqliteRestore } from "./stores/sqlite-backup.ts";
export type { SqliteDriver } from "./stores/sqlite-database.ts";

/** Options of a SQLite store. */
export interface SqliteStoreOptions {
  /** The database file. Created if it doesn't exist; its folder must. */
  readonly file: string;
  /**
   * What runs the statements: the package, or the SQLite of Node, which needs no compiled code.
   * @default node:sqlite from Node 24 on; under Node 22 better-sqlite3 if it is installed, because Node's own is experimental there
   */
  readonly driver?: SqliteDriver;
  /** Only reads, beside the process that owns the file: for exports of a store in use. @default false */
  readonly readOnly?: boolean;
  /** A file up to this size is checked for damage before use, at about 4 seconds per GiB. @default 1 GiB */
  readonly checkUpToBytes?: number;
  /** The most memory that the owning process uses to cache entries. 0 disables the cache. @default 64 MiB */
  readonly rememberBytes?: number;
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

/** A longer queue of commits is split, so that none waits too long. */
const largestGroup = 64;
/** Expired entries count as absent; they are deleted this often. */
const sweepEveryMs = 60_000;

/**
 * Opens a store in one file. A commit is on the disk when it is answered (WAL, synchronous FULL); queued commits share one write. One
 * process owns the file: a second gets `StoreFailed`. If the lock beside the file was removed and two own it, whoever commits first
 * continues, and the other fails from its next commit on.
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, readOnly = false, checkUpToBytes = 2 ** 30, rememberBytes = 2 ** 26, now = Date.now } = options;
  const driver = await loadDriver(options.driver);
  const { database, lock, statements } = readOnly ? openBeside(driver, file) : openAlone(driver, file, checkUpToBytes);
  const queue: Waiting[] = [];
  const memory = sqliteMemory(statements, rememberBytes);
  const { together, noted } = createWriter({ database, statements, memory, now });
  let scheduled = false;
  let closed = false;

  const enter = ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };

  /** Makes all waiting commits in one transaction; each is judged separately, in order, and they reach the disk together. */
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

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    capabilities: { sharedByProcesses: false, durable: true, snapshot: true },
    ...sqliteReader({
      ...{ statements, now, enter, noted },
      ...(readOnly ? { atOnce: (read) => database.transaction(read)() } : { memory }),
    }),
    async commit(commit, options) {
      const prepared = prepare(commit);
      enter(options);
      if (readOnly) throw new LiveplaneError("StoreFailed", "The database was opened read-only.");
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
      lock?.close();
    },
  };
}

/** Writes groups of commits, one transaction each, and numbers the commits. */
function createWriter({
  database,
  statements,
  memory,
  now,
}: {
  readonly database: Connection;
  readonly statements: Statements;
  readonly memory: SqliteMemory;
  readonly now: () => number;
}) {
  /** The answer of `memory.look` when the head was last read. */
  let looked = memory.look();
  /** The latest commit's number. One process owns the file, so nobody else changes it; a number that may be in the file isn't reused. */
  let version = statements.head.get()?.version ?? 0;
  /** The latest number that is certainly in the file; between it and `version` are commits of unknown outcome. */
  let confirmed = version;
  /** Why nothing can be written any more. */
  let broken: LiveplaneError | null = null;
  let swept = now();

  function together(group: readonly Waiting[]): (number | null)[] | LiveplaneError {
    if (broken !== null) return broken;
    const before = version;
    let answers: (number | null)[];
    try {
      statements.begin.run();
      refuseOthers();
      const time = now();
      answers = group.map(({ commit }) => {
        if (!apply({ statements, memory }, commit, { version: version + 1, now: time })) return null;
        version += 1;
        return version;
      });
      if (version > before) statements.raise.run(version);
      sweep(time);
    } catch (cause) {
      version = before;
      return undone(statements, database, cause instanceof LiveplaneError ? cause : noted(failed("commit", cause)));
    }
    try {
      statements.end.run();
      if (version > before) confirmed = version;
      return answers;
    } catch (cause) {
      return undone(statements, database, notEnded(cause));
    }
  }

  /** In the transaction, so that nobody changes it between the check and the commit. */
  function refuseOthers(): void {
    const found = memory.look();
    if (found === looked && confirmed === version) return;
    looked = found;
    const head = statements.head.get()?.version ?? 0;
    if (head < confirmed || head > version) {
      broken = new LiveplaneError(
        "StoreFailed",
        "Another process wrote to this database while this one held its lock. Was the lock file deleted? Stop one of the processes.",
      );
      throw broken;
    }
    confirmed = head;
  }

  /** After damage was found nothing more is written; what is readable stays so, for an export. */
  function noted(error: LiveplaneError): LiveplaneError {
    if (isDamage(error.cause)) broken ??= error;
    return error;
  }

  function sweep(time: number): void {
    if (Math.abs(time - swept) < sweepEveryMs) return;
    // There may be more: the next commit continues.
    const expired = statements.sweep.all(time);
    for (const key of expired) memory.forget(key);
    if (expired.length < sweptAtOnce) swept = time;
  }

  return { together, noted };
}

type Prepared = ReturnType<typeof prepare>;
interface Waiting {
  readonly commit: Prepared;
  readonly resolve: (version: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** One commit inside the transaction. `false`: a check failed, and nothing was written. */
function apply(
  { statements, memory }: { readonly statements: Statements; readonly memory: SqliteMemory },
  { checks, sets, deletes, appends }: Prepared,
  { version: made, now }: { readonly version: number; readonly now: number },
): boolean {
  for (const { key, version } of checks) {
    const found = memory.get(key, now)?.version ?? statements.version.get(key, now) ?? null;
    if (found !== version) return false;
  }
  for (const key of deletes) {
    memory.forget(key);
    statements.remove.run(key);
  }
  for (const { key, json, expiresAt } of sets) {
    memory.forget(key);
    statements.set.run(key, json, made, expiresAt ?? null);
  }
  for (const [at, { prefix, json }] of appends.entries()) {
    const key = encodeKey([...prefix, ...appendedKey(made, at)]);
    memory.forget(key);
    statements.set.run(key, json, made, null);
  }
  return true;
}

function openSnapshot(driver: Driver, file: string, now: () => number): StoreSnapshot {
  const { database, statements } = openBeside(driver, file);
  guarded("be read", () => {
    database.exec("BEGIN");
    statements.head.get();
  });
  const instant = now();
  return {
    ...sqliteReader({ statements, now: () => instant, enter: () => {} }),
    async release() {
      database.close();
    },
  };
}

/** If the rollback fails too, the next transaction fails and says so. */
function undone(statements: Statements, database: Connection, error: LiveplaneError): LiveplaneError {
  try {
    if (database.inTransaction) statements.rollback.run();
  } catch {}
  return error;
}

/** A full disk ends a transaction cleanly. After any other write failure, a restart may find it made. */
function notEnded(cause: unknown): LiveplaneError {
  const code = sqliteCodeOf(cause);
  if (code === "SQLITE_FULL" || code === "SQLITE_BUSY") return failed("commit", cause);
  return new LiveplaneError("CommitOutcomeUnknown", `The database could not finish a commit (${code}).`, { cause });
}
