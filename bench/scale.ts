import { pgBossScheduler } from "@liveplane/adapters/pg-boss-scheduler";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { webRuntime } from "@liveplane/core";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { startPostgres } from "../packages/adapters/test/postgres.ts";
import { divisionOf, shardNames } from "../packages/core/src/override/agent/shards.ts";
import { createRecords } from "../packages/core/src/records/create-records.ts";
import { inParallel } from "../packages/core/src/records/in-parallel.ts";
import { fillFleet } from "../packages/core/test/builders/fleet.ts";
import { type Child, startChild } from "./child.ts";
import type { Bench, Ratio } from "./harness.ts";
import { familyMs, parentOf } from "./process-times.ts";

/** One component in this many was changed by hand since its last check. */
const changedOne = 1_000;
/** Every component is checked within this time. */
const intervalSeconds = 180;
const needPerSecond = (size: number) => size / intervalSeconds;
/** The most components for the naive way, which would take hours with more. */
const mostNaive = 20_000;

/** A process's report of its work. */
interface Told {
  readonly calls: number;
  readonly looks: number;
  readonly writes: number;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly bytes: number;
  readonly memory: number;
  readonly cpuMs: number;
  /** How long it was ready to work without getting a processor; `null`: the system doesn't tell. */
  readonly starvedMs: number | null;
}

/** One sweep of a whole fleet. */
interface Sweep extends Omit<Told, "beganAt" | "endedAt"> {
  readonly processes: number;
  readonly seconds: number;
  readonly rows: number;
  /** Of all Postgres processes together; `null`: the system doesn't tell. */
  readonly postgresMs: number | null;
}

/** Sweeps of fleets over Postgres, in one process and in two: LIVEPLANE_SCALE=10000,100000,1000000 sets the sizes. */
export const bench: Bench = {
  name: "scale",
  async run({ quick }) {
    const said = (process.env.LIVEPLANE_SCALE ?? "")
      .split(",")
      .map(Number)
      .filter((size) => size > 0);
    const usual = quick ? [1_000] : [1_000, 10_000];
    const sizes = said.length > 0 ? said : usual;
    const ratios: Ratio[] = [];
    let smallest: Sweep | null = null;
    for (const size of sizes) {
      const world = await filled(size);
      try {
        const [one, two] = [await world.sweep(1), await world.sweep(2)];
        smallest ??= one;
        ratios.push(
          ...told(size, 1, one),
          ...told(size, 2, two),
          growth(size, one, { of: sizes[0] ?? size, smallest }),
        );
        if (size === sizes.at(-1)) ratios.push(await world.naive(one));
      } finally {
        await world.end();
      }
    }
    return ratios;
  },
};

async function filled(size: number) {
  const server = await startPostgres();
  const connectionString = await server.freshSchema();
  const store = await postgresStore({ connectionString });
  const runtime = webRuntime();
  const ids = await fillFleet(createRecords({ store, runtime }), size, runtime.newId);
  // What a connection has written is counted once it has ended.
  await store.close();
  const client = new pg.Client(connectionString);
  await client.connect();
  await client.query("ANALYZE");

  async function rowsWritten(): Promise<number> {
    await client.query("SELECT pg_stat_force_next_flush()");
    const text =
      "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::int AS rows FROM pg_stat_user_tables WHERE relname = 'liveplane_entry'";
    const { rows } = await client.query<{ rows: number }>(text);
    return rows[0]?.rows ?? 0;
  }

  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const postgres = parentOf(rows[0]?.pid ?? 0);

  /** Lets processes work until everything is done, and reports the total cost. */
  async function worked(way: "shards" | "components", processes: number, expected: number): Promise<Sweep> {
    const [before, postgresBefore] = [await rowsWritten(), familyMs(postgres)];
    const share = String(way === "shards" ? changedOne : 0);
    const children = await Promise.all(Array.from({ length: processes }, () => started(connectionString, way, share)));
    for (let looks = 0; looks < expected; ) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const now = await Promise.all(children.map((child) => child.ask<Told>("so far")));
      looks = now.reduce((sum, one) => sum + one.looks, 0);
    }
    const all = await Promise.all(children.map((child) => child.ask<Told>("stop")));
    for (const child of children) child.stop();
    const postgresAfter = familyMs(postgres);
    const starved = all.map(({ starvedMs }) => starvedMs).filter((ms) => ms !== null);
    const sum = (of: (one: Told) => number) => all.reduce((total, one) => total + of(one), 0);
    const began = Math.min(...all.flatMap(({ beganAt }) => (beganAt > 0 ? [beganAt] : [])));
    return {
      processes,
      postgresMs: postgresBefore === null || postgresAfter === null ? null : postgresAfter - postgresBefore,
      starvedMs: starved.length < all.length ? null : starved.reduce((total, ms) => total + ms, 0),
      seconds: (Math.max(...all.map(({ endedAt }) => endedAt)) - began) / 1000,
      calls: sum(({ calls }) => calls),
      looks: sum(({ looks }) => looks),
      writes: sum(({ writes }) => writes),
      bytes: sum(({ bytes }) => bytes),
      cpuMs: sum(({ cpuMs }) => cpuMs),
      memory: Math.max(...all.map(({ memory }) => memory)),
      rows: (await rowsWritten()) - before,
    };
  }

  return {
    async sweep(processes: number): Promise<Sweep> {
      const scheduler = await pgBossScheduler({ connectionString, runtime });
      await inParallel(shardNames(divisionOf(size, 0)), 4, (shard) => scheduler.enqueue({ task: "sweep", shard }));
      await scheduler.close?.();
      return worked("shards", processes, size);
    },
    /** One job per component, at a size that finishes in time; the cost for the fleet is extrapolated. */
    async naive(ours: Sweep): Promise<Ratio> {
      const some = ids.slice(0, mostNaive);
      const boss = new PgBoss({ connectionString, schema: "naive", schedule: false });
      boss.on("error", () => {});
      await boss.start();
      await boss.createQueue("look", { retryLimit: 2 });
      for (let from = 0; from < some.length; from += 1_000)
        await boss.insert(
          "look",
          some.slice(from, from + 1_000).map((id) => ({ data: { id } })),
        );
      await boss.stop({ graceful: false });
      const theirs = await worked("components", 1, some.length);
      const [rate, naive] = [ours.looks / ours.seconds, theirs.looks / theirs.seconds];
      const what = `sweep of ${size.toLocaleString("en")} components, 1 process`;
      const peer = `a job for each component on pg-boss (${some.length.toLocaleString("en")} of them, extrapolated)`;
      return {
        bench: "scale",
        what,
        peer,
        ratio: rate / naive,
        goal: null,
        unit: "looks/s",
        ours: rate,
        theirs: naive,
      };
    },
    async end(): Promise<void> {
      await client.end();
      await server.end();
    },
  };
}

