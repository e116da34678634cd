import type { Key } from "../ports/store.ts";
import type { Collection } from "./records.ts";

/** Any collection, where its record type doesn't matter. */
export type AnyCollection<T extends object> = Collection<T, string, string>;

/** Where a record lies. */
export const recordKey = (collection: { readonly name: string }, key: Key): Key => ["record", collection.name, ...key];

/** Where an index entry lies: its value is the record's key. */
const indexKey = (collection: { readonly name: string }, index: string, at: Key, key: Key): Key => [
  "index",
  collection.name,
  index,
  ...at,
  ...key,
];

/** Where a unique name lies: its value is the record's key. */
export const uniqueKey = (collection: { readonly name: string }, unique: string, at: Key): Key => [
  "unique",
  collection.name,
  unique,
  ...at,
];

/** The prefix of all events that wait for their sequence number. */
export const pendingEvents: Key = ["event", "pending"];

/** Every index and unique key that a record stands under. */
export function derivedKeys<T extends object>(
  collection: AnyCollection<T>,
  record: T,
): { indexes: Key[]; uniques: Key[] } {
  const key = collection.key(record);
  const indexes = Object.entries(collection.indexes).flatMap(([name, of]) =>
    of(record).map((at) => indexKey(collection, name, at, key)),
  );
  const uniques = Object.entries(collection.uniques).flatMap(([name, of]) =>
    of(record).map((at) => uniqueKey(collection, name, at)),
  );
  return { indexes, uniques };
}
