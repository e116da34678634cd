import type { Entry, Key, Store } from "../ports/store.ts";
import { type AnyCollection, recordKey, uniqueKey } from "./layout.ts";
import type { Listed, ListOptions, Reader, Stored } from "./records.ts";

/** Reads records by way of a function that gets entries: the store's, or that of a change that also sees its own writes. */
export function createReader(
  get: (keys: readonly Key[]) => Promise<(Entry | null)[]>,
  store: Pick<Store, "list" | "get">,
): Reader {
  async function getMany<T extends object>(
    collection: AnyCollection<T>,
    keys: readonly Key[],
  ): Promise<(Stored<T> | null)[]> {
    if (keys.length === 0) return [];
    const entries = await get(keys.map((key) => recordKey(collection, key)));
    return entries.map((entry) => stored<T>(entry));
  }

  async function one<T extends object>(collection: AnyCollection<T>, key: Key): Promise<Stored<T> | null> {
    return (await getMany(collection, [key]))[0] ?? null;
  }

  return {
    getMany,
    get: one,
    async getPair([first, firstKey], [second, secondKey]) {
      const [a = null, b = null] = await get([recordKey(first, firstKey), recordKey(second, secondKey)]);
      return [stored(a), stored(b)];
    },
    async find(collection, unique, at) {
      const [holder] = await get([uniqueKey(collection, unique, at)]);
      return holder ? one(collection, holder.value as string[]) : null;
    },
    list: (collection, options) => listRecords(store, collection, options),
  };
}

async function listRecords<T extends object>(
  store: Pick<Store, "list" | "get">,
  collection: AnyCollection<T>,
  { index, prefix = [], after, limit, reverse, signal }: ListOptions<string> = {},
): Promise<Listed<T>[]> {
  const root = index === undefined ? ["record", collection.name] : ["index", collection.name, index];
  const range = {
    prefix: [...root, ...prefix],
    ...(after && { after: [...root, ...after] }),
    ...(limit !== undefined && { limit }),
    ...(reverse !== undefined && { reverse }),
  };
  const entries = await store.list(range, signal && { signal });
  const positions = entries.map(({ key }) => key.slice(root.length));
  if (index === undefined)
    return entries.map((entry, at) => ({ record: stored<T>(entry) as Stored<T>, position: positions[at] ?? [] }));
  const records = await store.get(
    entries.map(({ value }) => recordKey(collection, value as string[])),
    signal && { signal },
  );
  return records.flatMap((entry, at) =>
    entry === null ? [] : [{ record: stored<T>(entry) as Stored<T>, position: positions[at] ?? [] }],
  );
}

/** An entry as a record. The version is the commit's number, which names one state of one record. */
function stored<T extends object>(entry: Entry | null): Stored<T> | null {
  return entry === null ? null : { ...(entry.value as unknown as T), version: String(entry.version) };
}
