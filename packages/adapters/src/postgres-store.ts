import { setImmediate as nextTurn } from "node:timers/promises";
import { LiveplaneError } from "@liveplane/core/errors";
import { prepare, type Store, type StoreOptions, type StoreSnapshot } from "@liveplane/core/store";
import type { Client, Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from "pg";
import { postgresBell } from "./stores/postgres-bell.ts";
import { type PostgresQuery, postgresMemory } from "./stores/postgres-entries.ts";
import { postgresReader, untilAborted } from "./stores/postgres-reader.ts";
import { byKeysText, prepareSchema } from "./stores/postgres-schema.ts";
import { commitQuery, isSmall, mostCommits, type Prepared, sweeper } from "./stores/postgres-writes.ts";
import { together } from "./stores/together.ts";

/** Options of a Postgres store. */
export interface PostgresStoreOptions {
  readonly connectionString: string;
  /** @default 10 */
  readonly connections?: number;
  /** A longer statement is abandoned. @default 15000 */
  readonly statementTimeoutMs?: number;
  /** The most memory for cached values, which are neither sent nor parsed again while their version is unchanged. @default 64 MiB */
  readonly rememberBytes?: number;
  /** What the time is, for entries that expire. @default Date.now */
  readonly now?: () => number;
}

/** Codes of a definite rollback that a retry can help with. */
const retried = new Set(["40001", "40P01", "55P03", "25006"]);
/** The server has been read-only since a failover. A new connection may lead to the writable one. */
const isDemoted = (cause: unknown) => codeOf(cause) === "25006";
const mostTries = 5;
/** How long after a statement's timeout its connection counts as lost. */
const silenceMs = 2000;

/**
 * Opens a store in one table of a Postgres database, for any number of processes. Every commit is one function call that takes the advisory
 * locks of all keys it checks or writes, in one order, before it reads any of them. Small commits of one turn of the event loop share a
 * transaction.
 */
export async function postgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { connectionString, connections = 10, statementTimeoutMs = 15_000, now = Date.now } = options;
  const { rememberBytes = 2 ** 26 } = options;
  const { Pool, Client } = await loadDriver();
  const pool = new Pool({
    connectionString,
    max: connections,
    statement_timeout: statementTimeoutMs,
    // Longer than the server's own timeout, which ends a statement cleanly: this one is for a silent connection.
    query_timeout: statementTimeoutMs + silenceMs,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    onConnect: (client) => client.query(byKeysText),
  });
  // A broken idle connection is replaced; without a listener it would end the process.
  pool.on("error", () => {});
  // While a connection closes, the pool no longer listens to it.
  pool.on("connect", (client) => client.on("error", () => {}));
  const memory = postgresMemory(rememberBytes);
  // A restored database is reached by a new connection, and reuses version numbers.
  pool.on("connect", () => memory.clear());
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  /** An ending pool drops those who wait for a connection, so closing waits for them first. */
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const done: Promise<unknown> = work.then(
      () => underWay.delete(done),
      () => underWay.delete(done),
    );
    underWay.add(done);
    return work;
  };
  const enter = ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };

  const dropExpired = sweeper(now, (text, values) =>
    tracked(pool.query(text, values).then(({ rowCount }) => rowCount ?? 0)),
  );
  const durable = await prepareOver(pool);

  const commitSoon = together((commits: readonly Prepared[]) => commitAll(pool, commits, now()), mostCommits);

  const bell = postgresBell({
    pool,
    connect: () => new Client({ connectionString, keepAlive: true, connectionTimeoutMillis: 10_000 }),
  });
  return {
    bell: { ring: () => (closed ? Promise.resolve() : tracked(bell.ring())), hear: bell.hear },
    capabilities: { sharedByProcesses: true, durable, snapshot: true },
    ...postgresReader({
      query: <Row extends object>(name: string, text: string, values: readonly unknown[]) =>
        tracked(readAgain<Row>(pool, { name, text, values: [...values] })),
      ...{ now, enter, memory, readTogether: true },
    }),
    async commit(commit, storeOptions) {
      const prepared = prepare(commit);
      enter(storeOptions);
      dropExpired();
      const making = isSmall(prepared) ? commitSoon([prepared]) : commitAll(pool, [prepared], now());
      const made = making.then(([version = null]) => version);
      return untilAborted(tracked(memory.after(prepared, made)), storeOptions?.signal);
    },
    async snapshot(storeOptions): Promise<StoreSnapshot> {
      enter(storeOptions);
      return tracked(openSnapshot(pool, now()));
    },
    async close() {
      if (closed) return;
      closed = true;
      await bell.close();
      // Reads of this turn are sent at its end.
      await nextTurn();
      await Promise.all(underWay);
      await pool.end();
    },
  };
}

