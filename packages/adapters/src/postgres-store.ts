import { LiveplaneError } from "@liveplane/core/errors";
import {
  boundsOf,
  type Entry,
  encodeKey,
  encodePrefix,
  type Json,
  type Key,
  prepare,
  type Range,
  type Store,
  type StoreOptions,
  type StoreSnapshot,
} from "@liveplane/core/store";
import type { Pool, PoolClient, QueryResult } from "pg";
import { decodeBytes, encodeBytes, prepareSchema, type Row } from "./postgres-schema.ts";

/** Options of a Postgres store. */
export interface PostgresStoreOptions {
  readonly connectionString: string;
  /** @default 10 */
  readonly connections?: number;
  /** A statement that takes longer is given up. @default 15000 */
  readonly statementTimeoutMs?: number;
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

/** Codes under which Postgres has rolled back for sure, and trying again can help. */
const retried = new Set(["40001", "40P01", "55P03"]);
const mostTries = 5;

/**
 * Opens a store in one table of a Postgres database, for any number of processes. Every commit is one function call that
 * takes the advisory locks of all keys it checks or writes, in one order, before it looks at any of them.
 */
export async function postgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { connectionString, connections = 10, statementTimeoutMs = 15_000, now = Date.now } = options;
  const { Pool } = await loadDriver();
  const pool = new Pool({
    connectionString,
    max: connections,
    statement_timeout: statementTimeoutMs,
    connectionTimeoutMillis: 10_000,
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on("error", () => {});
  let closed = false;
  const enter = ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };
  try {
    await prepareSchema(pool);
  } catch (cause) {
    await pool.end();
    throw cause instanceof LiveplaneError ? cause : failed(cause);
  }

  return {
    capabilities: { sharedByProcesses: true, durable: true, snapshot: true },
    ...reader((text, values) => readAgain(pool, text, values), now, enter),
    async commit(commit, storeOptions) {
      const prepared = prepare(commit);
      enter(storeOptions);
      return commitOnce(pool, prepared, now());
    },
    async snapshot(storeOptions): Promise<StoreSnapshot> {
      enter(storeOptions);
      return openSnapshot(pool, now());
    },
    async close() {
      if (closed) return;
      closed = true;
      await pool.end();
    },
  };
}

type Query = (text: string, values: readonly unknown[]) => Promise<QueryResult<Row>>;

function reader(query: Query, now: () => number, enter: (options?: StoreOptions) => void): Pick<Store, "get" | "list"> {
  return {
    async get(keys: readonly Key[], options) {
      const encoded = keys.map((key) => encodeBytes(encodeKey(key)));
      enter(options);
      if (keys.length === 0) return [];
      const text =
        "SELECT key, value, version FROM liveplane_entry WHERE key = ANY($1) AND (expires_at IS NULL OR expires_at > $2)";
      const { rows } = await query(text, [encoded, now()]);
      const found = new Map(rows.map((row) => [row.key.toString("hex"), row]));
      return encoded.map((key) => toEntry(found.get(key.toString("hex"))));
    },
    async list(range: Range, options) {
      const { lower, upper, limit, reverse } = boundsOf(range);
      enter(options);
      const order = reverse ? "DESC" : "ASC";
      const text = `SELECT key, value, version FROM liveplane_entry WHERE key > $1 AND key < $2 AND (expires_at IS NULL OR expires_at > $3) ORDER BY key ${order} LIMIT $4`;
      const { rows } = await query(text, [
        encodeBytes(lower),
        upper === null ? behindAll : encodeBytes(upper),
        now(),
        limit,
      ]);
      return rows.map((row) => toEntry(row) as Entry);
    },
  };
}

/** No key holds this byte: it isn't UTF-8. */
const behindAll = Buffer.from([0xff]);

function toEntry(row: Row | undefined): Entry | null {
  return row === undefined
    ? null
    : { key: decodeBytes(row.key), value: JSON.parse(row.value) as Json, version: Number(row.version) };
}

/** Reading twice does no harm, so a lost connection is tried once more. */
async function readAgain(pool: Pool, text: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
  try {
    return await pool.query<Row>(text, [...values]);
  } catch {
    return pool.query<Row>(text, [...values]).catch((cause: unknown) => {
      throw failed(cause);
    });
  }
}

async function commitOnce(
  pool: Pool,
  { checks, sets, deletes, appends }: ReturnType<typeof prepare>,
  now: number,
): Promise<number | null> {
  const values = [
    checks.map(({ key }) => encodeBytes(key)),
    checks.map(({ version }) => version),
    sets.map(({ key }) => encodeBytes(key)),
    sets.map(({ json }) => json),
    sets.map(({ expiresAt }) => expiresAt ?? null),
    deletes.map(encodeBytes),
    appends.map(({ prefix }) => encodeBytes(encodePrefix(prefix))),
    appends.map(({ json }) => json),
    now,
  ];
  const text =
    "SELECT liveplane_commit($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint) AS version";
  for (let attempt = 1; ; attempt++) {
    const client = await connect(pool);
    try {
      const { rows } = await client.query<{ version: string | null }>(text, values);
      client.release();
      return rows[0]?.version == null ? null : Number(rows[0].version);
    } catch (cause) {
      const code = String(Reflect.get(Object(cause), "code") ?? "");
      client.release(code.length !== 5 || code.startsWith("57P"));
      if (!retried.has(code) || attempt >= mostTries)
        throw code.length === 5 && !code.startsWith("57P") ? failed(cause) : unknown(cause);
    }
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw failed(cause);
  }
}

async function openSnapshot(pool: Pool, instant: number): Promise<StoreSnapshot> {
  const client = await connect(pool);
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await client.query("SELECT 1 FROM liveplane_entry LIMIT 1");
  const query: Query = (text, values) => client.query<Row>(text, [...values]);
  return {
    ...reader(
      query,
      () => instant,
      () => {},
    ),
    async release() {
      await client.query("COMMIT").catch(() => {});
      client.release();
    },
  };
}

async function loadDriver(): Promise<{ readonly Pool: typeof Pool }> {
  try {
    const { default: driver } = await import("pg");
    return driver;
  } catch (cause) {
    throw new LiveplaneError("ConfigurationInvalid", "The Postgres store needs the package pg: npm install pg@8", {
      cause,
    });
  }
}

/** Postgres said no, or was never reached: nothing was changed. Its messages quote values, so only the code goes on. */
function failed(cause: unknown): LiveplaneError {
  const code = String(Reflect.get(Object(cause), "code") ?? "unknown");
  return new LiveplaneError("StoreFailed", `Postgres failed (${code}).`, { retryable: true });
}

/** The connection broke while the commit was under way: it may have been made. */
function unknown(cause: unknown): LiveplaneError {
  const code = String(Reflect.get(Object(cause), "code") ?? "unknown");
  return new LiveplaneError(
    "CommitOutcomeUnknown",
    `The connection to Postgres broke during a commit (${code}): it may have been made.`,
  );
}
