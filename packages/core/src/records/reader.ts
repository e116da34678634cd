import { type EncodedKey, encodedList } from "../ports/key.ts";
import type { Entry, Key, Store } from "../ports/store.ts";
import type { Services } from "../services.ts";
import { type AnyCollection, encodedPlace, indexOf, recordPlace, recordsOf, uniqueKey } from "./layout.ts";
import type { Listed, ListOptions, Reader, Stored } from "./records.ts";

/** Whoever lists this many probably lists more, and a store may answer within the turn, so other work runs in between. */
const manyListed = 500;

export function createReader({
  get,
  store,
  runtime,
}: Pick<Services, "store" | "runtime"> & {
  readonly get: (places: readonly EncodedKey[]) => Promise<(Entry | null)[]>;
}): Reader {
  async function getMany<T extends object>(
    collection: AnyCollection<T>,
    keys: readonly Key[],
  ): Promise<(Stored<T> | null)[]> {
    if (keys.length === 0) return [];
    const entries = await get(keys.map((key) => recordPlace(collection, key)));
    return entries.map((entry) => stored<T>(entry));
  }

  // Not async, because nearly every request passes here and an async function allocates twice as much as `then`.
  function one<T extends object>(collection: AnyCollection<T>, key: Key): Promise<Stored<T> | null> {
    return get([recordPlace(collection, key)]).then((entries) => stored<T>(entries[0] ?? null));
  }

  return {
    getMany,
    get: one,
    async getPair(first, second) {
      const entries = await get([recordPlace(first[0], first[1]), recordPlace(second[0], second[1])]);
      return [stored(entries[0] ?? null), stored(entries[1] ?? null)];
    },
    async find(collection, unique, at) {
      const [holder] = await get([encodedPlace(uniqueKey(collection, unique, at))]);
      return holder ? one(collection, holder.value as string[]) : null;
    },
    async list(collection, options) {
      const listed = await listRecords(store, collection, options);
      if (listed.length >= manyListed) await runtime.yield();
      return listed;
    },
  };
}

async function listRecords<T extends object>(
  store: Pick<Store, "list" | "get">,
  collection: AnyCollection<T>,
  options: ListOptions<string> = {},
): Promise<Listed<T>[]> {
  const { index, limit = 1000 } = options;
  if (index === undefined) {
    const found = await listUnder(store, recordsOf(collection), options);
    return found.map(({ entry, position }) => ({ record: stored<T>(entry) as Stored<T>, position }));
  }
  const listed: Listed<T>[] = [];
  let { after } = options;
  while (listed.length < limit) {
    const wanted = limit - listed.length;
    const places = await listUnder(store, indexOf(collection, index), {
      ...options,
      ...(after && { after }),
      limit: wanted,
    });
    listed.push(...(await recordsAt(store, collection, index, places, options.signal)));
    // What changed its place between the two reads doesn't count, and must not look like the end of the list.
    if (places.length < wanted) break;
    after = places.at(-1)?.position;
  }
  return listed;
}

interface Found {
  readonly entry: Entry;
  readonly position: Key;
}

async function listUnder(
  store: Pick<Store, "list">,
  root: Key,
  { prefix = [], after, limit, reverse, signal }: ListOptions<string>,
): Promise<Found[]> {
  const range = {
    prefix: [...root, ...prefix],
    ...(after && { after: [...root, ...after] }),
    ...(limit !== undefined && { limit }),
    ...(reverse !== undefined && { reverse }),
  };
  const entries = await store.list(range, signal && { signal });
  return entries.map((entry) => ({ entry, position: entry.key.slice(root.length) }));
}

/** The records of index entries, if they are still at these places. */
async function recordsAt<T extends object>(
  store: Pick<Store, "get">,
  collection: AnyCollection<T>,
  index: string,
  places: readonly Found[],
  signal: AbortSignal | undefined,
): Promise<Listed<T>[]> {
  if (places.length === 0) return [];
  const keys = encodedList(places.map(({ entry }) => recordPlace(collection, entry.value as string[])));
  const records = await store.get(keys, signal && { signal });
  return records.flatMap((entry, at) => {
    const [record, place] = [stored<T>(entry), places[at]];
    return record && place && standsAt(collection, index, record, place) ? [{ record, position: place.position }] : [];
  });
}

/** Whether a record is still at the place of an index entry: it may have changed since the entry was read. */
function standsAt<T extends object>(
  collection: AnyCollection<T>,
  index: string,
  record: T,
  { position }: Found,
): boolean {
  const key = collection.key(record);
  return (collection.indexes[index]?.(record) ?? []).some((at) => isSameKey(position, at, key));
}

function isSameKey(position: Key, at: Key, key: Key): boolean {
  return (
    position.length === at.length + key.length &&
    position.every((part, place) => part === (place < at.length ? at[place] : key[place - at.length]))
  );
}

/** Records of entries that the store returns repeatedly. */
const kept = new WeakMap<Entry, Stored<object>>();

/** An entry as a record. The version is the commit's number, which identifies one state of one record. */
function stored<T extends object>(entry: Entry | null): Stored<T> | null {
  if (entry === null) return null;
  const known = kept.get(entry);
  if (known !== undefined) return known as Stored<T>;
  const record = { ...(entry.value as unknown as T), version: String(entry.version) };
  if (!Object.isFrozen(entry)) return record;
  kept.set(entry, Object.freeze(record));
  return record;
}
