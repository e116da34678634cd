import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import type { Ratio } from "./harness.ts";

/** The ratios as columns for a terminal. */
export function table(ratios: readonly Ratio[]): string {
  const rows = [["what", "against", "ratio", "goal", "ours", "theirs", "unit"], ...ratios.map(cells)];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** What each benchmark does, and its peers. */
const about: Readonly<Record<string, string>> = {
  accounts: "Permission decisions over 100,000 grants. Ours include an explanation; the peers only answer yes or no.",
  agent:
    "Drift comparison, lifecycle transition, and sweeps of fleets without drift. Sweeps are compared with the rate that a million components need if each is checked every three minutes. Their growth is compared with the smallest fleet.",
  cold: "A server over a large SQLite file after a restart: each caller has twenty environments, each changed seven times, and belongs to forty organizations with twenty members. We measure the start, the first GET and the first list of each caller, and the memory that these leave behind. The peer is the same service written by hand. The operating system may still have the file in memory. LIVEPLANE_COLD=5000 makes 100,000 environments, 10,000 organizations and a million events.",
  durable:
    "Steps of durable work, eight at once, and how soon a new process takes the next one after SIGKILL. In each step a simulated cloud in memory creates a resource. What an engine promises differs. Our step is one component of a mutation. Before the creation it reads the resource and stores a claim. Afterwards it reads again, compares tags and properties, and writes chained events. No process makes the resource twice: one that was being made at the kill waits a minute. DBOS only remembers that a step has ended, and repeats an interrupted one. graphile-worker has no order and no results: an interrupted job waits for four hours. With claims and results, each of its jobs also reads, stores a claim, reads again, and stores the result with an event, written by hand. All use one Postgres with fsync, and ten connections each. The processor time of Postgres isn't counted.",
  events:
    "Event streams over the log of one organization. A hundred callers without access and a guest, who may see one event in a hundred, follow from the beginning. We measure the server's latency for other callers, and the cost of an event in a stream.",
  server:
    "One GET and one grant that one caller repeats, for information; the goals are those of traffic. Complete requests over fifty connections, authenticated and authorized. Ours runs in memory, and over SQLite with metrics and limits. Some peers do the same work: identify the caller, check the session and the permission, read the row, and answer with the same headers. Others only answer. Only the first POST writes the grant; later ones find it. All databases are SQLite with WAL and synchronous FULL. Each server and each client is a separate process. Each server first handles 52,000 requests that don't count (the two slow ones 13,000 and 26,000).",
  scale:
    "One sweep of a whole fleet over Postgres with pg-boss, in one process and in two. One component in a thousand was changed by hand. We measure speed, cloud reads, rows, bytes and memory, and compare with one job per component. LIVEPLANE_SCALE=10000,100000,1000000 sets the sizes.",
  "sign-in": "32 concurrent sign-ins with argon2id that issue signed tokens, compared with 32 hashes alone.",
  tracing:
    "Complete requests over fifty connections, with spans sent by OTLP over HTTP to a receiver in another process. The peer is the same server without tracing. Each request has a span, and so has its commit if there is one.",
  traffic:
    "Two hundred callers with twenty environments each (twenty of them have 120), in random order, over fifty connections, against the same service written by hand: Fastify, jose with remembered tokens, better-sqlite3 or pg. Both look up the session for each request, write an event with each change, and answer with the same headers. Ours also counts rate limits and metrics, numbers its events without gaps and chains them. A deletion of ours also destroys the environment's contents, which the peer doesn't have. SQLite runs with WAL and synchronous FULL, Postgres with fsync; ours commits several requests together. Latencies are measured at a fixed rate, from when a request should have started. Each server first handles 20,000 requests of each kind that don't count.",
  "under-load":
    "A server over SQLite with 100,000 components. We measure read latency while the same process does other work, memory and its growth (for half an hour: LIVEPLANE_BENCH_MINUTES=30), and the time to start from source.",
  stores: "Each store compared with its bare driver, which sends the same statements with the same keys and values.",
};

const peers = [
  "@casl/ability",
  "@dbos-inc/dbos-sdk",
  "autocannon",
  "better-auth",
  "better-sqlite3",
  "express",
  "fast-deep-equal",
  "fastify",
  "graphile-worker",
  "jose",
  "keyv",
  "ky",
  "pg",
] as const;

/** What the page contains besides a benchmark's results: how long it took, and the previous page. */
interface ReportFrom {
  readonly minutes: number;
  readonly before: string;
}

/** The page `docs/benchmarks.md`. Benchmarks that weren't run keep their previous section. */
export function report(ratios: readonly Ratio[], { minutes, before }: ReportFrom): string {
  const sections = new Map(before.split(/^(?=## )/m).map((text) => [/^## (.*)/.exec(text)?.[1] ?? "", text.trimEnd()]));
  for (const name of new Set(ratios.map(({ bench }) => bench)))
    sections.set(name, section(name, ratios, minutes).trimEnd());
  const names = Object.keys(about).filter((name) => sections.has(name));
  return `# Benchmarks

Written by \`pnpm bench --report\`; don't edit by hand.

## How it is measured

- **Ratios.** Every figure is our rate divided by a peer's rate for the same work. Above 1, we are faster.
- **Paired.** Ours and the peers take turns in one run (ours, theirs, ours, theirs …), so changes in the machine's speed affect all of them.
  The ratio is the median over the pairs, after two rounds that don't count. The two rates are separate medians, so their quotient differs.
- **Goals.** The goal is the lowest acceptable ratio on an otherwise idle machine. A line without a goal is for information. **Bold** means
  that this run missed the goal.
- **Rates** show the order of magnitude. They depend on the machine and the day.
- The figures are recorded; they don't fail the build.

Each section shows when and where it was last measured, and how long that took. The peers:

${versions()}

## Run the benchmarks

\`\`\`sh
pnpm bench                  # runs all
pnpm bench stores agent     # runs some
pnpm bench --quick          # checks that they work
pnpm bench --json           # prints JSON
pnpm bench --long           # adds half an hour of mixed load, and fleets of 100,000 over Postgres
pnpm bench --report         # updates this page; with names, only their sections
\`\`\`

${names.map((name) => `${sections.get(name)}\n`).join("\n")}`;
}

function section(name: string, ratios: readonly Ratio[], minutes: number): string {
  const rows = ratios.filter(({ bench }) => bench === name).map((ratio) => `| ${marked(ratio).join(" | ")} |`);
  const head =
    "| what | against | ratio | goal | ours | theirs | unit |\n| --- | --- | ---: | ---: | ---: | ---: | --- |";
  const day = new Date().toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  const where = `Measured on ${day}, in ${Math.ceil(minutes)} min, on ${machine()}`;
  return `## ${name}\n\n${about[name] ?? ""}\n\n${where}\n\n${head}\n${rows.join("\n")}\n`;
}

function marked(ratio: Ratio): string[] {
  const missed = ratio.goal !== null && ratio.ratio < ratio.goal;
  return cells(ratio).map((cell, at) => (missed && at === 2 ? `**${cell}**` : cell));
}

function machine(): string {
  const [cpu] = cpus();
  const load = loadavg()[0] ?? 0;
  const memory = Math.round(totalmem() / 2 ** 30);
  const busy =
    load > cpus().length * 1.5
      ? ` The machine was also doing other work (a load of ${load.toFixed(0)}), which lowers rates and makes ratios across processes less exact.`
      : "";
  return `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${memory} GB, ${process.platform}, Node ${process.version}.${busy}`;
}

function versions(): string {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return peers.map((name) => `- ${name} ${devDependencies[name]}`).join("\n");
}

function cells({ what, peer, ratio, goal, ours, theirs, unit }: Ratio): string[] {
  return [
    what,
    peer,
    ratio.toFixed(2),
    goal === null ? "" : `≥ ${Number(goal.toFixed(2))}`,
    round(ours),
    round(theirs),
    unit,
  ];
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
