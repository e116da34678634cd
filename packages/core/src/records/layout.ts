import { type EncodedKey, encodeKey } from "../ports/key.ts";
import type { Key } from "../ports/store.ts";
import type { Collection } from "./records.ts";

/** Any collection, where its record type doesn't matter. */
export type AnyCollection<T extends object> = Collection<T, string, string>;

interface Named {
  readonly name: string;
}

/** The prefix of all records of a collection. */
export const recordsOf = ({ name }: Named): Key => ["record", name];

/** A key that is encoded once, however often it is asked for on the way to the store. */
export const encodedPlace = (key: Key): EncodedKey => ({ key, encoded: encodeKey(key) });

/** The places of one collection that are remembered. */
interface KnownPlaces {
  /** Some megabytes at most. */
  readonly byId: Map<string, EncodedKey>;
  /** Of those under several parts the one that was asked for last: what is judged is read next. */
  last: EncodedKey | null;
}

const knownPlaces = new Map<string, KnownPlaces>();
const mostPlaces = 8192;

/**
 * Where a record is. Nearly all that a request reads is under an id, and was read before: its place is remembered, since to join a
 * key and to hash it costs a store in memory more than all the rest of a read.
 */
export function recordPlace(collection: Named, key: Key): EncodedKey {
  const places = knownPlaces.get(collection.name) ?? { byId: new Map<string, EncodedKey>(), last: null };
  const id = key.length === 1 ? key[0] : undefined;
  const known = id === undefined ? lastPlace(places, key) : places.byId.get(id);
  if (known !== undefined) return known;
  const made = encodedPlace(Object.freeze([...recordsOf(collection), ...key]));
  if (places.byId.size >= mostPlaces) places.byId.clear();
  if (id === undefined) places.last = made;
  else places.byId.set(id, made);
  knownPlaces.set(collection.name, places);
  return made;
}

function lastPlace({ last }: KnownPlaces, key: Key): EncodedKey | undefined {
  if (last === null || last.key.length !== key.length + 2) return undefined;
  for (let at = key.length - 1; at >= 0; at--) if (last.key[at + 2] !== key[at]) return undefined;
  return last;
}

/** The prefix of all entries of an index. */
export const indexOf = ({ name }: Named, index: string): Key => ["index", name, index];

/** Where an index entry is: its value is the record's key. */
const indexKey = (collection: Named, index: string, at: Key, key: Key): Key => [
  ...indexOf(collection, index),
  ...at,
  ...key,
];

/** Where a unique name is: its value is the record's key. */
export const uniqueKey = (collection: Named, unique: string, at: Key): Key => [
  "unique",
  collection.name,
  unique,
  ...at,
];

/** The prefix of all events that wait for their sequence number. */
export const pendingEvents: Key = ["event", "pending"];

/** Every index and unique key that a record is under. */
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
