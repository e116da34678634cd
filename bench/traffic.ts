import { startPostgres } from "../packages/adapters/test/postgres.ts";
import { type Child, startChild } from "./child.ts";
import { type Bench, median, type Ratio } from "./harness.ts";
import type { TrafficCaller, TrafficWorld } from "./peers/traffic.ts";
import type { Traffic, TrafficResult } from "./peers/traffic-load.ts";
import { paired, type Rates } from "./served-peer.ts";

/** The kinds of requests, in the order in which they are sent. The goals are for SQLite. */
const works = [
  { kind: "read", what: "GET one of 4,000 environments", goal: 0.9 },
  { kind: "list", what: "GET a list of 20", goal: 0.75 },
  { kind: "longList", what: "GET a list of 100", goal: 0.75 },
  { kind: "create", what: "POST that creates", goal: 0.85 },
  { kind: "change", what: "PUT that changes", goal: 0.85 },
  { kind: "delete", what: "DELETE", goal: null },
] as const;

const stores = [
  { store: "SQLite", peer: "Fastify + jose + better-sqlite3" },
  { store: "Postgres", peer: "Fastify + jose + pg" },
] as const;

/** Ours, and the one written by hand. */
export const apps = ["traffic-liveplane-app", "traffic-fastify-app"] as const;

/** Latencies are measured at this rate, which both servers can answer with time to spare. */
const perSecond = 500;

interface Server {
  readonly app: string;
  readonly child: Child;
  readonly url: string;
  readonly callers: readonly TrafficCaller[];
}

/** Two hundred callers with twenty environments each, in random order, against the same service written by hand. */
export const bench: Bench = {
  name: "traffic",
  async run({ quick }) {
    const client = startChild("traffic-load");
    await client.ask();
    const postgres = await startPostgres({ durable: !quick });
    try {
      const lines: Ratio[] = [];
      for (const { store, peer } of stores) {
        const callers = quick ? 20 : 200;
        const world = async () =>
          store === "Postgres" ? { callers, connectionString: await postgres.freshSchema() } : { callers };
        const servers = [];
        for (const app of apps) servers.push(await startServer(app, await world()));
        try {
          for (const work of works) {
            const { what, goal } = work;
            const named = { bench: "traffic", what: `${what}, ${store}`, peer };
            const [ours = [], theirs = []] = await ratesOf(client, servers, work.kind, quick);
            const wanted = store === "SQLite" ? goal : null;
            lines.push(
              { ...named, goal: wanted, ...paired("perSecond", ours, theirs), unit: "requests/s" },
              {
                ...{ ...named, goal: wanted, ...paired("perCpuSecond", ours, theirs) },
                unit: "requests per second of the server's processor time",
              },
            );
            if (work.kind === "read" || work.kind === "list")
              lines.push(...(await latencies(client, servers, work.kind, { quick, named })));
          }
        } finally {
          for (const { child } of servers) child.stop();
        }
      }
      return lines;
    } finally {
      client.stop();
      await postgres.end();
    }
  },
};

/** A server that has filled its store. */
export async function startServer(app: string, world: TrafficWorld): Promise<Server> {
  const child = startChild(app, [JSON.stringify(world)]);
  return { app, child, ...(await child.ask<Pick<Server, "url" | "callers">>()) };
}

/** The rates of the servers, which take turns. */
async function ratesOf(client: Child, servers: readonly Server[], kind: Traffic["kind"], quick: boolean) {
  const [amount, rounds, warmUp] = quick ? [200, 1, 0] : [4000, 7, 5];
  const measured: Rates[][] = servers.map(() => []);
  for (let round = 0; round < rounds + warmUp; round++)
    for (const [at, { app, child, url, callers }] of servers.entries()) {
      const before = await child.ask<NodeJS.CpuUsage>("cpu");
      const { seconds } = await sent(client, app, { url, callers, kind, amount, round });
      const after = await child.ask<NodeJS.CpuUsage>("cpu");
      const cpuSeconds = (after.user + after.system - before.user - before.system) / 1e6;
      if (round >= warmUp) measured[at]?.push({ perSecond: amount / seconds, perCpuSecond: amount / cpuSeconds });
    }
  return measured;
}

/** How long answers take at a fixed rate. */
async function latencies(
  client: Child,
  servers: readonly Server[],
  kind: Traffic["kind"],
  { quick, named }: { readonly quick: boolean; readonly named: Pick<Ratio, "bench" | "what" | "peer"> },
): Promise<Ratio[]> {
  const measured: TrafficResult[][] = servers.map(() => []);
  for (let round = 0; round < (quick ? 1 : 5); round++)
    for (const [at, { app, url, callers }] of servers.entries())
      measured[at]?.push(await sent(client, app, { url, callers, kind, amount: quick ? 200 : 2500, round, perSecond }));
  return (["p50", "p99"] as const).map((part) => {
    const [ours = Number.NaN, theirs = Number.NaN] = measured.map((rounds) => median(rounds.map((one) => one[part])));
    const what = `${part} at ${perSecond} a second: ${named.what}`;
    return { ...named, what, ratio: theirs / ours, goal: null, unit: "ms", ours, theirs };
  });
}

/** Sends requests. Fails on any unsuccessful answer. */
export async function sent(client: Child, app: string, traffic: Traffic): Promise<TrafficResult> {
  const result = await client.ask<TrafficResult>(traffic);
  if (result.failures > 0)
    throw new RangeError(`${app}: ${result.failures} of ${traffic.amount} requests (${traffic.kind}) failed.`);
  return result;
}
