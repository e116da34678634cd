import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { type Child, startChild } from "./child.ts";
import { type Bench, median, type Ratio } from "./harness.ts";
import { p99 } from "./latency.ts";

/** How long memory is watched, in minutes; half an hour tells a leak from a warm-up. @default 1, or a moment in quick mode */
const minutes = process.env.LIVEPLANE_BENCH_MINUTES;
const people = 32;

interface Place {
  readonly url: string;
  readonly token: string;
  readonly ownerId: string;
}

/** What a server over SQLite leaves to a reader while it does other work, how its memory develops, and how it starts. */
export const bench: Bench = {
  name: "under-load",
  async run({ quick }) {
    const size = quick ? 2_000 : 100_000;
    const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
    const app = startChild("under-load-app", [dataDir, `${size}`, `${people}`], ["--expose-gc"]);
    try {
      const place = await app.ask<Place>();
      const lines = await beside(app, place, { size, quick });
      lines.push(
        ...(await memory(app, place, minutes === undefined && quick ? 4_000 : Number(minutes ?? "1") * 60_000)),
      );
      await app.ask("close");
      lines.push(...(await starts(dataDir, size)));
      return lines;
    } finally {
      app.stop();
    }
  },
};

async function beside(app: Child, place: Place, { size, quick }: { size: number; quick: boolean }): Promise<Ratio[]> {
  const asked = { url: `${place.url}/environments/Personal/${place.ownerId}/bench`, token: place.token };
  const windowMs = quick ? 300 : 5_000;
  const fleet = `${size.toLocaleString("en")} components`;
  const works: readonly (readonly [string, () => Promise<unknown>])[] = [
    [`${people} people who sign in at once`, () => signIns(place, windowMs)],
    [`a sweep of ${fleet}`, () => app.ask("sweep")],
    [`an export of ${fleet}`, () => app.ask("export")],
  ];
  await p99(asked, pass(windowMs));
  const idle: number[] = [];
  const busy = new Map<string, number[]>();
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    idle.push(await p99(asked, pass(windowMs)));
    for (const [what, work] of works) busy.set(what, [...(busy.get(what) ?? []), await p99(asked, work())]);
  }
  const theirs = median(idle);
  return [...busy].map(([what, times]) => {
    const ours = median(times);
    const names = { bench: "under-load", what: `p99 of a read beside ${what}`, peer: "an idle server" };
    return { ...names, ratio: theirs / ours, goal: null, unit: "ms", ours, theirs };
  });
}

async function signIns({ url }: Place, windowMs: number): Promise<void> {
  const endsAt = performance.now() + windowMs;
  const person = async (at: number) => {
    const body = JSON.stringify({ username: `p${at}`, password: "correct horse battery" });
    const headers = { "content-type": "application/json" };
    while (performance.now() < endsAt) {
      const { status } = await fetch(`${url}/auth/sessions`, { method: "POST", headers, body });
      // Requests without room in the queue are told to come again.
      if (status !== 201 && status !== 503) throw new RangeError(`A sign-in was answered ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: people }, (_, at) => person(at)));
}

/** The number of memory measurements after the first. */
const looks = 8;

/** Reads, writes and sign-ins all the time; measures the heap after garbage collection, repeatedly. */
async function memory(app: Child, place: Place, forMs: number): Promise<Ratio[]> {
  const levels: NodeJS.MemoryUsage[] = [await app.ask<NodeJS.MemoryUsage>("memory")];
  for (let look = 0; look < looks; look++) {
    await Promise.all([mixed(place, forMs / looks), signIns(place, forMs / looks)]);
    levels.push(await app.ask<NodeJS.MemoryUsage>("memory"));
  }
  const [before, first, last] = [levels[0], levels[looks / 4], levels[looks]];
  const line = (what: string, of: keyof NodeJS.MemoryUsage, since: NodeJS.MemoryUsage | undefined): Ratio => {
    const [ours, theirs] = [(last?.[of] ?? Number.NaN) / 2 ** 20, (since?.[of] ?? Number.NaN) / 2 ** 20];
    const names = { bench: "under-load", what, peer: since === before ? "before it" : "after its first quarter" };
    return { ...names, ratio: theirs / ours, goal: null, unit: "MiB", ours, theirs };
  };
  const grown = slope(levels.slice(looks / 4).map(({ heapUsed }) => heapUsed / 2 ** 20)) / (forMs / looks / 60_000);
  const of = `${(forMs / 60_000).toPrecision(2)} min of mixed load`;
  return [
    line(`heap after ${of}`, "heapUsed", first),
    line(`heap after ${of}`, "heapUsed", before),
    line(`resident memory after ${of}`, "rss", first),
    { ...line(`growth of the heap in ${of}`, "heapUsed", first), unit: "MiB/min", ours: grown, theirs: 0 },
  ];
}

/** The slope of the best-fitting line through the values. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const rise = values.reduce((sum, value, at) => sum + (at - middle) * value, 0);
  return rise / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
}

async function mixed({ url, token, ownerId }: Place, forMs: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const at = (name: string) => `${url}/environments/Personal/${ownerId}/${name}`;
  const endsAt = performance.now() + forMs;
  const lane = async (number: number) => {
    for (let round = 0; performance.now() < endsAt; round++) {
      const body = JSON.stringify({ name: `${number} ${round}` });
      const answers = [
        await fetch(at(`lane${number}`), { method: round === 0 ? "POST" : "PUT", headers, body }),
        await fetch(at("bench"), { headers }),
        await fetch(`${url}/environments?limit=20`, { headers }),
      ];
      for (const answer of answers) await answer.arrayBuffer();
      const refused = answers.find(({ status }) => status >= 500);
      if (refused !== undefined) throw new RangeError(`A request was answered ${refused.status}.`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)));
}

/** From starting the process, out of the sources, to the first answer. */
async function starts(large: string, size: number): Promise<Ratio[]> {
  const times: Record<"empty" | "large", number[]> = { empty: [], large: [] };
  for (let round = 0; round < 3; round++) {
    for (const kind of ["empty", "large"] as const) {
      const dataDir = mkdtempSync(join(tmpdir(), "liveplane-bench-"));
      if (kind === "large") cpSync(large, dataDir, { recursive: true });
      times[kind].push(await firstAnswer(dataDir));
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
  const [ours, theirs] = [median(times.large), median(times.empty)];
  const what = `from start to the first answer, ${size.toLocaleString("en")} components`;
  const names = { bench: "under-load", what, peer: "an empty store" };
  return [{ ...names, ratio: theirs / ours, goal: null, unit: "ms", ours, theirs }];
}

async function firstAnswer(dataDir: string): Promise<number> {
  const startedAt = performance.now();
  const bin = join(import.meta.dirname, "..", "packages", "server-express", "src", "bin.ts");
  const env = { ...process.env, NODE_ENV: "production", LIVEPLANE_DATA: dataDir, PORT: "0" };
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", "--no-warnings", bin], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const { url } = JSON.parse(text) as { url?: string };
      if (url === undefined) continue;
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      return performance.now() - startedAt;
    }
    throw new RangeError("The server of the benchmark ended before it listened.");
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
}
