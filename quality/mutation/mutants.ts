import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { equivalents } from "./equivalents.ts";

const help = `Changes the sources in one place at a time, and checks that a test notices.

  pnpm mutants                       a hundred changes, drawn at random, in at most an hour
  pnpm mutants --count 20 --seed 7   so many, drawn by this seed
  pnpm mutants --minutes 15          stops after so many minutes
  pnpm mutants --in agent-lessons    only in files whose path contains this

A change is noticed if a test of its area fails, or if the simulator's first seeds break.
`;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
    minutes: { type: "string", default: "60" },
    in: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});

const root = join(import.meta.dirname, "../..");
const core = join(root, "packages/core/src");
/** The folders that are changed, each with the tests that should notice. */
const areas: Readonly<Record<string, readonly string[]>> = {
  "override/protocol": ["packages/core/test/override"],
  "override/agent": ["packages/core/test/override"],
  "override/mutations": ["packages/core/test/override"],
  permissions: ["packages/core/test/permissions", "packages/core/test/tenancy", "packages/core/test/access"],
  sessions: ["packages/core/test/sessions"],
};

/** One change of one file. */
interface Mutant {
  readonly file: string;
  readonly area: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  /** The whole file with the change in it. */
  readonly source: string;
}

const silent = { isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false };
const quiet = { ...silent, isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false };
const nothing = () => {};
const logger = {
  ...quiet,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
};

async function mutantsOf(area: string, file: string): Promise<Mutant[]> {
  const name = join(core, area, file);
  const content = readFileSync(name, "utf8");
  const starts = [0];
  for (const text of content.split("\n")) starts.push((starts.at(-1) ?? 0) + text.length + 1);
  // Texts are read by the tests of words, not by those of behaviour.
  const options = { plugins: null, excludedMutations: ["StringLiteral"], ignorers: [] };
  const { mutants } = await new Instrumenter(logger).instrument([{ name, content, mutate: true }], options);
  // What is excluded is listed all the same, as ignored.
  const drawn = mutants.filter(({ status }) => status !== "Ignored");
  return drawn.map(({ location: { start, end }, replacement }) => {
    const [begin, stop] = [start, end].map(({ line, column }) => (starts[line] ?? 0) + column) as [number, number];
    const source = `${content.slice(0, begin)}${replacement}${content.slice(stop)}`;
    return {
      file: `${area}/${file}`,
      area,
      line: start.line + 1,
      from: content.slice(begin, stop),
      to: replacement,
      source,
    };
  });
}

/** The same order for the same seed (mulberry32). */
function shuffled<T>(all: readonly T[], seed: number): T[] {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const folder = mkdtempSync(join(tmpdir(), "mutants-"));

/** Whether a command fails over the mutant. One that doesn't end in time has noticed it too. */
function fails({ file, source }: Mutant, command: readonly string[]): Promise<boolean> {
  const path = join(folder, "mutant.json");
  writeFileSync(path, JSON.stringify({ url: pathToFileURL(join(core, file)).href, source }));
  const hook = pathToFileURL(join(import.meta.dirname, "mutated-source.ts")).href;
  const env = { ...process.env, LIVEPLANE_MUTANT: path, NODE_OPTIONS: `--import=${hook}` };
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: "ignore", timeout: 120_000 });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code !== 0)));
}

async function noticedBy(mutant: Mutant): Promise<string | null> {
  const tests = areas[mutant.area] ?? [];
  const run = ["node_modules/vitest/vitest.mjs", "run", "--bail", "1", "--project", "core", ...tests];
  if (await fails(mutant, run)) return "tests";
  const seeds = ["--conditions=@liveplane/source", "packages/simulator/test/simulate.ts", "--count", "60"];
  const isProtocol = mutant.area.startsWith("override/");
  return isProtocol && (await fails(mutant, seeds)) ? "seeds" : null;
}

async function run(): Promise<void> {
  const seed = Number(values.seed);
  const files = Object.keys(areas).flatMap((area) =>
    readdirSync(join(core, area))
      .map((file) => ({ area, file }))
      .filter((one) => `${one.area}/${one.file}`.includes(values.in)),
  );
  const all = (await Promise.all(files.map(({ area, file }) => mutantsOf(area, file)))).flat();
  const isSame = ({ file, from, to }: Mutant) =>
    equivalents.some((one) => one.file === file && one.from === from && one.to === to);
  const drawn = shuffled(all, seed)
    .filter((one) => !isSame(one))
    .slice(0, Number(values.count));
  const ends = Date.now() + Number(values.minutes) * 60_000;
  const counts = { tests: 0, seeds: 0, survived: 0 };
  for (const mutant of drawn) {
    if (Date.now() > ends) break;
    const by = await noticedBy(mutant);
    counts[by === null ? "survived" : (by as "tests")] += 1;
    if (by !== null) continue;
    const [from, to] = [mutant.from, mutant.to].map((text) => text.replaceAll(/\s+/g, " ").slice(0, 100));
    console.log(`Not noticed: ${mutant.file}:${mutant.line}  ${from}  →  ${to}`);
  }
  const tried = counts.tests + counts.seeds + counts.survived;
  const rate = tried === 0 ? 0 : Math.round((100 * (tried - counts.survived)) / tried);
  console.log(
    `${tried} of ${all.length} changes tried, seed ${seed}: ${counts.tests} noticed by tests, ${counts.seeds} by the simulator alone, ${counts.survived} not noticed (${rate} % noticed).`,
  );
}

if (values.help) console.log(help);
else await run();
