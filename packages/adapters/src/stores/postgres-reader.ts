import { LiveplaneError } from "@liveplane/core/errors";
import {
  boundsOf,
  decodeKey,
  type Entry,
  type EntryMemory,
  encodeKeys,
  mostRememberedAtOnce,
  parseFrozen,
  type Store,
  type StoreOptions,
} from "@liveplane/core/store";
import { frozen, live, type PostgresMemory, type PostgresQuery, type StoredRow, toEntry } from "./postgres-entries.ts";
import { postgresLists } from "./postgres-lists.ts";
import { encodeBytes } from "./postgres-schema.ts";
import { together } from "./together.ts";

export interface PostgresReaderDeps {
  readonly query: PostgresQuery;
  readonly now: () => number;
  readonly enter: (options?: StoreOptions) => void;
  /** @default no cache */
  readonly memory?: PostgresMemory;
  /** Whether reads wait for the end of the turn, to share a statement. @default false */
  readonly readTogether?: boolean;
}

/** The most keys of a statement that several reads share. */
const mostKeysAtOnce = 1024;

/** What has become of the key at a place of the request, counted from 1. Without a version, it is gone. */
interface ChangedRow extends Omit<StoredRow, "version"> {
  readonly at: number;
  readonly version: string | null;
}

/** Says nothing of a key that is as the reader knows it: absent, or of the version known. */
const getText = `SELECT asked.at::integer AS at, value, version, expires_at
  FROM unnest($2::bytea[], $3::bigint[]) WITH ORDINALITY AS asked (key, known, at)
  LEFT JOIN liveplane_entry AS entry ON entry.key = asked.key AND ${live}
  WHERE version IS DISTINCT FROM known`;

/**
 * Reads over any number of connections. Others may write too, so each read asks the database what has changed; the cache saves sending and
 * parsing what hasn't.
 */
export function postgresReader(deps: PostgresReaderDeps): Pick<Store, "get" | "list" | "recall"> {
  const { query, now, enter, memory, readTogether = false } = deps;

  async function readBy(
    entries: EntryMemory<string> | undefined,
    encoded: readonly string[],
  ): Promise<readonly (Entry | null)[]> {
    const found: (Entry | null)[] = encoded.map((place) => entries?.get(place) ?? null);
    const versions = found.map((entry) => entry?.version ?? null);
    const { rows } = await query<ChangedRow>("liveplane-get", getText, [now(), encoded.map(encodeBytes), versions]);
    for (const row of rows) {
      const place = encoded[row.at - 1] ?? "";
      if (row.version === null) entries?.forget(place);
      found[row.at - 1] = row.version === null ? null : keep(entries, place, { ...row, version: row.version });
    }
    return found;
  }

  const readRemembering = (encoded: readonly string[]) => readBy(memory?.entries, encoded);
  const readSoon = readTogether ? together(readRemembering, mostKeysAtOnce) : readRemembering;
  const list = postgresLists({ query, now, memory, readTogether });
  return {
    async get(keys, options) {
      const encoded = encodeKeys(keys);
      enter(options);
      if (keys.length === 0) return [];
      const reading = encoded.length > mostRememberedAtOnce ? readBy(undefined, encoded) : readSoon(encoded);
      return [...(await untilAborted(reading, options?.signal))];
    },
    ...(memory && {
      recall: (keys) => encodeKeys(keys).map((place) => livingOf(memory.entries.get(place), now())),
    }),
    async list(range, options) {
      const bounds = boundsOf(range);
      enter(options);
      return untilAborted(list(range, bounds), options?.signal);
    },
  };
}

function livingOf(entry: Entry | undefined, now: number): Entry | undefined {
  return entry?.expiresAt === undefined || entry.expiresAt > now ? entry : undefined;
}

function keep(entries: EntryMemory<string> | undefined, place: string, row: StoredRow): Entry {
  const entry = toEntry(row, decodeKey(place), parseFrozen);
  if (entries === undefined) return entry;
  entries.keep(place, frozen(entry), row.value.length);
  return entry;
}

/** An aborting caller stops waiting; what was sent runs to its end. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new LiveplaneError("Aborted", undefined, { cause: signal.reason }));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => {});
  }
}
