/** A key: a tuple of strings. Tuples order part by part, each part by its UTF-8 bytes; a shorter tuple before its extensions. */
export type Key = readonly string[];

/** What JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A stored value with its key and the version of the commit that wrote it. */
export interface Entry {
  readonly key: Key;
  readonly value: Json;
  /** The store-wide number of the commit that wrote it, never reused. */
  readonly version: number;
  /** When it will count as absent; left out where it stays. */
  readonly expiresAt?: number;
}

/** Holds at the instant of commit, or nothing is changed. */
export interface Check {
  readonly key: Key;
  /** The version the key must still have; `null`: the key must be absent. */
  readonly version: number | null;
}

/** A value to write. */
export interface SetEntry {
  readonly key: Key;
  readonly value: Json;
  /** The instant, in milliseconds of the epoch, from which the entry counts as absent. */
  readonly expiresAt?: number;
}

/** A value to write under `prefix` + the commit's own version + its place in the commit, in commit order. */
export interface Append {
  readonly prefix: Key;
  readonly value: Json;
}

/** All that one commit does. */
export interface Commit {
  readonly checks?: readonly Check[];
  readonly sets?: readonly SetEntry[];
  readonly deletes?: readonly Key[];
  readonly appends?: readonly Append[];
}

/** A range of keys: all strict extensions of `prefix`. */
export interface Range {
  readonly prefix: Key;
  /** Begins behind this key (before it when `reverse`). It need not exist; outside of the prefix, the prefix is the bound. */
  readonly after?: Key;
  /** Ends before this key (behind it when `reverse`), under the same rule. */
  readonly until?: Key;
  /** At most this many. @default 1000 */
  readonly limit?: number;
  /** From the last to the first. @default false */
  readonly reverse?: boolean;
}

/** Options of every method: an aborted signal rejects with code `Aborted`; a commit already sent may still have been made. */
export interface StoreOptions {
  readonly signal?: AbortSignal;
}

/** What an adapter carries. The core refuses at start-up what it needs and doesn't find. */
export interface StoreCapabilities {
  /** Several processes may open it at once. Without it, one process holds it alone. */
  readonly sharedByProcesses: boolean;
  /** An acknowledged commit outlives a crash of the machine. Without it, it is for tests and tries. */
  readonly durable: boolean;
  /** `snapshot` is there. Without it, an export needs the store to be at rest. */
  readonly snapshot: boolean;
}

/** A read-only view of one instant. MUST be released, or it holds back the store's housekeeping. */
export interface StoreSnapshot extends Pick<Store, "get" | "list"> {
  /** Gives the view back; nothing is read from it afterwards. */
  release(): Promise<void>;
}

/** Tells processes that there may be something new. A ring may be lost, and may come twice: what is there, the store says. */
export interface StoreBell {
  /** Rings for everybody else who has the store. Resolves when it was accepted; whether anybody heard it is unknown. Never fails. */
  ring(): Promise<void>;
  /** Calls `wake` with each ring of others, and whenever some may have been missed. Returns how to stop. */
  hear(wake: () => void): () => void;
}

/**
 * Ordered keys with versions and atomic conditional commits: all that liveplane keeps goes through these methods.
 *
 * Every method throws `StoreFailed` when the store can't be reached or refuses, never a vendor's own error, and refuses
 * with `ValidationFailed`, before anything is written, what it can't carry: an empty key, a key part with a lone surrogate (NUL is
 * fine), a key to write of more than 2,560 bytes, a value that JSON can't hold as it is or more than 500 deep. Whatever comes of
 * another type than is asked for is refused so as well.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;

  /**
   * Reads many keys at one instant. The answer is in the order asked for; `null` stands for what is absent or expired. The values
   * are frozen, all the way down, so that a store can give one to all who ask for it. An entry that is itself frozen says that it
   * will be given again: what is made of it is worth keeping with it.
   */
  get(keys: readonly Key[], options?: StoreOptions): Promise<(Entry | null)[]>;

  /**
   * Reads a range in key order, at one instant per call. Expired entries are absent. Fewer than `limit` means: no more. The list is
   * the reader's own. Its values are too, or they are frozen; an entry that is itself frozen will be given again, as by `get`.
   */
  list(range: Range, options?: StoreOptions): Promise<Entry[]>;

  /**
   * Makes all of the commit, or nothing. Answers the commit's version, or `null` when a check didn't hold.
   *
   * - MUST be serializable: of commits that check and write each other's keys, some order of them gives every answer.
   * - The version is greater than that of every commit that was answered before this one began, and never reused.
   * - A key occurs at most once among `sets` and `deletes`. Deleting what is absent is fine. A commit with checks alone is fine.
   * - Throws `CommitOutcomeUnknown` when it can't tell whether the commit was made; MUST NOT repeat it by itself then.
   */
  commit(commit: Commit, options?: StoreOptions): Promise<number | null>;

  /** A view of this instant for consistent exports; there when `capabilities.snapshot`. */
  snapshot?(options?: StoreOptions): Promise<StoreSnapshot>;

  /** Wakes other processes over the same store, where it can: without it they look by themselves now and then. */
  readonly bell?: StoreBell;

  /** Ends the store: waits for what is under way, releases files and connections. Later calls throw `StoreFailed`. Idempotent. */
  close(): Promise<void>;
}
