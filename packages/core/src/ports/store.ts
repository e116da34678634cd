/** A key: a tuple of strings. Tuples sort part by part, by UTF-8 bytes; a shorter tuple sorts before its extensions. */
export type Key = readonly string[];

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A stored value with its key and the version of the commit that wrote it. */
export interface Entry {
  readonly key: Key;
  readonly value: Json;
  /** The store-wide number of the commit that wrote it, never reused. */
  readonly version: number;
  /** When it expires; absent if it doesn't. */
  readonly expiresAt?: number;
}

/** A condition that must hold at the commit, or nothing is changed. */
export interface Check {
  readonly key: Key;
  /** The version that the key must have; `null` if it must be absent. */
  readonly version: number | null;
}

/** A value to write. */
export interface SetEntry {
  readonly key: Key;
  readonly value: Json;
  /** In epoch milliseconds: from then on the entry counts as absent. */
  readonly expiresAt?: number;
}

/** A value to write under `prefix`, the commit's version and its position in the commit, in commit order. */
export interface Append {
  readonly prefix: Key;
  readonly value: Json;
}

/** Everything that one commit does. */
export interface Commit {
  readonly checks?: readonly Check[];
  readonly sets?: readonly SetEntry[];
  readonly deletes?: readonly Key[];
  readonly appends?: readonly Append[];
}

/** A range of keys: all strict extensions of `prefix`. */
export interface Range {
  readonly prefix: Key;
  /** Starts after this key (before it if `reverse`). It need not exist; outside the prefix, the prefix is the bound. */
  readonly after?: Key;
  /** Ends before this key (after it if `reverse`), by the same rule. */
  readonly until?: Key;
  /** At most this many. @default 1000 */
  readonly limit?: number;
  /** From the last to the first. @default false */
  readonly reverse?: boolean;
}

/** Options of every method. An aborted signal rejects with code `Aborted`; a commit that was already sent may still be made. */
export interface StoreOptions {
  readonly signal?: AbortSignal;
}

/** What an adapter supports. The core refuses to start without what it needs. */
export interface StoreCapabilities {
  /** Several processes may open it at once. Otherwise one process owns it alone. */
  readonly sharedByProcesses: boolean;
  /** An acknowledged commit survives a crash of the machine. Otherwise it is for tests and trials. */
  readonly durable: boolean;
  /** `snapshot` is available. Otherwise an export needs a store without writers. */
  readonly snapshot: boolean;
}

/** A read-only view of one instant. MUST be released, or it blocks the store's housekeeping. */
export interface StoreSnapshot extends Pick<Store, "get" | "list"> {
  /** Releases the view; it can't be read afterwards. */
  release(): Promise<void>;
}

/** Notifies processes that there may be news. A ring may be lost or repeated: the store has the truth. */
export interface StoreBell {
  /** Notifies every other user of the store. Resolves when the ring was accepted; whether anybody heard it is unknown. Never fails. */
  ring(): Promise<void>;
  /** Calls `wake` for each ring of others, and whenever some may have been missed. Returns a function that stops it. */
  hear(wake: () => void): () => void;
}

/**
 * Ordered keys with versions and atomic conditional commits: everything that liveplane stores goes through these methods.
 *
 * Every method throws `StoreFailed` if the store can't be reached or refuses, never a vendor's own error, and refuses with
 * `ValidationFailed`, before writing anything, what it can't hold: an empty key, a key part with a lone surrogate (NUL is fine), a key of
 * more than 2,560 bytes to write, a value that JSON can't represent or that is nested more than 500 deep. Arguments of a wrong type are
 * refused the same way.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;

  /**
   * Reads many keys at one instant. The answer is in the requested order; `null` means absent or expired. Values are deeply frozen, so a
   * store can share them between readers. A frozen entry will be returned again, so whatever is derived from it is worth caching with it.
   */
  get(keys: readonly Key[], options?: StoreOptions): Promise<(Entry | null)[]>;

  /**
   * What this process last read or wrote at these keys, without asking: `undefined` where it doesn't know. Somebody else may have changed
   * it since, so it is good only for a commit that checks its version. An entry MUST be one that `get` has given or would have. Absent if
   * reading costs no journey.
   */
  recall?(keys: readonly Key[]): readonly (Entry | undefined)[];

  /**
   * Reads a range in key order, at one instant per call. Expired entries are absent. Fewer than `limit` means: no more. Lists,
   * entries and values are the reader's own, or frozen. A frozen entry or list will be returned again as long as nothing in it changes.
   */
  list(range: Range, options?: StoreOptions): Promise<readonly Entry[]>;

  /**
   * Applies the whole commit, or nothing. Returns the commit's version, or `null` if a check failed.
   *
   * - MUST be serializable: for commits that check and write each other's keys, some order of them explains every answer.
   * - The version is greater than that of every commit that was answered before this one began, and never reused.
   * - A key occurs at most once among `sets` and `deletes`. Deleting an absent key is fine. A commit with only checks is fine.
   * - Throws `CommitOutcomeUnknown` if it can't tell whether the commit was made; it MUST NOT retry by itself then.
   */
  commit(commit: Commit, options?: StoreOptions): Promise<number | null>;

  /** A view of this instant for consistent exports; present if `capabilities.snapshot`. */
  snapshot?(options?: StoreOptions): Promise<StoreSnapshot>;

  /** Notifies other processes that use the store, if possible; otherwise they poll. */
  readonly bell?: StoreBell;

  /** Closes the store: waits for running calls, releases files and connections. Later calls throw `StoreFailed`. Idempotent. */
  close(): Promise<void>;
}
