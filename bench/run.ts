import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Bench, comparer, type Ratio } from "./harness.ts";
import { report, table } from "./report.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean" },
    long: { type: "boolean" },
    json: { type: "boolean" },
    report: { type: "boolean" },
  },
});
// Benchmarks that take about an hour run only on request.
if (values.long) {
  process.env.LIVEPLANE_BENCH_MINUTES ??= "30";
  process.env.LIVEPLANE_SCALE ??= "10000,100000";
}

const own = new Set([
  "run.ts",
  "harness.ts",
  "report.ts",
  "fleet.ts",
  "child.ts",
  "latency.ts",
  "served-peer.ts",
  "process-times.ts",
]);
const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !own.has(file))
  .map((file) => file.replace(/\.ts$/, ""));
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(", ")}. There are: ${all.join(", ")}.\n`);
  process.exit(2);
}

const page = "docs/benchmarks.md";
const ratios: Ratio[] = [];
for (const name of positionals.length > 0 ? positionals : all) {
  try {
    const startedAt = performance.now();
    const { bench } = (await import(`./${name}.ts`)) as { bench: Bench };
    const quick = values.quick === true;
    const lines = await bench.run({ quick, compare: comparer(name, quick) });
    const minutes = (performance.now() - startedAt) / 60_000;
    ratios.push(...lines);
    if (!values.json) process.stdout.write(`\n${name}, in ${minutes.toFixed(1)} min\n${table(lines)}\n`);
    if (values.report) writeFileSync(page, report(lines, { minutes, before: readFileSync(page, "utf8") }));
  } catch (cause) {
    // A failed benchmark doesn't lose the results of the others, which may have taken hours.
    process.stderr.write(`\n${name} broke off: ${cause instanceof Error ? cause.stack : String(cause)}\n`);
    process.exitCode = 1;
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(ratios, null, 2)}\n`);
