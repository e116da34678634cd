import type { Runtime, Scheduler } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { Client } from "pg";
import type { getConstructionPlans, PgBoss } from "pg-boss";
import { type JobQueue, openJobQueue } from "./pg-boss/job-queue.ts";
import { type ShardedWork, startShardedWork } from "./pg-boss/sharded-work.ts";

/** Options of the scheduler on pg-boss. */
export interface PgBossSchedulerOptions {
  /** The database, preferably the same as the store's. */
  readonly connectionString: string;
  readonly runtime: Runtime;
  /**
   * The schema for pg-boss's tables, created if it doesn't exist. One for each installation.
   * @default "liveplane_jobs" beside a store in `public`, otherwise the store's schema with "_jobs" appended
   */
  readonly schema?: string;
  /** How long until a dead process's shard is taken over, plus a few seconds; whole seconds, at least ten. @default 20000 */
  readonly leaseMs?: number;
  /** Shards that one process sweeps at once. @default 8 */
  readonly sweepsAtOnce?: number;
  /** Runs of each of people's tasks in one process at once. @default 64 */
  readonly peopleAtOnce?: number;
  /** Jitter shortens an interval by at most this part of it. @default 0.1 */
  readonly jitter?: number;
  /** @default 6 */
  readonly connections?: number;
  /** The time for pg-boss, in this process and in the database: its `TestClock`, for tests. @default the system's */
  readonly jobClock?: JobClock;
}

/** A clock for pg-boss, with our own type because pg-boss's types have errors that strict consumers would see. */
export interface JobClock {
  /** In epoch milliseconds. */
  now(): number;
  /** Calls once; returns what `clearTimeout` takes. */
  setTimeout(call: () => void, ms: number): unknown;
  /** Cancels the call. */
  clearTimeout(timer: unknown): void;
  /** Calls repeatedly; returns what `clearInterval` takes. */
  setInterval(call: () => void, ms: number): unknown;
  /** Cancels the calls. */
  clearInterval(timer: unknown): void;
}

/** A longer statement is abandoned, and retried if that can help. */
const statementTimeoutMs = 5_000;
/** A longer lock on pg-boss's tables counts as a failure. */
const lockTimeoutMs = 500;
/** The schema, table, function or type doesn't exist. */
const gone = new Set(["3F000", "42P01", "42883", "42704"]);
/** The schema, table, function or type already exists. */
const alreadyThere = new Set(["42P06", "42P07", "42723", "42710"]);
/** How often a process frees the jobs of dead processes in all queues. */
const superviseSeconds = 3;

/**
 * A scheduler for any number of processes over one Postgres, with pg-boss: one job for each shard, run by one process at a time under a
 * renewed lease; the next job is sent in the transaction that ends the last.
 *
 * @throws {ConfigurationInvalid} if pg-boss isn't installed, `leaseMs` is invalid, or the database refuses its schema.
 */
