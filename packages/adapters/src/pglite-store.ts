import { mkdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PGlite } from "@electric-sql/pglite";
import { LiveplaneError } from "@liveplane/core/errors";
import { prepare, type Store, type StoreOptions } from "@liveplane/core/store";
import { postgresMemory } from "./stores/postgres-entries.ts";
import { postgresReader, untilAborted } from "./stores/postgres-reader.ts";
import { byKeysText, prepareSchema } from "./stores/postgres-schema.ts";
import { commitQuery, sweeper } from "./stores/postgres-writes.ts";
import { keepPrivateFile, tighten } from "./stores/private-files.ts";
import { guarded, holdAlone, loadDriver } from "./stores/sqlite-database.ts";

/** Options of a PGlite store. */
export interface PgliteStoreOptions {
  /** The folder of the database, created if it doesn't exist. A lock file is written next to it. */
  readonly folder: string;
  /** The most memory for cached values. @default 64 MiB */
  readonly rememberBytes?: number;
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

/**
 * Opens a store in PGlite: Postgres as WebAssembly, inside this process. It runs the statements of the Postgres store. One process owns the
 * folder; a second gets `StoreFailed`. PGlite doesn't wait for the disk, so a power failure can lose commits or damage the folder.
 */
export async function pgliteStore(options: PgliteStoreOptions): Promise<Store> {
  const { folder, rememberBytes = 2 ** 26, now = Date.now } = options;
  const open = await loadDriver();
  const { PGlite } = await loadPglite();
  guarded("be opened", () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    tighten(folder, 0o700);
    keepPrivateFile(`${folder}.lock`);
  });
  const lock = holdAlone(open, folder);
  let database: PGlite | undefined;
  try {
    const own = await PGlite.create(folder, { parsers });
    database = own;
    await own.query(byKeysText);
    await prepareSchema(async (text, values) => own.query(text, values));
    return storeOver(own, { rememberBytes, now, unlock: () => lock.close() });
  } catch (cause) {
    await database?.close().catch(() => {});
    lock.close();
    throw cause instanceof LiveplaneError ? cause : failed(cause);
  }
}

interface StoreParts {
  readonly rememberBytes: number;
  readonly now: () => number;
  readonly unlock: () => void;
}

function storeOver(database: PGlite, { rememberBytes, now, unlock }: StoreParts): Store {
  const memory = postgresMemory(rememberBytes);
  let closed = false;
  const enter = ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };

  const dropExpired = sweeper(now, (text, values) =>
    database.query(text, values).then(({ affectedRows }) => affectedRows ?? 0),
  );

  async function make(commit: ReturnType<typeof prepare>): Promise<number | null> {
    try {
      const { text, values } = commitQuery([commit], now());
      const { rows } = await database.query<{ version: string | null }>(text, values);
      const version = rows[0]?.version ?? null;
      return version === null ? null : Number(version);
    } catch (cause) {
      if (isRefusal(cause)) throw failed(cause);
      const message = "PGlite broke during a commit. The change may have been stored. Restart the process.";
      throw new LiveplaneError("CommitOutcomeUnknown", message, { cause });
    }
  }

  return {
    capabilities: { sharedByProcesses: false, durable: false, snapshot: false },
    ...postgresReader({
      query: <Row extends object>(_name: string, text: string, values: readonly unknown[]) =>
        database.query<Row>(text, [...values]).catch((cause: unknown) => {
          throw failed(cause);
        }),
      ...{ now, enter, memory, readTogether: true },
    }),
    async commit(commit, commitOptions) {
      const prepared = prepare(commit);
      enter(commitOptions);
      dropExpired();
      return untilAborted(memory.after(prepared, make(prepared)), commitOptions?.signal);
    },
    async close() {
      if (closed) return;
      closed = true;
      // Reads of this turn are sent at its end.
      await nextTurn();
      // It runs one statement after the other, and ends after the last.
      await database.close().catch(() => {});
      unlock();
    },
  };
}

/** By the number of the type: numbers of 64 bits as text, and bytes, as the driver of Postgres gives them. */
const parsers = { 17: (text: string) => Buffer.from(text.slice(2), "hex"), 20: (text: string) => text };

async function loadPglite(): Promise<typeof import("@electric-sql/pglite")> {
  try {
    return await import("@electric-sql/pglite");
  } catch (cause) {
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "The PGlite store needs the package @electric-sql/pglite: npm install @electric-sql/pglite@0.5",
      { cause },
    );
  }
}

/** Whether Postgres itself refused, and rolled back. */
function isRefusal(cause: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(cause));
}

function codeOf(cause: unknown): string {
  return String(Reflect.get(Object(cause), "code") ?? "unknown");
}

/** Postgres's own errors can quote values, so only the code is passed on. */
function failed(cause: unknown): LiveplaneError {
  const options = isRefusal(cause) ? {} : { cause };
  return new LiveplaneError("StoreFailed", `PGlite failed (${codeOf(cause)}).`, options);
}
