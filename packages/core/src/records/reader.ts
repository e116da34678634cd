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
): Promise<Listed<T>[]> {
  const { index, limit = 1000 } = options;
  if (index === undefined) {
    const root = recordsOf(collection);
    const found = await listUnder(store, root, options);
    return found.map((entry) => ({ record: stored<T>(entry) as Stored<T>, position: entry.key.slice(root.length) }));
  }
  const root = indexOf(collection, index);
  const listed: Listed<T>[] = [];
  let { after } = options;
  // What couldn't be read along is read after the list.
  const reading = options.along && readAlong(store, collection, options).catch(() => new Map());
  while (listed.length < limit) {
    const wanted = limit - listed.length;
    const found = await listUnder(store, root, { ...options, ...(after && { after }), limit: wanted });
    const leads = found.map((entry) => leadOf(collection, entry, root));
    listed.push(
      ...(await recordsAt({ store, collection, index, along: reading && (await reading) }, leads, options.signal)),
    );
    // What left its place between the two reads doesn't count, and must not make the list look ended.
    if (leads.length < wanted) break;
    after = leads.at(-1)?.position;
  }
  return listed;
}

function listUnder(
  store: Pick<Store, "list">,
  root: Key,
  { prefix = [], after, limit, reverse, signal }: ListOptions<string>,
): Promise<Entry[]> {
  const range = {
    prefix: [...root, ...prefix],
    ...(after && { after: [...root, ...after] }),
    ...(limit !== undefined && { limit }),
    ...(reverse !== undefined && { reverse }),
  };
  return store.list(range, signal && { signal });
}

/** Where an index entry leads, and the record that was last found to be listed there. */
interface Lead {
  readonly position: Key;
  readonly place: EncodedKey;
  last: object | null;
}

/** Of index entries that the store will give again. */
const knownLeads = new WeakMap<Entry, Lead>();

function leadOf(collection: { readonly name: string }, entry: Entry, root: Key): Lead {
  const known = knownLeads.get(entry);
  if (known !== undefined) return known;
  const place = recordPlace(collection, entry.value as string[]);
  const lead: Lead = { position: entry.key.slice(root.length), place, last: null };
  if (Object.isFrozen(entry)) knownLeads.set(entry, lead);
  return lead;
}

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

/** The records of index entries, if they are still at these places. */
async function recordsAt<T extends object>(
  { store, along, ...listing }: Leading<T>,
  leads: readonly Lead[],
  signal: AbortSignal | undefined,
): Promise<Listed<T>[]> {
  const found = leads.map((lead) => listedAt(lead, along?.get(lead.place.encoded) ?? null, listing));
  const open = leads.filter((_, at) => found[at] === null);
  const entries =
    open.length === 0 ? [] : await store.get(encodedList(open.map(({ place }) => place)), signal && { signal });
  const rest = open.map((lead, at) => listedAt(lead, entries[at] ?? null, listing)).values();
  return found.flatMap((one) => one ?? rest.next().value ?? []);
}

/** The record of an index entry; `null` if it isn't listed there. */
function listedAt<T extends object>(
  lead: Lead,
  entry: Entry | null,
  { collection, index }: Pick<Leading<T>, "collection" | "index">,
): Listed<T> | null {
  const record = stored<T>(entry);
  if (record === null) return null;
  if (lead.last !== record && !standsAt(collection, index, record, lead.position)) return null;
  lead.last = record;
  return { record, position: lead.position };
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
