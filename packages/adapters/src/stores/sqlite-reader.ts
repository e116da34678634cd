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
  /** Told of what a read failed with. */
  readonly noted?: (error: LiveplaneError) => LiveplaneError;
  /** Runs several reads at one instant. Left out where nobody else can write between two of them. */
  readonly atOnce?: <T>(read: () => T) => T;
  /** What is remembered, where nobody else writes. @default nothing */
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

/** SQLite orders bytes behind all text. */
const behindAll = Buffer.alloc(0);

/** As a list gives it. */
function ownEntry([key, value, version, expiresAt]: SqliteRow): Entry {
  const entry = { key: decodeKey(key), value: JSON.parse(value) as Json, version };
  return expiresAt === null ? entry : { ...entry, expiresAt };
}

function sharedEntry([key, value, version, expiresAt]: SqliteRow): Entry {
  const entry = { key: decodeKey(key), value: parseFrozen(value), version };
  return expiresAt === null ? entry : { ...entry, expiresAt };
}

/** What the process that holds the file remembers of it. */
export interface SqliteMemory {
  /** The entry of a key as it is in the file now, if it is remembered. */
  get(key: string, now: number): Entry | undefined;
  keep(key: string, row: SqliteRow): Entry;
  /** Goes with every write of a key, before it is known what becomes of it: what isn't remembered is read. */
  forget(key: string): void;
  /** Asks the file whether anybody else has written to it, and forgets everything then. Another answer than before: somebody has. */
  look(): number | undefined;
}

/**
 * Remembers entries by key while one process holds the file. Each write forgets its keys in its own transaction, so that whatever
 * becomes of that, the file is what is read next. Somebody who has taken the lock away can write beside this process: so in every turn of
 * the event loop in which anything is remembered the file is asked once whether another connection has changed it.
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
