import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "./child.ts";
import { type Bench, median, type Ratio } from "./harness.ts";
import type { TrafficCaller } from "./peers/traffic.ts";
import { apps, sent, startServer } from "./traffic.ts";

const peer = "Fastify + jose + better-sqlite3";

/** A server after its start over a full store. */
interface Round {
  readonly startMs: number;
  readonly read: Requests;
  readonly list: Requests;
  readonly random: Requests;
  /** What it has kept of each caller after these requests. */
  readonly bytesPerCaller: number;
}

interface Requests {
  readonly perSecond: number;
  readonly p99: number;
}

/** A large store after a restart, when nothing is remembered. LIVEPLANE_COLD=5000 sets the callers, with twenty environments each. */
export const bench: Bench = {
  name: "cold",
  async run({ quick }) {
    const callers = quick ? 10 : Number(process.env.LIVEPLANE_COLD ?? 500);
    const world = { callers, organizations: callers * 2, changes: quick ? 0 : 7 };
    const client = startChild("traffic-load");
    await client.ask();
    const root = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
    try {
      const full: { readonly folder: string; readonly callers: readonly TrafficCaller[] }[] = [];
      for (const app of apps) {
        const folder = mkdtempSync(join(root, `${app}-`));
        const { child, callers: people } = await startServer(app, { ...world, folder });
        await child.stopped();
        full.push({ folder, callers: people });
      }
      const rounds: Round[][] = apps.map(() => []);
      for (let round = 0; round < (quick ? 1 : 5); round++)
        for (const [at, { folder, callers: people }] of full.entries())
          rounds[at]?.push(await measured(apps[at] ?? "", { folder, people, round }));
      return told(rounds, callers);
    } finally {
      client.stop();
      rmSync(root, { recursive: true, force: true });
    }

    async function measured(
      app: string,
      { folder, people, round }: { folder: string; people: readonly TrafficCaller[]; round: number },
    ): Promise<Round> {
      const begun = performance.now();
      const { child, url } = await startServer(app, { callers: 0, folder });
      const startMs = performance.now() - begun;
      const before = await child.ask<{ rss: number }>("memory");
      const requests = async (kind: "read" | "list", inTurn: boolean): Promise<Requests> => {
        const amount = Math.max(50, people.length);
        const { seconds, p99 } = await sent(client, app, { url, callers: people, kind, amount, round, inTurn });
        return { perSecond: amount / seconds, p99 };
      };
      const read = await requests("read", true);
      const list = await requests("list", true);
      const after = await child.ask<{ rss: number }>("memory");
      const random = await requests("read", false);
      await child.stopped();
      return { startMs, read, list, random, bytesPerCaller: (after.rss - before.rss) / people.length };
    }
  },
};

function told([ours = [], theirs = []]: readonly Round[][], callers: number): Ratio[] {
  const of = `${(callers * 20).toLocaleString("en")} environments`;
  const line = (what: string, unit: string, value: (round: Round) => number, isRate: boolean): Ratio => {
    const [own, other] = [median(ours.map(value)), median(theirs.map(value))];
    const ratio = isRate ? own / other : other / own;
    return { bench: "cold", what: `${what}, ${of}`, peer, ratio, goal: null, unit, ours: own, theirs: other };
  };
  return [
    line("start", "ms", ({ startMs }) => startMs, false),
    line("first GET of each caller", "requests/s", ({ read }) => read.perSecond, true),
    line("p99 of it", "ms", ({ read }) => read.p99, false),
    line("first list of each caller", "requests/s", ({ list }) => list.perSecond, true),
    line("p99 of it", "ms", ({ list }) => list.p99, false),
    line("GET of a random one afterwards", "requests/s", ({ random }) => random.perSecond, true),
    line("memory kept for each caller", "bytes", ({ bytesPerCaller }) => bytesPerCaller, false),
  ];
}
