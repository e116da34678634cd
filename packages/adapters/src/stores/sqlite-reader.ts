import type { LiveplaneError } from "@liveplane/core/errors";
import {
  boundsOf,
  decodeKey,
  type Entry,
  EntryMemory,
  encodeKeys,
  type Json,
  mostRememberedAtOnce,
  parseFrozen,
  type Store,
  type StoreOptions,
} from "@liveplane/core/store";
import { failed, type SqliteRow, type Statements } from "./sqlite-database.ts";

export interface SqliteReaderDeps {
  readonly statements: Statements;
  readonly now: () => number;
  readonly enter: (options?: StoreOptions) => void;
  /** Called with the error of a failed read. */
  readonly noted?: (error: LiveplaneError) => LiveplaneError;
  /** Runs several reads at one instant. Omitted if nobody else can write between them. */
  readonly atOnce?: <T>(read: () => T) => T;
  /** The cache, if nobody else writes. @default none */
  readonly memory?: SqliteMemory;
}

/** Reads over one connection. */
export function sqliteReader(deps: SqliteReaderDeps): Pick<Store, "get" | "list"> {
  const { statements, now, enter, noted = (error) => error, atOnce = (read) => read(), memory } = deps;
  const read = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw noted(failed("read", cause));
    }
  };
  return {
    async get(keys, options) {
      const encoded = encodeKeys(keys);
      enter(options);
      const time = now();
      const keeps = memory !== undefined && keys.length <= mostRememberedAtOnce;
      const readOne = (key: string) => {
        const known = memory?.get(key, time);
        if (known !== undefined) return known;
        const row = statements.get.get(key, time);
        if (row === undefined) return null;
        return keeps ? memory.keep(key, row) : sharedEntry(row);
      };
      return read(() => atOnce(() => encoded.map(readOne)));
    },
    async list(range, options) {
      const { lower, upper, limit, reverse } = boundsOf(range);
      enter(options);
      const statement = reverse ? statements.down : statements.up;
      return read(() => statement.all(lower, upper ?? behindAll, now(), limit).map(ownEntry));
    },
  };
}

/** SQLite sorts blobs after all text. */
const behindAll = Buffer.alloc(0);

/** An entry of a list, a copy for the reader. */
function ownEntry([key, value, version, expiresAt]: SqliteRow): Entry {
  const entry = { key: decodeKey(key), value: JSON.parse(value) as Json, version };
  return expiresAt === null ? entry : { ...entry, expiresAt };
}

function sharedEntry([key, value, version, expiresAt]: SqliteRow): Entry {
  const entry = { key: decodeKey(key), value: parseFrozen(value), version };
  return expiresAt === null ? entry : { ...entry, expiresAt };
}

/** The owning process's cache of the file. */
export interface SqliteMemory {
  /** The current entry of a key, if it is cached. */
  get(key: string, now: number): Entry | undefined;
  keep(key: string, row: SqliteRow): Entry;
  /** Called with every write of a key, before its outcome is known: what isn't cached is read. */
  forget(key: string): void;
  /** Asks the file whether anybody else has written, and then clears the cache. The answer changes if somebody has. */
  look(): number | undefined;
}

/**
 * Caches entries by key while one process owns the file. Each write drops its keys within its transaction, so that the next read sees the
 * file, whatever the outcome. Whoever took away the lock could write too, so in every turn of the event loop that caches anything, the file
 * is asked once whether another connection has changed it.
 */
export function sqliteMemory({ changed }: Pick<Statements, "changed">, mostBytes: number): SqliteMemory {
  const memory = new EntryMemory<string>(mostBytes);
  let seen = changed.get();
  let looked = false;

  const memo: SqliteMemory = {
    get(key, now) {
      if (!looked) {
        memo.look();
        looked = true;
        setImmediate(() => {
          looked = false;
        });
      }
      const entry = memory.get(key);
      return entry?.expiresAt === undefined || entry.expiresAt > now ? entry : undefined;
    },
    keep(key, row) {
      const entry = sharedEntry(row);
      Object.freeze(entry.key);
      memory.keep(key, Object.freeze(entry), row[1].length);
      return entry;
    },
    forget: (key) => memory.forget(key),
    look() {
      const found = changed.get();
      if (found !== seen) memory.clear();
      seen = found;
      return found;
    },
  };
  return memo;
}
