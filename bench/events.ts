import { get } from "node:http";
import { setTimeout as pass } from "node:timers/promises";
import { startChild } from "./child.ts";
import { type Bench, median, type Ratio } from "./harness.ts";
import { p99 } from "./latency.ts";

/** A server in its own process, over a long log. */
interface LongLog {
  readonly url: string;
  /** A caller who may see everything, and one who may see one event in a hundred. */
  readonly owner: string;
  readonly guest: string;
  readonly strangers: readonly string[];
  /** How long reading this much of the log alone takes. */
  read(count: number): Promise<number>;
  stop(): void;
}

/** Streams over a long log: how much of the server they leave to others, and the cost of an event that is sent, or isn't. */
export const bench: Bench = {
  name: "events",
  async run({ quick }) {
    const size = quick ? 4_000 : 1_000_000;
    const lines: Ratio[] = [];
    for (const kind of ["memory", "sqlite"] as const) {
      const log = await start(kind, size, quick ? 5 : 100);
      try {
        lines.push(await healthz(log, `${size.toLocaleString("en")} events, ${kind}`, quick));
        lines.push(...(await costs(log, kind, quick ? 2_000 : 50_000)));
      } finally {
        log.stop();
      }
    }
    return lines;
  },
};

async function start(kind: string, size: number, strangers: number): Promise<LongLog> {
  const child = startChild("events-app", [kind, `${size}`, `${strangers}`], ["--max-old-space-size=8192"]);
  const started = await child.ask<Omit<LongLog, "read" | "stop">>();
  return { ...started, read: (count) => child.ask(count), stop: () => child.stop() };
}

/** With many readers who follow from the beginning, and without, in turn. */
async function healthz(log: LongLog, what: string, quick: boolean): Promise<Ratio> {
  const [windowMs, rounds] = quick ? [300, 1] : [5_000, 5];
  const [idle, busy]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    idle.push(await p99({ url: `${log.url}/healthz` }, pass(windowMs)));
    const streams = [log.guest, ...log.strangers].map((token) => follow(log.url, token));
    busy.push(await p99({ url: `${log.url}/healthz` }, pass(windowMs)));
    for (const { leave } of streams) leave();
    await pass(windowMs / 10);
  }
  const names = {
    bench: "events",
    what: `p99 of /healthz beside ${log.strangers.length} strangers and a guest: ${what}`,
  };
  const [ours, theirs] = [median(busy), median(idle)];
  return { ...names, peer: "an idle server", ratio: theirs / ours, goal: null, unit: "ms", ours, theirs };
}

/** Follows from the beginning; resolves after this many events. */
function follow(url: string, token: string, until = Number.POSITIVE_INFINITY) {
  const leave = new AbortController();
  const done = new Promise<void>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    const type = "environment.updated";
    get(`${url}/events?after=0&type=${type}`, { headers, agent: false, signal: leave.signal }, (response) => {
      let told = 0;
      response.setEncoding("utf8").on("data", (text: string) => {
        told += text.split("\nevent: ").length - 1;
        if (told >= until) resolve();
      });
      response.once("error", () => resolve());
    }).once("error", (error) => (leave.signal.aborted ? resolve() : reject(error)));
  });
  return { done, leave: () => leave.abort() };
}

/** The cost of an event in a stream, compared with reading it from the log. */
async function costs(log: LongLog, kind: string, count: number): Promise<Ratio[]> {
  const alone = (count * 1000) / (await log.read(count));
  const rate = async (token: string, told: number) => {
    const startedAt = performance.now();
    const { done, leave } = follow(log.url, token, told);
    await done;
    leave();
    return (count * 1000) / (performance.now() - startedAt);
  };
  const line = (what: string, ours: number): Ratio => ({
    ...{ bench: "events", what: `${what}, ${kind}`, peer: "reading the log alone", ratio: ours / alone },
    ...{ goal: null, unit: "events/s", ours, theirs: alone },
  });
  return [
    line("events told to who may see all", await rate(log.owner, count)),
    line("events, of which one in a hundred is told", await rate(log.guest, count / 100)),
  ];
}
