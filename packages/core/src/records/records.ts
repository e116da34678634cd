import type { EventData } from "../contract/event-data.ts";
import type { EventType } from "../contract/event-types.ts";
import type { EventTarget } from "../contract/target.ts";
import type { Key } from "../ports/store.ts";

/** A record as it is stored, with the opaque version that its last commit gave it. */
export type Stored<T> = T & { readonly version: string };

/** A kind of record: where it is, and by what it can be found. Declared once, at module level, by `collection()`. */
export interface Collection<T extends object, Index extends string = never, Unique extends string = never> {
  readonly name: string;
  /** The key of a record within its collection. Must not change while the record lives. */
  readonly key: (record: T) => Key;
  /** Ways to list: each gives the index keys that the record is under; none takes it out of the index. */
  readonly indexes: { readonly [name in Index]: (record: T) => readonly Key[] };
  /** Names that at most one record may hold, kept by checks in the same commit. */
  readonly uniques: { readonly [name in Unique]: (record: T) => readonly Key[] };
}

/** What to list: by key, or by an index, in that order. */
export interface ListOptions<Index extends string = never> {
  readonly index?: Index;
  /** @default [] */
  readonly prefix?: Key;
  /** Goes on behind the record whose key, or index key followed by its key, this is. */
  readonly after?: Key;
  readonly limit?: number;
  readonly reverse?: boolean;
  readonly signal?: AbortSignal;
}

/** A listed record with the position that `after` takes. */
export interface Listed<T> {
  readonly record: Stored<T>;
  readonly position: Key;
}

/** A domain event to append in the same commit as the change that it reports. */
export interface NewEvent<Type extends EventType = EventType> {
  readonly type: Type;
  /** The id of the thing: a uuid, a component id, an environment's `Type/ownerId/shortName`. */
  readonly subject: string;
  /** Whose View shows it, and whose log it is in. */
  readonly about: EventTarget;
  /** Names of changed members, statuses and the like. Never a secret. */
  readonly data: EventData[Type];
}

/** Who changes something, and in which request: goes into every event of the change. */
export interface Cause {
  readonly actor: string;
  readonly requestId: string;
  /** A record that is written with the first commit of this cause: the trace that a repeated request finds. */
  readonly receipt?: Receipt;
}

/** A record to write along with a change. */
export interface Receipt {
  /** Puts it into the change, or throws when another request has taken its place. */
  readonly put: (change: Change) => Promise<void>;
}

/** Reads. None of them is protected against what changes right after. */
export interface Reader {
  get<T extends object>(collection: Collection<T, string, string>, key: Key): Promise<Stored<T> | null>;
  /** Reads many at one instant, in the order asked for. */
  getMany<T extends object>(
    collection: Collection<T, string, string>,
    keys: readonly Key[],
  ): Promise<(Stored<T> | null)[]>;
  /** Reads one each of two collections at one instant. */
  getPair<A extends object, B extends object>(
    first: readonly [Collection<A, string, string>, Key],
    second: readonly [Collection<B, string, string>, Key],
  ): Promise<[Stored<A> | null, Stored<B> | null]>;
  /** Finds the one that holds a unique name. */
  find<T extends object, U extends string>(
    collection: Collection<T, string, U>,
    unique: U,
    key: Key,
  ): Promise<Stored<T> | null>;
  list<T extends object, I extends string>(
    collection: Collection<T, I, string>,
    options?: ListOptions<I>,
  ): Promise<Listed<T>[]>;
}

/**
 * One change under way. What `get`, `getMany` and `find` read, absence included, is checked in the commit: if any of it has
 * moved by then the work is run again from the start. What `list` reads is **not** checked: count in its own record.
 * Reads see the change's own writes, but for `list`.
 */
export interface Change extends Reader {
  /** Creates or replaces. The answer's `version` is filled in when the commit is made. */
  put<T extends object>(
    collection: Collection<T, string, string>,
    record: T,
    options?: { readonly expiresAt?: number },
  ): Stored<T>;
  delete<T extends object>(collection: Collection<T, string, string>, key: Key): void;
  emit<Type extends EventType>(event: NewEvent<Type>): void;
}

/** Records over a store: typed, indexed, changed atomically together with the events that report it. */
export interface Records extends Reader {
  /**
   * Optimistic concurrency: runs `work` and commits what it wrote, if nobody has changed what it read. A lost race runs it again,
   * at most `attempts` times (@default 20) with growing pauses, then throws `Conflict`. `work` must be free of effects other than
   * on its `Change`. Without writes nothing is committed; a rehearsal commits nothing either, and is refused as the change would be.
   */
  change<R>(
    cause: Cause,
    work: (change: Change) => Promise<R> | R,
    options?: { readonly attempts?: number; readonly rehearsal?: boolean; readonly signal?: AbortSignal },
  ): Promise<R>;
}

/** What a caller asks of a page. `bind` names principal, route and filter: a cursor is good for these alone. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly bind: readonly string[];
}
