import type { LiveplaneError } from "@liveplane/core/errors";
import {
  type Bounds,
  boundsOf,
  decodeKey,
  type Entry,
  EntryMemory,
  encodeKeys,
  encodePrefix,
  type Json,
  type Key,
  mostRememberedAtOnce,
  parseFrozen,
  type Store,
  type StoreOptions,
} from "@liveplane/core/store";
import { entriesCounted, fewestParts, isNarrow, isSameRange } from "./kept-lists.ts";
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
      const bounds = boundsOf(range);
      enter(options);
      const time = now();
      return read(() => {
        const known = memory?.list(range.prefix, bounds, time);
        if (known !== undefined) return known;
        const { lower, upper, limit, reverse } = bounds;
        const rows = (reverse ? statements.down : statements.up).all(lower, upper ?? behindAll, time, limit);
        return memory?.keepList(range.prefix, bounds, { rows, time }) ?? rows.map(ownEntry);
      });
    },
  };
}

/** SQLite sorts blobs after all text. */
const behindAll = Buffer.of(0);

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
  /** A list as it is in the file now, if it is remembered. */
  list(prefix: Key, bounds: Bounds, now: number): readonly Entry[] | undefined;
  /** Remembers what was listed, if it is short and under a narrow prefix. */
  keepList(
    prefix: Key,
    bounds: Bounds,
    found: Pick<KeptList, "time"> & { rows: SqliteRow[] },
  ): readonly Entry[] | undefined;
  /** Goes with every write of a key, before it is known what becomes of it: what isn't remembered is read. */
  forget(key: string): void;
  /** Asks the file whether anybody else has written, and then clears the cache. The answer changes if somebody has. */
  look(): number | undefined;
}

/** The list of a prefix that was asked for last. */
interface KeptList {
  readonly bounds: Bounds;
  readonly entries: readonly Entry[];
  /** When it was read. A clock that goes back brings back what had expired by then. */
  readonly time: number;
}

/**
 * Remembers entries and lists while one process holds the file. Each write forgets its key and the lists that it is in, in its own
 * transaction, so that whatever becomes of that, the file is what is read next. Somebody who has taken the lock away can write beside
 * this process: so in every turn of the event loop in which anything is remembered the file is asked once whether another connection
 * has changed it.
 */
export function sqliteMemory({ changed }: Pick<Statements, "changed">, mostBytes: number): SqliteMemory {
  const memory = new EntryMemory<string>((mostBytes * 3) / 4);
  const lists = new EntryMemory<string, KeptList>(mostBytes / 4);
  let seen = changed.get();
  let looked = false;

  function lookOnce(): void {
    if (!looked) memo.look();
  }

  const memo: SqliteMemory = {
    get(key, now) {
      lookOnce();
      const entry = memory.get(key);
      return entry?.expiresAt === undefined || entry.expiresAt > now ? entry : undefined;
    },
    keep(key, row) {
      const entry = keptEntry(row);
      memory.keep(key, entry, row[1].length);
      return entry;
    },
    list(prefix, bounds, now) {
      if (!isNarrow(prefix)) return undefined;
      lookOnce();
      const found = lists.get(encodePrefix(prefix));
      return found !== undefined && found.time <= now && isSameRange(found.bounds, bounds) ? found.entries : undefined;
    },
    keepList(prefix, bounds, { rows, time }) {
      const isBrief = rows.length <= mostRememberedAtOnce && isNarrow(prefix);
      if (!isBrief || rows.some(([, , , expiresAt]) => expiresAt !== null)) return undefined;
      const entries = Object.freeze(rows.map(keptEntry));
      const letters = rows.reduce((sum, [, value]) => sum + value.length, 0);
      lists.keep(encodePrefix(prefix), { bounds, entries, time }, letters, entriesCounted(rows.length));
      return entries;
    },
    forget(key) {
      memory.forget(key);
      let parts = 1;
      // Every part ends with 0x00, which no part holds.
      for (let end = key.indexOf("\u0000"); end < key.length - 1; end = key.indexOf("\u0000", end + 1))
        if (parts++ >= fewestParts) lists.forget(key.slice(0, end + 1));
    },
    look() {
      if (!looked)
        setImmediate(() => {
          looked = false;
        });
      looked = true;
      const found = changed.get();
      if (found !== seen) {
        memory.clear();
        lists.clear();
      }
      seen = found;
      return found;
    },
  };
  return memo;
}

/** Frozen itself, which says that it will be given again. */
function keptEntry(row: SqliteRow): Entry {
  const entry = sharedEntry(row);
  Object.freeze(entry.key);
  return Object.freeze(entry);
}
