import { type EncodedKey, encodedList } from "../ports/key.ts";
import type { Entry, Key, Store } from "../ports/store.ts";
import type { Services } from "../services.ts";
import { type AnyCollection, encodedPlace, indexOf, recordPlace, recordsOf, uniqueKey } from "./layout.ts";
import { memoized } from "./memoized.ts";
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
      const named = encodedPlace(uniqueKey(collection, unique, at));
      // A name seldom moves, so the record that it led to is read along.
      const [last] = store.recall?.([named.key]) ?? [];
      const along = last === undefined ? [] : [recordPlace(collection, last.value as string[])];
      const [holder, entry] = await get([named, ...along]);
      if (holder == null) return null;
      if (last !== undefined && isSameKey(holder.value as string[], [], last.value as string[]))
        return stored(entry ?? null);
      return one(collection, holder.value as string[]);
    },
    async list(collection, options) {
      const listed = await listRecords(store, collection, options);
      if (listed.length >= manyListed) await runtime.yield();
      return listed;
    },
    async keys(collection, index, prefix) {
      const root = indexOf(collection, index);
      const keys: Key[] = [];
      let after: Key | undefined;
      for (let more = true; more; ) {
        const found = await listUnder(store, root, { prefix, limit: manyListed, ...(after && { after }) });
        keys.push(...found.map(({ value }) => value as string[]));
        after = found.at(-1)?.key.slice(root.length);
        more = found.length === manyListed;
        if (more) await runtime.yield();
      }
      return keys;
    },
  };
}

async function listRecords<T extends object>(
  store: Pick<Store, "list" | "get">,
  collection: AnyCollection<T>,
  options: ListOptions<string> = {},
): Promise<readonly Listed<T>[]> {
  const { index, limit = 1000 } = options;
  const root = index === undefined ? recordsOf(collection) : indexOf(collection, index);
  if (index === undefined)
    return recordsListed(
      await listUnder(store, root, options),
      root.length,
    ) as readonly unknown[] as readonly Listed<T>[];
  let listed: readonly Listed<T>[] = [];
  let { after } = options;
  // What couldn't be read along is read after the list.
  const reading = options.along && readAlong(store, collection, options).catch(() => new Map());
  while (listed.length < limit) {
    const wanted = limit - listed.length;
    const found = await listUnder(store, root, { ...options, ...(after && { after }), limit: wanted });
    const leads = leadsOf(found, collection, root.length);
    const along = reading && (await reading);
    const records = await recordsAt({ store, collection, index, along }, leads, options.signal);
    listed = listed.length === 0 ? records : [...listed, ...records];
    // What left its place between the two reads doesn't count, and must not make the list look ended.
    if (found.length < wanted) break;
    after = leads.positions.at(-1);
  }
  return listed;
}

function listUnder(
  store: Pick<Store, "list">,
  root: Key,
  { prefix = [], after, limit, reverse, signal }: ListOptions<string>,
): Promise<readonly Entry[]> {
  const range = {
    prefix: [...root, ...prefix],
    ...(after && { after: [...root, ...after] }),
    ...(limit !== undefined && { limit }),
    ...(reverse !== undefined && { reverse }),
  };
  return store.list(range, signal && { signal });
}

/** Where the entries of an index lead. */
interface Leads {
  readonly positions: readonly Key[];
  readonly places: readonly EncodedKey[];
  readonly keys: readonly Key[];
  /** What they led to last. */
  last: { readonly entries: readonly (Entry | null)[]; readonly listed: readonly Listed<object>[] } | null;
}

/** Of a list that the store may return again, only once. */
const leadsOf = memoized((found: readonly Entry[], collection: { readonly name: string }, parts: number): Leads => {
  const places = found.map(({ value }) => recordPlace(collection, value as string[]));
  return { positions: found.map(({ key }) => key.slice(parts)), places, keys: encodedList(places), last: null };
});

/** The records of a list without an index. */
const recordsListed = memoized((found: readonly Entry[], parts: number) =>
  Object.freeze(found.map((entry) => ({ record: recordOf(entry), position: entry.key.slice(parts) }))),
);

/** The entries of records that a list probably leads to, by their places. */
async function readAlong<T extends object>(
  store: Pick<Store, "get">,
  collection: AnyCollection<T>,
  { along = [], signal }: ListOptions<string>,
): Promise<ReadonlyMap<string, Entry | null>> {
  const places = along.map((key) => recordPlace(collection, key));
  const entries = places.length === 0 ? [] : await store.get(encodedList(places), signal && { signal });
  return new Map(places.map(({ encoded }, at) => [encoded, entries[at] ?? null]));
}

interface Leading<T extends object> {
  readonly store: Pick<Store, "get">;
  readonly collection: AnyCollection<T>;
  readonly index: string;
  /** What was read at the same time as the index entries. A record that wasn't listed there yet is read anew. */
  readonly along: ReadonlyMap<string, Entry | null> | undefined;
}

/** The records of index entries, if they are still at these places. As long as the store returns the same entries, it is the same array. */
async function recordsAt<T extends object>(
  { store, along, ...listing }: Leading<T>,
  leads: Leads,
  signal: AbortSignal | undefined,
): Promise<readonly Listed<T>[]> {
  const { positions, places, keys, last } = leads;
  const read = (wanted: readonly Key[]) => (wanted.length === 0 ? [] : store.get(wanted, signal && { signal }));
  let entries = along ? places.map(({ encoded }) => along.get(encoded) ?? null) : await read(keys);
  if (last?.entries.every((entry, at) => entry === entries[at])) return last.listed as readonly Listed<T>[];
  const listedAmong = () => entries.map((entry, at) => listedAt(positions[at] ?? [], entry, listing));
  let found = listedAmong();
  if (along && found.includes(null)) {
    const open = places.filter((_, at) => found[at] === null);
    const again = (await read(encodedList(open))).values();
    entries = entries.map((entry, at) => (found[at] === null ? (again.next().value ?? null) : entry));
    found = listedAmong();
  }
  const listed = Object.freeze(found.filter((one) => one !== null));
  if (entries.every((entry) => entry !== null && Object.isFrozen(entry))) leads.last = { entries, listed };
  return listed;
}

/** The record of an index entry; `null` if it isn't listed there. */
function listedAt<T extends object>(
  position: Key,
  entry: Entry | null,
  { collection, index }: Pick<Leading<T>, "collection" | "index">,
): Listed<T> | null {
  const record = stored<T>(entry);
  return record !== null && standsAt(collection, index, record, position) ? { record, position } : null;
}

/** Whether a record is listed at the place of an index entry: the record may have moved since the entry was read. */
function standsAt<T extends object>(collection: AnyCollection<T>, index: string, record: T, position: Key): boolean {
  const key = collection.key(record);
  return (collection.indexes[index]?.(record) ?? []).some((at) => isSameKey(position, at, key));
}

function isSameKey(position: Key, at: Key, key: Key): boolean {
  return (
    position.length === at.length + key.length &&
    position.every((part, place) => part === (place < at.length ? at[place] : key[place - at.length]))
  );
}

/** An entry as a record. The version is the commit's number, which identifies one state of one record. */
const recordOf = memoized((entry: Entry): Stored<object> => {
  const record = { ...(entry.value as object), version: String(entry.version) };
  return Object.isFrozen(entry) ? Object.freeze(record) : record;
});

function stored<T extends object>(entry: Entry | null): Stored<T> | null {
  return entry && (recordOf(entry) as Stored<T>);
}
