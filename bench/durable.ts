import pg from "pg";
import { startPostgres } from "../packages/adapters/test/postgres.ts";
import { type Child, startChild } from "./child.ts";
import { type Bench, median, type Ratio } from "./harness.ts";
import type { DurableWork, DurableWorked } from "./peers/durable-app.ts";
import type { EngineOptions } from "./peers/durable-engines.ts";
import { paired, type Rates } from "./served-peer.ts";

/** Ours first. */
const engines = [
  { engine: "liveplane", name: "liveplane" },
  { engine: "dbos", name: "DBOS, one workflow" },
  { engine: "graphile", name: "graphile-worker, a job per step" },
  { engine: "graphileInBatches", name: "graphile-worker, jobs in batches" },
  { engine: "graphileWithClaims", name: "graphile-worker, in batches, with claims and results" },
] as const;

/** Where an engine keeps its steps. */
type Place = Omit<EngineOptions, "cloud" | "resumes">;
type PlaceOf = () => Promise<Place>;

/** The cost of durable steps, and how soon they go on after a crash. */
export const bench: Bench = {
  name: "durable",
  async run({ quick }) {
    const postgres = await startPostgres({ durable: !quick });
    const client = new pg.Client(await postgres.freshSchema());
    await client.connect();
    let databases = 0;
    const placeOf: PlaceOf = async () => {
      const database = `durable_${++databases}`;
      await client.query(`CREATE DATABASE ${database}`);
      return { address: `postgres://postgres:password@${client.host}:${client.port}/${database}` };
    };
    try {
      return [...(await steps(placeOf, quick)), ...(await recoveries(placeOf, quick))];
    } finally {
      await client.end();
      await postgres.end();
    }
  },
};

async function steps(placeOf: PlaceOf, quick: boolean): Promise<Ratio[]> {
  const [count, rounds, warmUp] = quick ? [16, 1, 0] : [200, 7, 2];
  const children: Child[] = [];
  for (const { engine } of engines) children.push(await started(engine, await placeOf()));
  const measured: Rates[][] = engines.map(() => []);
  for (let round = 0; round < rounds + warmUp; round++)
    for (const [at, child] of children.entries()) {
      const work: DurableWork = { name: `round-${round}`, steps: count };
      const { seconds, cpuSeconds } = await child.ask<DurableWorked>(work);
      if (round >= warmUp) measured[at]?.push({ perSecond: count / seconds, perCpuSecond: count / cpuSeconds });
    }
  for (const child of children) child.stop();
  const [ours = [], ...others] = measured;
  return engines.slice(1).flatMap(({ name: peer }, at) => {
    const line = { bench: "durable", what: "steps, eight at once", peer, goal: 1 };
    const theirs = others[at] ?? [];
    return [
      { ...line, ...paired("perSecond", ours, theirs), unit: "steps/s" },
      { ...line, ...paired("perCpuSecond", ours, theirs), unit: "steps per second of the process's processor time" },
    ];
  });
}

/** From the start of a new process until the next step, after a process was killed in the hundredth of two hundred. */
async function recoveries(placeOf: PlaceOf, quick: boolean): Promise<Ratio[]> {
  const measured: number[][] = engines.map(() => []);
  for (let round = 0; round < (quick ? 1 : 5); round++)
    for (const [at, { engine }] of engines.entries()) {
      const place = await placeOf();
      const killed = await started(engine, place);
      const work: DurableWork = { name: "killed", steps: 200, diesAt: 100 };
      await killed.ask(work).catch(() => {});
      const startedAt = performance.now();
      const next = startChild("durable-app", [engine, JSON.stringify({ ...place, resumes: true })]);
      await next.ask();
      measured[at]?.push(performance.now() - startedAt);
      next.stop();
    }
  const [ours = Number.NaN, ...others] = measured.map(median);
  return engines.slice(1).map(({ name: peer }, at) => {
    const theirs = others[at] ?? Number.NaN;
    const what = "from a process's start to the next step, after SIGKILL";
    return { bench: "durable", what, peer, ratio: theirs / ours, goal: 1 / 1.5, unit: "ms", ours, theirs };
  });
}

async function started(engine: string, place: Place): Promise<Child> {
  const child = startChild("durable-app", [engine, JSON.stringify({ ...place, resumes: false })]);
  await child.ask();
  return child;
}
