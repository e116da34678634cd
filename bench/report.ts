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

/** What each benchmark does, and who else does it. */
const about: Readonly<Record<string, string>> = {
  accounts:
    "Permission decisions over 100,000 grants: ours with their explanation, against peers that only say yes or no.",
  agent:
    "The comparison, the transition, and rounds of looks at fleets that stand as declared. The rounds are measured against what a million components need, each looked at every three minutes; how they grow, against the smallest fleet.",
  events:
    "Streams over a log that is one organization's. A hundred strangers and a guest, who may see one event in a hundred, follow from the beginning; the server's answers to others meanwhile, and what an event costs a stream.",
  server:
    "Whole requests over fifty connections, authenticated and authorized: ours in memory, and over SQLite with metrics and limits. Against servers that do the same work (who calls, in a session that hasn't ended, may they, the row, the answer with the same headers), and bare ones that do nothing but answer. The grant is there after the first POST, so none writes from then on; all databases are SQLite with WAL and synchronous FULL. Each server is a process of its own, and so are their clients. All are warm: 52,000 requests each (of the two slow ones 13,000 and 26,000) don't count.",
  scale:
    "One sweep of a whole fleet over Postgres by pg-boss, in one process and in two, where one component in a thousand was changed by hand: how fast, at how many cloud reads, rows, bytes and how much memory; and beside it one job for each component. LIVEPLANE_SCALE=10000,100000,1000000 says how large.",
  "sign-in": "32 people who sign in at once by argon2id and get signed tokens, against as many hashes alone.",
  tracing:
    "Whole requests over fifty connections, with spans that are sent by OTLP over HTTP to a receiver of another process, against the same server that sends none: a span for the request, and for its commit where there is one.",
  "under-load":
    "A server over SQLite with 100,000 components in it: what is left for a reader while it does other work in the same process, what its memory comes to and by how much it grows (half an hour of it: LIVEPLANE_BENCH_MINUTES=30), and how long it takes to start, out of the sources.",
  stores: "Each store against its bare driver that sends the same statements, with the same keys and values.",
};

const peers = [
  "@casl/ability",
  "autocannon",
  "better-auth",
  "better-sqlite3",
  "express",
  "fast-deep-equal",
  "fastify",
  "jose",
  "keyv",
  "ky",
  "pg",
] as const;

/** What goes into a page beside what one benchmark found: how long it took, and the page before. */
interface ReportFrom {
  readonly minutes: number;
  readonly before: string;
}

/** The page `docs/benchmarks.md`. What wasn't run this time stays as it stands in the page before. */
export function report(ratios: readonly Ratio[], { minutes, before }: ReportFrom): string {
  const sections = new Map(before.split(/^(?=## )/m).map((text) => [/^## (.*)/.exec(text)?.[1] ?? "", text.trimEnd()]));
  for (const name of new Set(ratios.map(({ bench }) => bench)))
    sections.set(name, section(name, ratios, minutes).trimEnd());
  const names = Object.keys(about).filter((name) => sections.has(name));
  return `# Benchmarks

Written by \`pnpm bench --report\`; don't edit by hand.

## How it is measured

- **Ratios.** Every figure is our rate divided by a peer's for the same work. Above 1 is faster than the peer.
- **Paired.** Ours and the peers take turns in one run (ours, theirs, ours, theirs …), so that a drift of the machine's speed meets all alike.
  The ratio is the median over the pairs, after two rounds that don't count. It is not the quotient of the two rates beside it, which are medians of their own.
- **The goal** is the least that a good build holds, on a machine that does nothing else. A line without a goal is for information. **Bold**: the goal was missed in this run.
- **Rates** show the order of magnitude. They belong to one machine and one day.
- Nothing fails by these figures: they are recorded, not gated.

Each part says when and where it was measured last, and how long that took. Peers: ${versions()}.

## To repeat it

\`\`\`sh
pnpm bench                  # all of them
pnpm bench stores agent     # some of them
pnpm bench --quick          # whether they work
pnpm bench --json           # for a machine
pnpm bench --long           # with half an hour of mixed load, and fleets of 100,000 over Postgres
pnpm bench --report         # writes this page, section by section as it goes; with names, their sections of it
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
      ? ` It did other work at the same time (a load of ${load.toFixed(0)}), which lowers rates and blurs ratios of work in several processes.`
      : "";
  return `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${memory} GB, ${process.platform}, Node ${process.version}.${busy}`;
}

function versions(): string {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return peers.map((name) => `${name} ${devDependencies[name]}`).join(", ");
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
