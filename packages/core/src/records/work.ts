import { LiveplaneError } from "../errors.ts";
import { encodeKey } from "../ports/key.ts";
import type { Commit, Entry, Json, Key, SetEntry, Store } from "../ports/store.ts";
import { type AnyCollection, derivedKeys, pendingEvents, recordKey } from "./layout.ts";
import { createReader } from "./reader.ts";
import type { Cause, Change, NewEvent, Stored } from "./records.ts";

/** One attempt at a change: what it read, what it will write. */
export interface Work {
  readonly change: Change;
  hasWrites(): boolean;
  hasEvents(): boolean;
  /** Keys that were taken to be absent without having been read. If the commit is lost, the next attempt reads them first. */
  assumed(): readonly Key[];
  /** Reads keys before the work begins. */
  foresee(keys: readonly Key[]): Promise<void>;
  /** Everything as one commit. */
  commit(): Commit;
  /** Tells the written records their version. */
  settle(version: number): void;
}

interface WorkContext {
  readonly cause: Cause;
  readonly time: number;
  readonly newId: () => string;
}

interface Write {
  readonly key: Key;
  readonly set: Omit<SetEntry, "key"> | null;
}

/** Begins an attempt. Reads go to the store once and are remembered with their version, which the commit checks. */
export function beginWork(store: Store, { cause, time, newId }: WorkContext): Work {
  const reads = new Map<string, { readonly key: Key; readonly entry: Entry | null }>();
  const writes = new Map<string, Write>();
  const written: { version: string }[] = [];
  const events: Json[] = [];
  const assumed: Key[] = [];

  async function get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    const encoded = keys.map(encodeKey);
    const unknown = keys.filter((_, at) => !reads.has(encoded[at] ?? "") && !writes.has(encoded[at] ?? ""));
    if (unknown.length > 0) {
      const entries = await store.get(unknown);
      for (const [at, key] of unknown.entries()) reads.set(encodeKey(key), { key, entry: entries[at] ?? null });
    }
    return keys.map((key, at) => {
      const write = writes.get(encoded[at] ?? "");
      if (write === undefined) return reads.get(encoded[at] ?? "")?.entry ?? null;
      return write.set === null ? null : { key, value: structuredClone(write.set.value), version: 0 };
    });
  }

  function write(key: Key, set: Write["set"]): void {
    writes.set(encodeKey(key), { key, set });
  }

  /** The record as it stands before a write, when it has indexes that the write must move. Unread, it is taken to be new. */
  function before<T extends object>(collection: AnyCollection<T>, key: Key): T | null {
    const encoded = encodeKey(recordKey(collection, key));
    const own = writes.get(encoded);
    if (own !== undefined) return (own.set?.value ?? null) as T | null;
    const read = reads.get(encoded);
    if (read === undefined) assume(recordKey(collection, key));
    return (read?.entry?.value ?? null) as T | null;
  }

  function replace<T extends object>(
    collection: AnyCollection<T>,
    key: Key,
    record: T | null,
    expiresAt?: number,
  ): void {
    const old = derivesKeys(collection) ? before(collection, key) : null;
    const lifetime = expiresAt === undefined ? {} : { expiresAt };
    const removed = old === null ? { indexes: [], uniques: [] } : derivedKeys(collection, old);
    const added = record === null ? { indexes: [], uniques: [] } : derivedKeys(collection, record);
    for (const at of [...removed.indexes, ...removed.uniques]) write(at, null);
    for (const at of added.indexes) write(at, { value: [...key], ...lifetime });
    for (const at of added.uniques) {
      claim(at, key);
      write(at, { value: [...key], ...lifetime });
    }
    write(recordKey(collection, key), record === null ? null : { value: record as unknown as Json, ...lifetime });
  }

  /** A unique name must be free or its own: if nobody looked, it must be absent at commit. */
  function claim(at: Key, key: Key): void {
    const encoded = encodeKey(at);
    const holder = reads.get(encoded)?.entry?.value;
    if (holder !== undefined && JSON.stringify(holder) !== JSON.stringify(key) && !releases(encoded))
      throw new LiveplaneError("AlreadyExists");
    if (!reads.has(encoded) && !writes.has(encoded)) assume(at);
  }

  function assume(key: Key): void {
    reads.set(encodeKey(key), { key, entry: null });
    assumed.push(key);
  }

  const releases = (encoded: string) => writes.get(encoded)?.set === null;

  const change: Change = {
    ...createReader(get, store),
    put<T extends object>(
      collection: AnyCollection<T>,
      record: T,
      { expiresAt }: { readonly expiresAt?: number } = {},
    ): Stored<T> {
      const { version: _version, ...plain } = record as T & { version?: string };
      replace(collection, collection.key(record), plain as unknown as T, expiresAt);
      const result = { ...(plain as unknown as T), version: "" };
      written.push(result);
      return result;
    },
    delete: (collection, key) => replace(collection, key, null),
    emit: (event) => void events.push(envelope(event)),
  };

  function envelope({ type, subject, about, data = {} }: NewEvent): Json {
    const { actor, requestId } = cause;
    return { id: newId(), type, subject, about: { ...about }, data: { ...data }, actor, requestId, time };
  }

  return {
    change,
    hasWrites: () => writes.size > 0 || events.length > 0,
    hasEvents: () => events.length > 0,
    assumed: () => assumed,
    foresee: async (keys) => void (keys.length > 0 && (await get(keys))),
    commit: () => ({
      checks: [...reads.values()].map(({ key, entry }) => ({ key, version: entry?.version ?? null })),
      sets: [...writes.values()].flatMap(({ key, set }) => (set === null ? [] : [{ key, ...set }])),
      deletes: [...writes.values()].flatMap(({ key, set }) => (set === null ? [key] : [])),
      appends: events.map((value) => ({ prefix: pendingEvents, value })),
    }),
    settle(version) {
      for (const record of written) record.version = String(version);
    },
  };
}

function derivesKeys<T extends object>(collection: AnyCollection<T>): boolean {
  return Object.keys(collection.indexes).length > 0 || Object.keys(collection.uniques).length > 0;
}
