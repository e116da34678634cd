import { startChild } from "./child.ts";
import type { Bench, Ratio } from "./harness.ts";
import type { Loaded } from "./peers/load.ts";
import type { TrafficCaller } from "./peers/traffic.ts";
import type { Traffic } from "./peers/traffic-load.ts";
import { paired, type Rates } from "./served-peer.ts";

const works = [
  { kind: "read", what: "GET one of 4,000 environments", goal: 0.9 },
  { kind: "list", what: "GET a list of 20", goal: 0.75 },
  { kind: "create", what: "POST that creates", goal: 0.85 },
  { kind: "change", what: "PUT that changes", goal: 0.85 },
] as const;

const apps = ["traffic-liveplane-app", "traffic-fastify-app"] as const;

/** Two hundred callers with twenty environments each, in random order, against the same service written by hand. */
export const bench: Bench = {
  name: "traffic",
  async run({ quick }) {
    const [amount, rounds, warmUp] = quick ? [500, 2, 0] : [4000, 7, 5];
    const client = startChild("traffic-load");
    await client.ask();
    const servers = await Promise.all(
      apps.map(async (app) => {
        const child = startChild(app);
        const { url, callers } = await child.ask<{ readonly url: string; readonly callers: TrafficCaller[] }>();
        return { app, child, url, callers };
      }),
    );
    const load = async (
      { app, child, url, callers }: (typeof servers)[number],
      kind: Traffic["kind"],
      round: number,
    ) => {
      const before = await child.ask<NodeJS.CpuUsage>("cpu");
      const traffic: Traffic = { url, callers, kind, amount, round };
      const { seconds, failures } = await client.ask<Loaded>(traffic);
      const after = await child.ask<NodeJS.CpuUsage>("cpu");
      if (failures > 0) throw new RangeError(`${app}: ${failures} of ${amount} requests (${kind}) failed.`);
      const cpuSeconds = (after.user + after.system - before.user - before.system) / 1e6;
      return { perSecond: amount / seconds, perCpuSecond: amount / cpuSeconds };
    };
    try {
      const lines: Ratio[] = [];
      for (const { kind, what, goal } of works) {
        const measured: Rates[][] = servers.map(() => []);
        for (let round = 0; round < rounds + warmUp; round++)
          for (const [at, server] of servers.entries()) {
            const rates = await load(server, kind, round);
            if (round >= warmUp) measured[at]?.push(rates);
          }
        const [ours = [], theirs = []] = measured;
        const named = { bench: "traffic", what, peer: "Fastify + jose + better-sqlite3", goal };
        lines.push(
          { ...named, ...paired("perSecond", ours, theirs), unit: "requests/s" },
          { ...named, ...paired("perCpuSecond", ours, theirs), unit: "requests per second of processor time" },
        );
      }
      return lines;
    } finally {
      for (const { child } of servers) child.stop();
      client.stop();
    }
  },
};
