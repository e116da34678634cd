import { type EncodedKey, encodeKey } from "../ports/key.ts";
import type { Key } from "../ports/store.ts";
import type { Collection } from "./records.ts";

/** Any collection, if its record type doesn't matter. */
export type AnyCollection<T extends object> = Collection<T, string, string>;

interface Named {
  readonly name: string;
}

/** The prefix of all records of a collection. */
export const recordsOf = ({ name }: Named): Key => ["record", name];

/** A key that is encoded only once, however often it is used on the way to the store. */
export const encodedPlace = (key: Key): EncodedKey => ({ key, encoded: encodeKey(key) });

/** The cached places of one collection. */
interface KnownPlaces {
  /** Some megabytes at most. */
  readonly byId: Map<string, EncodedKey>;
  /** For keys of several parts, only the last one: what was just authorized is read next. */
  last: EncodedKey | null;
}

const knownPlaces = new Map<string, KnownPlaces>();
const mostPlaces = 8192;

/**
 * The place of a record. Nearly everything that a request reads was read before by the same ID, and joining and hashing a key costs a store
 * in memory more than the rest of a read, so places are cached.
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

/** The place of an index entry, whose value is the record's key. */
const indexKey = (collection: Named, index: string, at: Key, key: Key): Key => [
  ...indexOf(collection, index),
  ...at,
  ...key,
];

/** The place of a unique name, whose value is the record's key. */
export const uniqueKey = (collection: Named, unique: string, at: Key): Key => [
  "unique",
  collection.name,
  unique,
  ...at,
];

/** The prefix of all events that aren't sequenced yet. */
export const pendingEvents: Key = ["event", "pending"];

/** Every index entry and unique key of a record. */
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