async function started(connectionString: string, way: string, share: string): Promise<Child> {
  const child = startChild("scale-app", [connectionString, way, share]);
  await child.ask();
  return child;
}

/** A sweep compared with its allowed cost. */
function told(size: number, processes: number, sweep: Sweep): Ratio[] {
  const of = `${size.toLocaleString("en")} components, ${processes === 1 ? "1 process" : `${processes} processes`}`;
  const line = (
    what: string,
    ours: number,
    theirs: number,
    rest: Pick<Ratio, "peer" | "unit" | "ratio"> & { goal?: number },
  ) => ({
    bench: "scale",
    what: `${what}, ${of}`,
    ours,
    theirs,
    goal: null,
    ...rest,
  });
  const perLook = (amount: number) => amount / sweep.looks;
  const rate = sweep.looks / sweep.seconds;
  const calls = perLook(sweep.calls);
  const changed = size / changedOne;
  const kept = (what: string, amount: number, unit: string) =>
    line(what, amount, amount, { peer: "for information", unit, ratio: 1 });
  return [
    line("sweep", rate, needPerSecond(size), {
      peer: "all of them within 180 s",
      unit: "looks/s",
      ratio: rate / needPerSecond(size),
      goal: 1,
    }),
    line("cloud reads", calls, 0.02, { peer: "one for fifty looks", unit: "reads/look", ratio: 0.02 / calls, goal: 1 }),
    line("rows written", sweep.rows, changed, {
      peer: "components that had changed",
      unit: "rows",
      ratio: changed / sweep.rows,
    }),
    kept("bytes from Postgres", perLook(sweep.bytes), "bytes/look"),
    kept("processor", perLook(sweep.cpuMs) * 1000, "µs/look"),
    ...(sweep.postgresMs === null ? [] : [kept("processor of Postgres", perLook(sweep.postgresMs) * 1000, "µs/look")]),
    ...(sweep.starvedMs === null
      ? []
      : [kept("of its time without a processor that it could have used", starvedShare(sweep), "%")]),
    kept("memory of the largest process", sweep.memory / 2 ** 20, "MiB"),
  ];
}

/** The share of time that other programs took: if it is large, the rate says little, but the processor time is still valid. */
function starvedShare({ starvedMs, seconds, processes }: Sweep): number {
  return Math.min(100, ((starvedMs ?? 0) / (seconds * 1000 * processes)) * 100);
}

/** The cost of a component in a large fleet, compared with the smallest one. */
function growth(
  size: number,
  sweep: Sweep,
  { of, smallest }: { readonly of: number; readonly smallest: Sweep },
): Ratio {
  const cost = (one: Sweep) => (one.cpuMs * 1000) / one.looks;
  return {
    bench: "scale",
    what: `processor for each of ${size.toLocaleString("en")} components`,
    peer: `of ${of.toLocaleString("en")} components`,
    ratio: cost(smallest) / cost(sweep),
    goal: size === of ? null : 1 / 1.2,
    unit: "µs",
    ours: cost(sweep),
    theirs: cost(smallest),
  };
}
