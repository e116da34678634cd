import { LiveplaneError } from "@liveplane/core/errors";
import { type Row, SortedRows } from "@liveplane/core/store";

export interface KeyvLike {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<boolean>;
  delete(key: string): Promise<unknown>;
  readonly ttl?: number | undefined;
}

/** The changes of one commit, as journaled. */
export interface JournalCommit {
  readonly version: number;
  readonly sets: readonly Row[];
  readonly deletes: readonly string[];
}

/** A state in a Keyv, stored as a snapshot and the commits since. */
export interface Journal {
  /** The state as it was found. */
  readonly rows: SortedRows;
  readonly version: number;
  /** Writes commits as one entry. Throws if the outcome is unknown. */
  append(commits: readonly JournalCommit[]): Promise<void>;
  /** Whether the entry whose write failed exists anyway. */
  landed(): Promise<boolean>;
  /** Whether the journal is long enough for a snapshot. */
  isLong(): boolean;
  /** Replaces the journal so far by a snapshot of this state. */
  compact(rows: SortedRows, version: number): Promise<void>;
}

interface Head {
  /** Identifies the chunks of the snapshot. */
  readonly generation: number;
  readonly chunks: number;
  /** The last journal entry in the snapshot. */
  readonly entry: number;
  readonly version: number;
  /** Earlier journal entries and chunks, which may still have to be removed. */
  readonly before: { readonly generation: number; readonly chunks: number; readonly entry: number } | null;
}

const rowsPerChunk = 500;
const noHead: Head = { generation: 0, chunks: 0, entry: 0, version: 0, before: null };

/** Opens the contents of a Keyv, after checking that the Keyv is safe to use. */
export async function openJournal(keyv: KeyvLike, prefix: string, snapshotEvery: number): Promise<Journal> {
  const headAt = `${prefix}:head`;
  const entryAt = (entry: number) => `${prefix}:journal:${entry}`;
  const chunkAt = (generation: number, chunk: number) => `${prefix}:snapshot:${generation}:${chunk}`;

  await probe(keyv, prefix);
  let head = ((await readJson(keyv, headAt)) as Head | null) ?? noHead;
  const { rows, version, last } = await replay();
  let entry = last;
  let attempted = "";
  await removeOld();

  async function replay(): Promise<{ rows: SortedRows; version: number; last: number }> {
    const state = new SortedRows();
    for (let chunk = 0; chunk < head.chunks; chunk++) {
      const kept = (await readJson(keyv, chunkAt(head.generation, chunk))) as readonly Row[] | null;
      if (kept === null) throw damaged();
      for (const row of kept) state.set(row);
    }
    let [last, newest] = [head.entry, head.version];
    for (;;) {
      const commits = (await readJson(keyv, entryAt(last + 1))) as readonly JournalCommit[] | null;
      if (commits === null) break;
      for (const commit of commits) newest = applyCommit(state, commit);
      last += 1;
    }
    // Entries are written in order, so one after a gap means a loss.
    if ((await readJson(keyv, entryAt(last + 2))) !== null) throw damaged();
    return { rows: state, version: newest, last };
  }

  /** Removing twice is harmless, so the next opening removes what a crash left. */
  async function removeOld(): Promise<void> {
    const { before } = head;
    if (before === null) return;
    for (let at = before.entry + 1; at <= head.entry; at++) await keyv.delete(entryAt(at));
    for (let chunk = 0; chunk < before.chunks; chunk++) await keyv.delete(chunkAt(before.generation, chunk));
  }

  return {
    rows,
    version,
    async append(commits) {
      attempted = JSON.stringify(commits);
      await write(keyv, entryAt(entry + 1), attempted);
      entry += 1;
    },
    async landed() {
      const found = await read(keyv, entryAt(entry + 1));
      if (found !== attempted) return false;
      entry += 1;
      return true;
    },
    isLong: () => entry - head.entry >= snapshotEvery,
    async compact(state, newest) {
      const upTo = entry;
      const generation = head.generation + 1;
      const all = [...state.all()];
      const chunks = Math.ceil(all.length / rowsPerChunk);
      for (let chunk = 0; chunk < chunks; chunk++) {
        const part = all.slice(chunk * rowsPerChunk, (chunk + 1) * rowsPerChunk);
        await write(keyv, chunkAt(generation, chunk), JSON.stringify(part));
      }
      const before = { generation: head.generation, chunks: head.chunks, entry: head.entry };
      const next: Head = { generation, chunks, entry: upTo, version: newest, before };
      await write(keyv, headAt, JSON.stringify(next));
      head = next;
      await removeOld();
    },
  };
}

/** Applies a commit's changes, and returns its version. */
export function applyCommit(rows: SortedRows, { version, sets, deletes }: JournalCommit): number {
  for (const key of deletes) rows.delete(key);
  for (const row of sets) rows.set(row);
  return version;
}

/**
 * A Keyv with an `error` listener answers a failed read with `undefined`, which would look like the end of the journal. Without a listener
 * it throws, and unserializable values must throw here.
 */
async function probe(keyv: KeyvLike, prefix: string): Promise<void> {
  if (keyv.ttl !== undefined)
    throw new LiveplaneError("ConfigurationInvalid", "This Keyv has a ttl, so it would lose data. Remove the ttl.");
  const swallowed = await keyv.set(`${prefix}:probe`, Symbol("probe")).then(
    () => true,
    () => false,
  );
  if (swallowed)
    throw new LiveplaneError("ConfigurationInvalid", "This Keyv swallows errors. Remove its `error` listener.");
  const text = `probe ${Math.random()}`;
  await write(keyv, `${prefix}:probe`, text);
  if ((await read(keyv, `${prefix}:probe`)) !== text)
    throw new LiveplaneError("ConfigurationInvalid", "This Keyv doesn't return the values that were written to it.");
}

async function write(keyv: KeyvLike, key: string, text: string): Promise<void> {
  let written: boolean;
  try {
    written = await keyv.set(key, text);
  } catch (cause) {
    throw failed("write", cause);
  }
  if (written === false) throw failed("write", undefined);
}

async function read(keyv: KeyvLike, key: string): Promise<string | null> {
  try {
    const found = await keyv.get(key);
    return typeof found === "string" ? found : null;
  } catch (cause) {
    throw failed("read", cause);
  }
}

async function readJson(keyv: KeyvLike, key: string): Promise<unknown> {
  const text = await read(keyv, key);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    throw damaged();
  }
}

function failed(what: string, cause: unknown): LiveplaneError {
  return new LiveplaneError("StoreFailed", `Keyv could not ${what}.`, { cause, retryable: true });
}

function damaged(): LiveplaneError {
  return new LiveplaneError("StoreFailed", "Keyv has lost data. Restore it from a backup.");
}
