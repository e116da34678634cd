import { LiveplaneError } from "@liveplane/core/errors";
import {
  appendedKey,
  boundsOf,
  encodeKey,
  encodeKeys,
  listRows,
  liveRow,
  prepare,
  type Row,
  type SortedRows,
  type Store,
  type StoreOptions,
  type StoreSnapshot,
  sharedEntries,
} from "@liveplane/core/store";
import { applyCommit, type JournalCommit, type KeyvLike, openJournal } from "./stores/keyv-journal.ts";

/** Options of a Keyv store. */
export interface KeyvStoreOptions {
  /**
   * A Keyv without a listener for `error` and without a ttl. `close` doesn't disconnect it. A backend that reports broken connections
   * itself, such as Redis, needs a listener on its own client.
   */
  readonly keyv: KeyvLike;
  /** The prefix of every key in the Keyv. @default "liveplane" */
  readonly prefix?: string;
  /** After this many journal entries the state is written as a snapshot. @default 2000 */
  readonly snapshotEvery?: number;
  /** Whether the Keyv's backend keeps its data after a crash. @default false */
  readonly durable?: boolean;
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

/** A longer queue of commits is split, so that no journal entry becomes too large. */
const largestGroup = 64;

/**
 * Opens a store in any Keyv, used as a log: the state is in memory and must fit there, and concurrent commits share one journal entry,
 * written by one `set`. For one process only, which nothing enforces, because Keyv has no compare-and-set.
 */
export async function keyvStore(options: KeyvStoreOptions): Promise<Store> {
  const { keyv, prefix = "liveplane", snapshotEvery = 2000, durable = false, now = Date.now } = options;
  const journal = await openJournal(keyv, prefix, snapshotEvery);
  let { rows, version } = journal;
  const entriesOf = sharedEntries();
  const queue: Waiting[] = [];
  /** Commits that may or may not be in the journal. */
  let inDoubt: readonly JournalCommit[] | null = null;
  let working: Promise<void> | null = null;
  let compacting: Promise<void> | null = null;
  let closed = false;

  const enter = async ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
    if (inDoubt !== null) await work();
  };
  const view = (of: () => SortedRows, clock: () => number, begin: typeof enter): Pick<Store, "get" | "list"> => ({
    async get(keys, readOptions) {
      const encoded = encodeKeys(keys);
      await begin(readOptions);
      return entriesOf(encoded.map((key) => liveRow(of().get(key), clock())));
    },
    async list(range, readOptions) {
      const bounds = boundsOf(range);
      await begin(readOptions);
      return listRows(of(), bounds, clock());
    },
  });

  function work(): Promise<void> {
    working ??= drain();
    return working;
  }

  async function drain(): Promise<void> {
    do {
      if (inDoubt !== null && !(await resolveDoubt())) break;
      await writeGroup(queue.splice(0, largestGroup));
      if (journal.isLong() && inDoubt === null) compacting ??= compact();
    } while (queue.length > 0);
    // In one step with the check of the queue: a later commit starts again.
    working = null;
  }

  /** Checks whether the entry whose write failed exists. As long as that is unknown, everything that waits fails. */
  async function resolveDoubt(): Promise<boolean> {
    try {
      if (await journal.landed()) for (const commit of inDoubt ?? []) version = applyCommit(rows, commit);
      inDoubt = null;
      return true;
    } catch (error) {
      for (const { reject } of queue.splice(0)) reject(error);
      return false;
    }
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    const { commits, answers } = judge(rows, version, group, now());
    try {
      if (commits.length > 0) await journal.append(commits);
    } catch (cause) {
      inDoubt = commits;
      const message = "Keyv failed during a commit. The change may have been stored.";
      for (const [at, { resolve, reject }] of group.entries()) {
        if (answers[at] === null) resolve(null);
        else reject(new LiveplaneError("CommitOutcomeUnknown", message, { cause }));
      }
      return;
    }
    for (const commit of commits) version = applyCommit(rows, commit);
    for (const [at, { resolve }] of group.entries()) resolve(answers[at] ?? null);
  }

  /** A failed snapshot is tried again at the next entry: the journal still has everything. */
  async function compact(): Promise<void> {
    const frozen = rows;
    rows = rows.copy();
    for (const row of frozen.all()) if (liveRow(row, now()) === null) rows.delete(row.key);
    await journal.compact(frozen, version).catch(() => {});
    compacting = null;
  }

  return {
    capabilities: { sharedByProcesses: false, durable, snapshot: true },
    ...view(() => rows, now, enter),
    async commit(commit, commitOptions) {
      const prepared = prepare(commit);
      await enter(commitOptions);
      return new Promise<number | null>((resolve, reject) => {
        queue.push({ commit: prepared, resolve, reject });
        // A failure of the work reaches each waiting caller separately.
        work().catch(() => {});
      });
    },
    async snapshot(snapshotOptions): Promise<StoreSnapshot> {
      await enter(snapshotOptions);
      const [frozen, instant] = [rows, now()];
      rows = rows.copy();
      return {
        ...view(
          () => frozen,
          () => instant,
          async () => {},
        ),
        release: async () => {},
      };
    },
    async close() {
      closed = true;
      await working;
      await compacting;
    },
  };
}

interface Waiting {
  readonly commit: ReturnType<typeof prepare>;
  readonly resolve: (version: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Judges commits in order, each against the changes of those before it in the group. Changes nothing. */
function judge(rows: SortedRows, newest: number, group: readonly Waiting[], now: number) {
  const changed = new Map<string, Row | null>();
  const current = (key: string) => liveRow(changed.has(key) ? changed.get(key) : rows.get(key), now);
  const commits: JournalCommit[] = [];
  let version = newest;
  const answers = group.map(({ commit: { checks, sets, deletes, appends } }) => {
    if (checks.some((check) => (current(check.key)?.version ?? null) !== check.version)) return null;
    version += 1;
    const written = [
      ...sets.map(({ key, json, expiresAt }): Row => ({ key, json, version, expiresAt })),
      ...appends.map(({ prefix, json }, place): Row => {
        const key = encodeKey([...prefix, ...appendedKey(version, place)]);
        return { key, json, version, expiresAt: undefined };
      }),
    ];
    for (const key of deletes) changed.set(key, null);
    for (const row of written) changed.set(row.key, row);
    commits.push({ version, sets: written, deletes });
    return version;
  });
  return { commits, answers };
}