/** Prepares the schema on one connection. Returns whether the server keeps acknowledged commits. */
async function prepareOver(pool: Pool): Promise<boolean> {
  let client: PoolClient | undefined;
  try {
    const own = await pool.connect();
    client = own;
    const { durable } = await prepareSchema(<Row>(text: string, values?: unknown[]) =>
      own.query<Row & QueryResultRow>(text, values),
    );
    client.release();
    return durable;
  } catch (cause) {
    client?.release();
    await pool.end();
    throw cause instanceof LiveplaneError ? cause : failed(cause);
  }
}

/** Reading twice is harmless, so it is retried on another connection if one was lost. */
async function readAgain<Row extends object>(pool: Pool, query: QueryConfig): Promise<QueryResult<Row>> {
  try {
    return await pool.query<Row>(query);
  } catch (cause) {
    if (!lostConnection(cause)) throw failed(cause);
    return pool.query<Row>(query).catch((again: unknown) => {
      throw failed(again);
    });
  }
}

/** Makes commits in one statement, and answers for each. */
async function commitAll(pool: Pool, commits: readonly Prepared[], now: number): Promise<readonly (number | null)[]> {
  const query = commitQuery(commits, now);
  for (let attempt = 1; ; attempt++) {
    const client = await connect(pool);
    try {
      const { rows } = await client.query<{ at: number; version: string | null }>(query);
      client.release();
      const versions = commits.map((): number | null => null);
      for (const { at, version } of rows) versions[at - 1] = version === null ? null : Number(version);
      return versions;
    } catch (cause) {
      client.release(lostConnection(cause) || isDemoted(cause));
      if (lostConnection(cause)) throw outcomeUnknown(cause);
      if (!retried.has(codeOf(cause)) || attempt >= mostTries) throw failed(cause);
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
  const query: PostgresQuery = <Row extends object>(name: string, text: string, values: readonly unknown[]) =>
    client.query<Row>({ name, text, values: [...values] }).catch((cause: unknown) => {
      throw failed(cause);
    });
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query("SELECT 1 FROM liveplane_entry LIMIT 1");
  } catch (cause) {
    client.release(true);
    throw failed(cause);
  }
  let released = false;
  return {
    ...postgresReader({ query, now: () => instant, enter: () => {} }),
    async release() {
      if (released) return;
      released = true;
      const broken = await client.query("COMMIT").then(
        () => false,
        () => true,
      );
      client.release(broken);
    },
  };
}

async function loadDriver(): Promise<{ readonly Pool: typeof Pool; readonly Client: typeof Client }> {
  try {
    const { default: driver } = await import("pg");
    return driver;
  } catch (cause) {
    throw new LiveplaneError("ConfigurationInvalid", "The Postgres store needs the package pg: npm install pg@8", {
      cause,
    });
  }
}

function codeOf(cause: unknown): string {
  return String(Reflect.get(Object(cause), "code") ?? "unknown");
}

/** A server that answers with one of its own codes has rolled back, unless it was shut down (class 57P). */
function lostConnection(cause: unknown): boolean {
  const code = codeOf(cause);
  return !/^[0-9A-Z]{5}$/.test(code) || code.startsWith("57P") || code.startsWith("08") || code === "EPIPE";
}

/** Postgres refused, or was never reached: nothing was changed. Its own errors can quote values, so only the code is passed on. */
function failed(cause: unknown): LiveplaneError {
  const options = { retryable: true, ...(lostConnection(cause) && { cause }) };
  return new LiveplaneError("StoreFailed", `Postgres failed (${codeOf(cause)}).`, options);
}

/** The connection broke during the commit. */
function outcomeUnknown(cause: unknown): LiveplaneError {
  const message = `The connection to Postgres broke during a commit (${codeOf(cause)}). The change may have been stored.`;
  return new LiveplaneError("CommitOutcomeUnknown", message, { cause });
}
