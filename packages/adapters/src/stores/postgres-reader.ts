import { setImmediate as nextTurn } from "node:timers/promises";
import { LiveplaneError } from "@liveplane/core/errors";
import {
  boundsOf,
  type Entry,
  type EntryMemory,
  encodeKeys,
  type Json,
  type Key,
  mostRememberedAtOnce,
  parseFrozen,
  type Range,
  type Store,
  type StoreOptions,
} from "@liveplane/core/store";
import { decodeBytes, encodeBytes, type PostgresRow } from "./postgres-schema.ts";

/** Runs a named statement, which each connection parses once. */
export type PostgresQuery = (
  name: string,
  text: string,
  values: readonly unknown[],
) => Promise<{ readonly rows: readonly PostgresRow[] }>;

export interface PostgresReaderDeps {
  readonly query: PostgresQuery;
  readonly now: () => number;
  readonly enter: (options?: StoreOptions) => void;
  /** Read entries, by encoded key. @default no cache */
  readonly memory?: EntryMemory<string>;
  /** Whether reads wait for the end of the turn, to share a statement. @default false */
  readonly readTogether?: boolean;
}

const live = "(expires_at IS NULL OR expires_at > $1)";
const getText = `SELECT key, value, version, expires_at FROM liveplane_entry WHERE ${live} AND key = ANY($2)`;
/** Omits the values whose versions are already known. */
const renewText = `SELECT key, version, expires_at,
  CASE WHEN version = ($3::bigint[])[array_position($2::bytea[], key)] THEN NULL ELSE value END AS value
  FROM liveplane_entry WHERE ${live} AND key = ANY($2)`;
const listText = (order: "ASC" | "DESC") =>
  `SELECT key, value, version, expires_at FROM liveplane_entry WHERE ${live} AND key > $2 AND key < $3 ORDER BY key ${order} LIMIT $4`;
const listTexts = { ASC: listText("ASC"), DESC: listText("DESC") };

/**
 * Reads over any number of connections. Others may write too, so each read asks the database for the current versions; the cache only saves
 * sending and parsing a value whose version is known.
 */
export function postgresReader({
  query,
  now,
  enter,
  memory,
  readTogether = false,
}: PostgresReaderDeps): Pick<Store, "get" | "list"> {
  function ask(places: readonly Place[]): ReturnType<PostgresQuery> {
    const keys = places.map(({ bytes }) => bytes);
    if (!places.some(({ known }) => known !== undefined)) return query("liveplane-get", getText, [now(), keys]);
    const versions = places.map(({ known }) => known?.version ?? null);
    return query("liveplane-renew", renewText, [now(), keys, versions]);
  }

  async function read(encoded: readonly string[]): Promise<(Entry | null)[]> {
    const remembered = encoded.length <= mostRememberedAtOnce ? memory : undefined;
    // Kept at hand even if the cache drops them while the database is asked.
    const places = encoded.map((place) => ({ place, bytes: encodeBytes(place), known: remembered?.get(place) }));
    const { rows } = await ask(places);
    const byKey = new Map(rows.map((row) => [row.key.toString("latin1"), row]));
    return places.map(({ place, bytes, known }) => {
      const row = byKey.get(bytes.toString("latin1"));
      if (row === undefined) return null;
      if (row.value === null && known !== undefined) return known;
      const entry = toEntry(row, parseFrozen);
      return remembered === undefined ? entry : kept(remembered, place, entry, row.value?.length ?? 0);
    });
  }

  const readSoon = readTogether ? together(read) : read;
  return {
    async get(keys: readonly Key[], options) {
      const encoded = encodeKeys(keys);
      enter(options);
      if (keys.length === 0) return [];
      return untilAborted(encoded.length > mostRememberedAtOnce ? read(encoded) : readSoon(encoded), options?.signal);
    },
    async list(range: Range, options) {
      const { lower, upper, limit, reverse } = boundsOf(range);
      enter(options);
      const order = reverse ? "DESC" : "ASC";
      const bounds = [encodeBytes(lower), upper === null ? behindAll : encodeBytes(upper)];
      const asked = query(`liveplane-list-${order}`, listTexts[order], [now(), ...bounds, limit]);
      const { rows } = await untilAborted(asked, options?.signal);
      return rows.map((row) => toEntry(row, JSON.parse));
    },
  };
}

type Read = (encoded: readonly string[]) => Promise<(Entry | null)[]>;

/** Joins what is read within a turn of the event loop: requests that came together need one statement, not one each. */
function together(read: Read): Read {
  let open: { readonly encoded: string[]; readonly entries: Promise<(Entry | null)[]> } | null = null;
  return async (encoded) => {
    if (open === null || open.encoded.length + encoded.length > mostRememberedAtOnce) {
      const all: string[] = [];
      const entries = nextTurn().then(() => {
        if (open?.encoded === all) open = null;
        return read(all);
      });
      open = { encoded: all, entries };
    }
    const from = open.encoded.length;
    const { entries } = open;
    open.encoded.push(...encoded);
    return (await entries).slice(from, from + encoded.length);
  };
}

/** A requested key. */
interface Place {
  readonly bytes: Buffer;
  readonly known: Entry | undefined;
}

/** No key contains this byte, because it isn't UTF-8. */
const behindAll = Buffer.from([0xff]);

function toEntry(row: PostgresRow, parse: (json: string) => Json): Entry {
  const [version, expiresAt] = [Number(row.version), row.expires_at];
  const entry = { key: decodeBytes(row.key), value: parse(row.value ?? "null"), version };
  return expiresAt === null ? entry : { ...entry, expiresAt: Number(expiresAt) };
}

function kept(memory: EntryMemory<string>, place: string, entry: Entry, letters: number): Entry {
  Object.freeze(entry.key);
  memory.keep(place, Object.freeze(entry), letters);
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
