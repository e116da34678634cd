import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Bench, comparer, type Ratio } from "./harness.ts";
import { report, table } from "./report.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean" }, json: { type: "boolean" }, report: { type: "boolean" } },
});

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

const ratios: Ratio[] = [];
for (const name of positionals.length > 0 ? positionals : all) {
  const { bench } = (await import(`./${name}.ts`)) as { bench: Bench };
  const quick = values.quick === true;
  const lines = await bench.run({ quick, compare: comparer(name, quick) });
  ratios.push(...lines);
  if (!values.json) process.stdout.write(`\n${name}\n${table(lines)}\n`);
}
if (values.json) process.stdout.write(`${JSON.stringify(ratios, null, 2)}\n`);
const page = "docs/benchmarks.md";
if (values.report) writeFileSync(page, report(ratios, readFileSync(page, "utf8")));
