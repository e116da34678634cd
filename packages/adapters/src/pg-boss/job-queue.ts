import { LiveplaneError } from "@liveplane/core/errors";
import type { Db, JobWithMetadata, PgBoss } from "pg-boss";

/** A job that this process holds, as long as it renews it. */
export interface HeldJob {
  readonly id: string;
  /** Together with the ID, it identifies this run of the job. */
  readonly retryCount: number;
  readonly shard: string;
  /** Somebody requested it: it runs even if it isn't among the shards. */
  readonly isAsked: boolean;
  /** How late it was taken, by the database's clock. */
  readonly lateMs: number;
}

/** The job after this one. */
export interface NextJob {
  readonly afterMs: number;
  readonly isAsked: boolean;
}

/** The jobs of one task in the database. For each shard, at most one is running and at most one waits. */
export interface JobQueue {
  /** Takes due jobs, requested ones first. */
  take(most: number): Promise<HeldJob[]>;
  /** Renews jobs. Returns the IDs of those that this process still holds. */
  renew(jobs: readonly HeldJob[]): Promise<ReadonlySet<string>>;
  /** Ends a job and, in the same transaction, sends the next one of its shard if none waits. `null`: none is sent. */
  end(job: HeldJob, next: NextJob | null): Promise<void>;
  /** Requests a job. A waiting one serves the request, and comes no later than this. */
  ask(shard: string, afterMs: number): Promise<void>;
  /** Sends a job for every shard without one, spread over an interval. Returns how many. */
  fill(shards: readonly string[], everyMs: number): Promise<number>;
}

export interface JobQueueDeps {
  readonly boss: PgBoss;
  readonly schema: string;
  readonly leaseMs: number;
}

interface JobData {
  readonly asked: boolean;
}

const sentAtOnce = 500;
/** A job is retried after every crash, and never given up. */
const mostTakings = 2_000_000_000;
/** A longer run is taken away from its process. */
const longestRunSeconds = 86_000;
const keptWhenDoneSeconds = 30;

/** Opens the queue of a task, and creates it if necessary. */
export async function openJobQueue(task: string, { boss, schema, leaseMs }: JobQueueDeps): Promise<JobQueue> {
  const name = `liveplane.${task}`;
  const db = boss.getDb();
  await boss.createQueue(name, {
    // Strictly one of a key at a time; a waiting one doesn't block other keys.
    policy: "key_strict_fifo",
    heartbeatSeconds: leaseMs / 1000,
    expireInSeconds: longestRunSeconds,
    retryLimit: mostTakings,
    deleteAfterSeconds: keptWhenDoneSeconds,
  });

  /** Sends for a shard while nobody else does. Filling continues while nobody sends at all. */
  async function whileAlone<T>(shard: string | null, work: (tx: Db) => Promise<T>): Promise<T> {
    if (db.beginTransaction === undefined)
      throw new LiveplaneError("CapabilityMissing", "The database of pg-boss has no transactions.");
    const transaction = await db.beginTransaction();
    try {
      const mode = shard === null ? "" : "_shared";
      await transaction.db.executeSql(`SELECT pg_advisory_xact_lock${mode}(hashtextextended($1, 0))`, [name]);
      if (shard !== null)
        await transaction.db.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [`${name} ${shard}`]);
      const done = await work(transaction.db);
      await transaction.commit();
      return done;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  /** The waiting job of a shard, and whether it comes within this time. */
  async function waiting(shard: string, afterMs: number, tx: Db): Promise<{ id: string; soon: boolean } | null> {
    const text = `SELECT id, start_after <= ${schema}.job_now() + $3 * interval '1 millisecond' AS soon FROM ${schema}.job
      WHERE name = $1 AND singleton_key = $2 AND state < 'active' LIMIT 1`;
    const { rows } = await tx.executeSql(text, [name, shard, afterMs]);
    return rows[0] ?? null;
  }

  async function withJobs(tx: Db): Promise<Set<string>> {
    const text = `SELECT singleton_key AS shard FROM ${schema}.job WHERE name = $1 AND state < 'completed'`;
    const { rows } = await tx.executeSql(text, [name]);
    return new Set(rows.map((row: { shard: string }) => row.shard));
  }

  return {
    async take(most) {
      const jobs = await boss.fetch<JobData>(name, { batchSize: most, includeMetadata: true });
      return jobs.map(toHeld);
    },
    async renew(jobs) {
      return settledBy(await boss.touch(name, [...jobs]));
    },
    async end(job, next) {
      await whileAlone(job.shard, async (tx) => {
        const settled = settledBy(await boss.complete(name, { ...job }, null, { db: tx }));
        if (settled.size === 0 || next === null || (await waiting(job.shard, 0, tx)) !== null) return;
        await boss.send(name, dataOf(next.isAsked), { ...sending(job.shard, next.afterMs), ...rankOf(next), db: tx });
      });
    },
    async ask(shard, afterMs) {
      await whileAlone(shard, async (tx) => {
        const known = await waiting(shard, afterMs, tx);
        const asked = { ...rankOf({ isAsked: true }), db: tx };
        const data = dataOf(true);
        if (known !== null) {
          const sooner = known.soon ? {} : { startAfter: afterMs / 1000 };
          const { updated } = await boss.update(name, data, { id: known.id, ...asked, ...sooner });
          if (updated > 0) return;
        }
        // None waits, or it was taken just now: a request during a run causes another run.
        await boss.send(name, data, { ...sending(shard, afterMs), ...asked });
      });
    },
    async fill(shards, everyMs) {
      const known = await withJobs(db);
      if (shards.every((shard) => known.has(shard))) return 0;
      return whileAlone(null, async (tx) => {
        const there = await withJobs(tx);
        const missing = shards.filter((shard) => !there.has(shard));
        const spacingMs = everyMs / shards.length;
        const data = dataOf(false);
        const jobs = missing.map((shard, at) => ({ data, ...sending(shard, at * spacingMs) }));
        for (let from = 0; from < jobs.length; from += sentAtOnce)
          await boss.insert(name, jobs.slice(from, from + sentAtOnce), { db: tx });
        return missing.length;
      });
    },
  };
}

function dataOf(asked: boolean): JobData {
  return { asked };
}

/** Requested jobs go first. */
function rankOf({ isAsked }: Pick<NextJob, "isAsked">) {
  return { priority: isAsked ? 1 : 0 };
}

/** The IDs of the affected jobs. pg-boss returns them but has no type for that. */
function settledBy(response: object): ReadonlySet<string> {
  const ids: unknown = Reflect.get(response, "settled");
  if (!Array.isArray(ids)) return new Set();
  return new Set(ids.map(String));
}

function sending(shard: string, afterMs: number) {
  return { singletonKey: shard, ...(afterMs > 0 && { startAfter: afterMs / 1000 }) };
}

function toHeld({ id, retryCount, singletonKey, data, startAfter, startedOn }: JobWithMetadata<JobData>): HeldJob {
  const lateMs = Math.max(0, startedOn.getTime() - startAfter.getTime());
  return { id, retryCount, shard: singletonKey ?? "", isAsked: data.asked, lateMs };
}