export async function pgBossScheduler(options: PgBossSchedulerOptions): Promise<Scheduler> {
  const { runtime, leaseMs = 20_000, jitter = 0.1 } = options;
  const { sweepsAtOnce = 8, peopleAtOnce = 64 } = options;
  if (leaseMs < 10_000 || leaseMs % 1000 !== 0)
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "leaseMs must be a whole number of seconds, at least ten, such as 20000.",
    );
  const driver = await loadDriver();
  const schema = options.schema ?? (await schemaBesideStore(options, driver));
  const boss = await openBoss({ ...options, schema }, driver);
  const queues = new Map<string, Promise<JobQueue>>();
  const tasks = new Map<string, ShardedWork>();
  const closed = new AbortController();
  let remaking: Promise<void> | null = null;
  // Without a listener, an error of its maintenance would end the process; the next run may succeed.
  boss.on("error", (error) => {
    runtime.logger.warn({ code: codeOf(error) }, "pg-boss maintenance failed.");
    if (gone.has(codeOf(error))) remaking ??= remake().finally(() => (remaking = null));
  });

  /** Creates the tables again, once no lease that they lost can still be held. */
  async function remake(): Promise<void> {
    runtime.logger.error({ schema, leaseMs }, "The tables of pg-boss are gone. They are made again in leaseMs.");
    try {
      await runtime.clock.sleep(leaseMs, { signal: closed.signal });
      await boss
        .getDb()
        .executeSql(driver.getConstructionPlans(schema))
        // Another process was faster, or some tables exist; the queues will show.
        .catch((error: unknown) => {
          if (!alreadyThere.has(codeOf(error))) throw error;
        });
      for (const task of queues.keys()) await openJobQueue(task, { boss, schema, leaseMs });
      runtime.logger.warn({ schema }, "The tables of pg-boss were made again.");
    } catch (error) {
      if (closed.signal.aborted) return;
      const advice = "Let this role create the schema, or drop what is left of it.";
      runtime.logger.error({ schema, code: codeOf(error) }, `The tables of pg-boss could not be made again. ${advice}`);
    }
  }

  function queueOf(task: string): Promise<JobQueue> {
    const known = queues.get(task) ?? openJobQueue(task, { boss, schema, leaseMs });
    queues.set(task, known);
    known.catch(() => queues.delete(task));
    return known;
  }

  async function ask(task: string, shard: string, afterMs: number): Promise<void> {
    try {
      await (await queueOf(task)).ask(shard, afterMs);
    } catch (cause) {
      throw isLiveplaneError(cause) ? cause : failed(cause);
    }
    tasks.get(task)?.wake();
  }

  return {
    leaseMs,
    async start(task) {
      const { name, lane = "sweep" } = task;
      const atOnce = task.atOnce ?? (lane === "people" ? peopleAtOnce : sweepsAtOnce);
      const queue = await queueOf(name);
      const work = startShardedWork(task, { queue, runtime, leaseMs, jitter, atOnce });
      tasks.set(name, work);
      return {
        request: (shard) => ask(name, shard, 0),
        async stop() {
          if (tasks.get(name) === work) tasks.delete(name);
          await work.stop();
        },
      };
    },
    enqueue: ({ task, shard, afterMs = 0 }) => ask(task, shard, afterMs),
    async requireJobs() {
      try {
        await boss.getDb().executeSql(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs};
          LOCK TABLE ${schema}.job, ${schema}.queue IN ROW EXCLUSIVE MODE; ROLLBACK`);
      } catch (cause) {
        if (codeOf(cause) !== "55P03") throw failed(cause);
        const message = "Another session has locked the tables of pg-boss. pg_locks shows which one.";
        throw new LiveplaneError("StoreFailed", message, { retryable: true });
      }
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      await remaking;
      await boss.stop({ graceful: false });
    },
  };
}

/** A process that is disconnected within a transaction holds its locks no longer than this. */
const timeouts = {
  query_timeout: statementTimeoutMs,
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: statementTimeoutMs,
};

async function schemaBesideStore(
  { connectionString }: Pick<PgBossSchedulerOptions, "connectionString">,
  { Client }: Driver,
): Promise<string> {
  const client = new Client({ connectionString, connectionTimeoutMillis: statementTimeoutMs, ...timeouts });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ schema: string | null }>("SELECT current_schema() AS schema");
    const { schema = "public" } = rows[0] ?? {};
    return schema === null || schema === "public" ? "liveplane_jobs" : `${schema}_jobs`;
  } catch (cause) {
    throw failed(cause);
  } finally {
    await client.end().catch(() => {});
  }
}

async function openBoss(
  options: PgBossSchedulerOptions & { readonly schema: string },
  { PgBoss }: Driver,
): Promise<PgBoss> {
  const { connectionString, schema, connections = 6, jobClock } = options;
  const boss = new PgBoss({
    ...timeouts,
    connectionString,
    schema,
    max: connections,
    application_name: "liveplane-jobs",
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    maintenanceIntervalSeconds: 60,
    // There are no jobs that wait for other jobs.
    flowIntervalSeconds: 3_600,
    ...(jobClock && { clock: jobClock }),
  });
  try {
    return await boss.start();
  } catch (cause) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw failed(cause);
  }
}

interface Driver {
  readonly PgBoss: typeof PgBoss;
  readonly getConstructionPlans: typeof getConstructionPlans;
  readonly Client: typeof Client;
}

async function loadDriver(): Promise<Driver> {
  try {
    const [{ PgBoss, getConstructionPlans }, { default: pg }] = await Promise.all([import("pg-boss"), import("pg")]);
    return { PgBoss, getConstructionPlans, Client: pg.Client };
  } catch (cause) {
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "The scheduler on pg-boss needs the packages pg-boss and pg: npm install pg-boss@12.35.0 pg@8",
      { cause },
    );
  }
}

/** Its errors may quote values, so only the code is passed on. */
function failed(cause: unknown): LiveplaneError {
  const code = codeOf(cause);
  const reason = gone.has(code) ? ": its tables are gone" : "";
  return new LiveplaneError("StoreFailed", `pg-boss failed (${code}${reason}).`, { retryable: true });
}

function codeOf(cause: unknown): string {
  return String(Reflect.get(Object(cause), "code") ?? "unknown");
}
