import { LiveplaneError } from "../errors.ts";
import type { EncodedKey } from "../ports/key.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Commit, Entry, Json, Key, Store } from "../ports/store.ts";
import { Draft } from "./draft.ts";
import { type AnyCollection, derivedKeys, encodedPlace, pendingEvents, recordPlace } from "./layout.ts";
import { createReader } from "./reader.ts";
import type { Cause, Change, NewEvent, Stored } from "./records.ts";

/** One attempt at a change: what it read, what it will write. */
export interface ChangeAttempt {
  readonly change: Change;
  hasWrites(): boolean;
  hasEvents(): boolean;
  /** What it has recalled instead of reading it: without a commit that checks it, its result may count for nothing. */
  recalled(): readonly Entry[];
  /** Places assumed to be empty without a read. If the commit conflicts, the next attempt reads them first. */
  assumed(): readonly EncodedKey[];
  /** Reads before the work begins. */
  foresee(places: readonly EncodedKey[]): Promise<void>;
  commit(): Commit;
  /** Sets the version of the written records. */
  settle(version: number): void;
}

interface WorkContext {
  readonly cause: Cause;
  readonly time: number;
  readonly runtime: Runtime;
  /** Whether to recall what the store knows instead of reading it. */
  readonly recalls: boolean;
}

/** Starts an attempt. Each place is read once and remembered with its version, which the commit checks. */
export function beginWork(store: Store, context: WorkContext): ChangeAttempt {
  const draft = new Draft(store, context);
  const written: { version: string }[] = [];
  const events: Json[] = [];
  const change: Change = {
    ...createReader({ get: (places) => draft.get(places), store, runtime: context.runtime }),
    put<T extends object>(
      collection: AnyCollection<T>,
      record: T,
      { expiresAt }: { readonly expiresAt?: number } = {},
    ): Stored<T> {
      const { version: _version, ...plain } = record as T & { version?: string };
      const kept = plain as unknown as T;
      replace(draft, collection, collection.key(record), { record: kept, expiresAt });
      const result = { ...kept, version: "" };
      written.push(result);
      return result;
    },
    delete: (collection, key) => replace(draft, collection, key, null),
    emit: (event) => void events.push(envelope(event, context)),
  };
  return {
    change,
    hasWrites: () => !draft.isEmpty || events.length > 0,
    hasEvents: () => events.length > 0,
    recalled: () => draft.recalled,
    assumed: () => draft.assumed,
    foresee: async (places) => void (await draft.get(places)),
    commit: () => ({
      checks: draft.checks(),
      sets: draft.sets(),
      deletes: draft.deletes(),
      appends: events.map((value) => ({ prefix: pendingEvents, value })),
    }),
    settle(version) {
      for (const record of written) record.version = String(version);
    },
  };
}

interface Replacement<T> {
  readonly record: T;
  readonly expiresAt: number | undefined;
}

/** Writes or removes a record, and moves its indexes and unique names with it: those that it keeps aren't written again. */
function replace<T extends object>(
  draft: Draft,
  collection: AnyCollection<T>,
  key: Key,
  replacement: Replacement<T> | null,
): void {
  const place = recordPlace(collection, key);
  const old = derivesKeys(collection) ? draft.known(place) : null;
  const had = old === null ? noPlaces : derivedPlaces(collection, old.value as unknown as T);
  const has = replacement === null ? noPlaces : derivedPlaces(collection, replacement.record);
  for (const [encoded, at] of had) if (!has.has(encoded)) draft.write(at, null);
  if (replacement === null) {
    draft.write(place, null);
    return;
  }
  const { record, expiresAt } = replacement;
  const lifetime = expiresAt === undefined ? {} : { expiresAt };
  for (const [encoded, at] of has) {
    if (had.has(encoded) && old?.expiresAt === expiresAt) continue;
    if (at.isUnique && !had.has(encoded)) claim(draft, at, key);
    draft.write(at, { value: [...key], ...lifetime });
  }
  draft.write(place, { value: record as unknown as Json, ...lifetime });
}

interface DerivedPlace extends EncodedKey {
  readonly isUnique: boolean;
}

const noPlaces: ReadonlyMap<string, DerivedPlace> = new Map();

/** Every index entry and unique name of a record, by its encoded key. */
function derivedPlaces<T extends object>(collection: AnyCollection<T>, record: T): ReadonlyMap<string, DerivedPlace> {
  const { indexes, uniques } = derivedKeys(collection, record);
  const places = new Map<string, DerivedPlace>();
  for (const at of uniques) {
    const place = encodedPlace(at);
    places.set(place.encoded, { ...place, isUnique: true });
  }
  for (const at of indexes) {
    const place = encodedPlace(at);
    places.set(place.encoded, { ...place, isUnique: false });
  }
  return places;
}

/** A unique name must be free or the record's own: if nobody looked, it must be absent at commit. */
function claim(draft: Draft, at: EncodedKey, key: Key): void {
  const holder = draft.found(at)?.value;
  if (holder !== undefined && JSON.stringify(holder) !== JSON.stringify(key) && !draft.removes(at))
    throw new LiveplaneError("AlreadyExists");
  draft.assumeEmpty(at);
}

function envelope(event: NewEvent, { cause, time, runtime }: WorkContext): Json {
  const { type, subject, about, data, actor = cause.actor } = event;
  return {
    id: runtime.newId(),
    type,
    subject,
    about: { ...about } as unknown as Json,
    data: { ...data } as unknown as Json,
    actor,
    requestId: cause.requestId,
    time,
  };
}

function derivesKeys<T extends object>(collection: AnyCollection<T>): boolean {
  return Object.keys(collection.indexes).length > 0 || Object.keys(collection.uniques).length > 0;
}
