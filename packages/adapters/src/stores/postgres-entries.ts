import {
  type Bounds,
  decodeKey,
  type Entry,
  EntryMemory,
  type Json,
  type Key,
  parseFrozen,
  type prepare,
} from "@liveplane/core/store";

/** Runs a named statement, which each connection parses once. */
export type PostgresQuery = <Row extends object>(
  name: string,
  text: string,
  values: readonly unknown[],
) => Promise<{ readonly rows: readonly Row[] }>;

/** What was read, within a bound in bytes: entries by encoded key, and the last list of each prefix. */
export interface PostgresMemory {
  readonly entries: EntryMemory<string>;
  readonly lists: EntryMemory<string, KnownList>;
  /** Once a commit is made, remembers what it has written, where something was remembered before. */
  after(commit: ReturnType<typeof prepare>, made: Promise<number | null>): Promise<number | null>;
  clear(): void;
}

interface KnownList {
  readonly bounds: Bounds;
  readonly entries: readonly Entry[];
  readonly digest: Buffer | null;
}

export function postgresMemory(mostBytes: number): PostgresMemory {
  const [entries, lists] = [
    new EntryMemory<string>((mostBytes * 3) / 4),
    new EntryMemory<string, KnownList>(mostBytes / 4),
  ];
  return {
    entries,
    lists,
    async after({ sets, deletes }, made) {
      const version = await made;
      if (version === null) return null;
      for (const { key, json, expiresAt } of sets) {
        if ((entries.get(key)?.version ?? version) >= version) continue;
        const lifetime = expiresAt === undefined ? {} : { expiresAt };
        const entry = { key: decodeKey(key), value: parseFrozen(json), version, ...lifetime };
        entries.keep(key, frozen(entry), json.length);
      }
      for (const key of deletes) entries.forget(key);
      return version;
    },
    clear() {
      entries.clear();
      lists.clear();
    },
  };
}

/** A row as read, with the value as text. */
export interface StoredRow {
  readonly value: string;
  readonly version: string;
  readonly expires_at: string | null;
}

/** The condition that an entry hasn't expired at the instant `$1`. */
export const live = "(expires_at IS NULL OR expires_at > $1)";

/** An entry as read. */
export function toEntry(row: StoredRow, key: Key, parse: (json: string) => Json): Entry {
  const [version, expiresAt] = [Number(row.version), row.expires_at];
  const entry = { key, value: parse(row.value), version };
  return expiresAt === null ? entry : { ...entry, expiresAt: Number(expiresAt) };
}

/** Frozen itself, which says that it will be given again. */
export function frozen(entry: Entry): Entry {
  Object.freeze(entry.key);
  return Object.freeze(entry);
}
