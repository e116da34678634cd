import { LiveplaneError } from "../errors.ts";
import type { EncodedKey } from "../ports/key.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Commit, Json, Key, Store } from "../ports/store.ts";
import { Draft } from "./draft.ts";
import { type AnyCollection, derivedKeys, encodedPlace, pendingEvents, recordPlace } from "./layout.ts";
import { createReader } from "./reader.ts";
import type { Cause, Change, NewEvent, Stored } from "./records.ts";

/** One attempt at a change: what it read, what it will write. */
export interface ChangeAttempt {
  readonly change: Change;
  hasWrites(): boolean;
  hasEvents(): boolean;
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
}

/** Starts an attempt. Each place is read once and remembered with its version, which the commit checks. */
export function beginWork(store: Store, context: WorkContext): ChangeAttempt {
  const draft = new Draft(store);
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

/** Writes or deletes a record with its index entries and unique names. */
function replace<T extends object>(
  draft: Draft,
  collection: AnyCollection<T>,
  key: Key,
  replacement: Replacement<T> | null,
): void {
  const place = recordPlace(collection, key);
  const old = derivesKeys(collection) ? draft.known(place) : null;
  if (old !== null) {
    const removed = derivedKeys(collection, old.value as unknown as T);
    for (const at of [...removed.indexes, ...removed.uniques]) draft.write(encodedPlace(at), null);
  }
  if (replacement === null) {
    draft.write(place, null);
    return;
  }
  const { record, expiresAt } = replacement;
  const lifetime = expiresAt === undefined ? {} : { expiresAt };
  const added = derivedKeys(collection, record);
  const uniques = added.uniques.map(encodedPlace);
  for (const at of uniques) claim(draft, at, key);
  for (const at of [...added.indexes.map(encodedPlace), ...uniques]) draft.write(at, { value: [...key], ...lifetime });
  draft.write(place, { value: record as unknown as Json, ...lifetime });
}

/** A unique name must be free or belong to the record; if it wasn't read, it must be absent at the commit. */
function claim(draft: Draft, at: EncodedKey, key: Key): void {
  const holder = draft.found(at)?.value;
  if (holder !== undefined && JSON.stringify(holder) !== JSON.stringify(key) && !draft.removes(at))
    throw new LiveplaneError("AlreadyExists");
  draft.assumeEmpty(at);
}

function envelope({ type, subject, about, data }: NewEvent, { cause, time, runtime }: WorkContext): Json {
  const { actor, requestId } = cause;
  return {
    id: runtime.newId(),
    type,
    subject,
    about: { ...about } as unknown as Json,
    data: { ...data } as unknown as Json,
    actor,
    requestId,
    time,
  };
}

function derivesKeys<T extends object>(collection: AnyCollection<T>): boolean {
  return Object.keys(collection.indexes).length > 0 || Object.keys(collection.uniques).length > 0;
}
