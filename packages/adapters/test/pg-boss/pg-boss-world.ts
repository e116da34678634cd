import { type PgBossSchedulerOptions, pgBossScheduler } from "@liveplane/adapters/pg-boss-scheduler";
import { type Clock, type Scheduler, webRuntime } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import type { SchedulerUnderTest } from "@liveplane/core/testing";
import { type AttachableClock, TestClock } from "pg-boss";
import { cuttingProxy } from "../cutting-proxy.ts";
import type { SharedPostgres } from "../postgres.ts";

let worlds = 0;

/** Schedulers over a real Postgres, whose time moves when it is told to: in these processes, and in the database. */
export async function pgBossWorld(
  postgres: SharedPostgres,
  options: Pick<PgBossSchedulerOptions, "peopleAtOnce"> = {},
): Promise<SchedulerUnderTest & { readonly clock: Clock; readonly schema: string }> {
  const connectionString = await postgres.freshSchema();
  const proxy = await cuttingProxy(connectionString);
  const time = new TestClock(Date.UTC(2026, 0, 1));
  const clock = clockOn(time);
  const schema = `jobs_${++worlds}`;
  const made: Scheduler[] = [];
  let isCut = false;

  /** What is cut off, or dropped, can't be told the time any more. */
  const ofTheFirst: AttachableClock = {
    now: () => time.now(),
    setTimeout: (fn, ms) => time.setTimeout(fn, ms),
    clearTimeout: (timer) => time.clearTimeout(timer as never),
    setInterval: (fn, ms) => time.setInterval(fn, ms),
    clearInterval: (timer) => time.clearInterval(timer as never),
    attach: (target) =>
      time.attach({
        ...target,
        db: { executeSql: async (...sql) => (isCut ? { rows: [] } : target.db.executeSql(...sql).catch(unlessGone)) },
      }),
  };
  const open = async (through: string, jobClock: AttachableClock) => {
    const runtime = webRuntime({ clock });
    const scheduler = await pgBossScheduler({ ...options, connectionString: through, runtime, schema, jobClock });
    made.push(scheduler);
    return scheduler;
  };
  return {
    scheduler: await open(proxy.connectionString, ofTheFirst),
    clock,
    schema,
    advance: (ms) => time.tick(ms),
    another: () => open(connectionString, time),
    async cut() {
      isCut = true;
      await proxy.end();
    },
    async end() {
      await Promise.all(made.map((scheduler) => scheduler.close?.()));
      if (!isCut) await proxy.end();
    },
  };
}

function unlessGone(error: { readonly code?: string }): { rows: [] } {
  if (error.code === "42P01" || error.code === "3F000") return { rows: [] };
  throw error;
}

function clockOn(time: TestClock): Clock {
  const startedAt = time.now();
  return {
    now: () => time.now(),
    monotonic: () => time.now() - startedAt,
    sleep: (ms, { signal } = {}) =>
      new Promise((resolve, reject) => {
        const aborted = () => {
          time.clearTimeout(timer as never);
          reject(new LiveplaneError("Aborted", undefined, { cause: signal?.reason }));
        };
        const timer = time.setTimeout(() => {
          signal?.removeEventListener("abort", aborted);
          resolve();
        }, ms);
        if (signal?.aborted) return aborted();
        signal?.addEventListener("abort", aborted, { once: true });
      }),
  };
}
