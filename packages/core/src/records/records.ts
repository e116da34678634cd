import type { EventData } from "../contract/event-data.ts";
import type { EventType } from "../contract/event-types.ts";
import type { EventTarget } from "../contract/target.ts";
import type { Key } from "../ports/store.ts";

/** A record as stored, with the opaque version that its last commit gave it. */
export type Stored<T> = T & { readonly version: string };

/** A kind of record: its place, and how it can be found. Declared once, at module level, with `collection()`. */
export interface Collection<T extends object, Index extends string = never, Unique extends string = never> {
  readonly name: string;
  /** The key of a record within its collection. Must not change while the record lives. */
  readonly key: (record: T) => Key;
  /** Ways to list: each returns the index keys of a record; none leaves it out of the index. */
  readonly indexes: { readonly [name in Index]: (record: T) => readonly Key[] };
  /** Names that at most one record may have, enforced by checks in the same commit. */
  readonly uniques: { readonly [name in Unique]: (record: T) => readonly Key[] };
}

/** What to list: by key or by an index, in that order. */
export interface ListOptions<Index extends string = never> {
  readonly index?: Index;
  /** @default [] */
  readonly prefix?: Key;
  /** Continues after the record with this key, or this index key followed by its key. */
  readonly after?: Key;
  readonly limit?: number;
  readonly reverse?: boolean;
  /** Keys of records that the list probably leads to, to be read at the same time. */
  readonly along?: readonly Key[];
  readonly signal?: AbortSignal;
}

/** A listed record with the position that `after` takes. */
export interface Listed<T> {
  readonly record: Stored<T>;
  readonly position: Key;
}

/** A domain event to append in the same commit as its change. */
export interface NewEvent<Type extends EventType = EventType> {
  readonly type: Type;
  /** The ID of its subject: a uuid, a component ID, an environment's `Type/ownerId/shortName`. */
  readonly subject: string;
  /** Whose View shows it, and whose log contains it. */
  readonly about: EventTarget;
  /** Names of changed members, statuses and so on. Never a secret. */
  readonly data: EventData[Type];
  /** @default the actor of the cause */
  readonly actor?: string;
}

/** Who changes something in which request: part of every event of the change. */
export interface Cause {
  readonly actor: string;
  readonly requestId: string;
  /** A record written with the first commit of this cause, by which a repeated request is recognized. */
  readonly receipt?: Receipt;
}

/** A record to write along with a change. */
export interface Receipt {
  /** Puts it into the change, or throws if another request has taken its place. */
  readonly put: (change: Change) => Promise<void>;
}

/** Reads. None of them is protected against later changes. */
export interface Reader {
  get<T extends object>(collection: Collection<T, string, string>, key: Key): Promise<Stored<T> | null>;
  /** Reads many at one instant, in the requested order. */
  getMany<T extends object>(
    collection: Collection<T, string, string>,
    keys: readonly Key[],
  ): Promise<(Stored<T> | null)[]>;
  /** Reads one record each of two collections at one instant. */
  getPair<A extends object, B extends object>(
    first: readonly [Collection<A, string, string>, Key],
    second: readonly [Collection<B, string, string>, Key],
  ): Promise<[Stored<A> | null, Stored<B> | null]>;
  /** Finds the record with a unique name. */
  find<T extends object, U extends string>(
    collection: Collection<T, string, U>,
    unique: U,
    key: Key,
  ): Promise<Stored<T> | null>;
  list<T extends object, I extends string>(
    collection: Collection<T, I, string>,
    options?: ListOptions<I>,
  ): Promise<readonly Listed<T>[]>;
  /** The keys of all records under a prefix of an index, in its order. The records themselves aren't read. */
  keys<T extends object, I extends string>(collection: Collection<T, I, string>, index: I, prefix: Key): Promise<Key[]>;
}

/**
 * One change in progress. Everything read by `get`, `getMany` and `find`, absence included, is checked at the commit; if any of it has
 * changed, the work runs again from the start. What `list` reads is **not** checked: keep a count in a record of its own. Reads see the
 * change's own writes, except `list`.
 */
export interface Change extends Reader {
  /** Creates or replaces. The answer's `version` is set when the commit is made. */
  put<T extends object>(
    collection: Collection<T, string, string>,
    record: T,
    options?: { readonly expiresAt?: number },
  ): Stored<T>;
  delete<T extends object>(collection: Collection<T, string, string>, key: Key): void;
  emit<Type extends EventType>(event: NewEvent<Type>): void;
}

/** Records over a store: typed, indexed, changed atomically with their events. */
export interface Records extends Reader {
  /**
   * Optimistic concurrency: runs `work` and commits its writes if nobody has changed what it read. After a conflict it runs again, at most
   * `attempts` times (@default 20) with growing pauses, then throws `Conflict`. `work` must have no side effects outside its `Change`.
   * Without writes nothing is committed; a rehearsal commits nothing either, and is refused as the change would be.
   */
  change<R>(
    cause: Cause,
    work: (change: Change) => Promise<R> | R,
    options?: { readonly attempts?: number; readonly rehearsal?: boolean; readonly signal?: AbortSignal },
  ): Promise<R>;
}

/** The request for a page. `bind` contains principal, route and filter: a cursor is valid only for these. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly bind: readonly string[];
}
