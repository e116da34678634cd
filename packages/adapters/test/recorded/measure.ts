import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type JudgedPair, judgedPair, type Unlike } from "./judged-pairs.ts";
import { exchangesIn, pairsIn } from "./recordings.ts";

const help = `Measures how recorded creations compare: what was sent with what the cloud showed.

  pnpm measure:recordings <folder>             sessions of an Azure SDK (.json), logs of requests to Google (.log)
  pnpm measure:recordings <folder> --reasons   every place that reads as drift, and every change that isn't seen
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { reasons: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
const [folder] = positionals;
if (values.help || folder === undefined) {
  console.log(help);
  process.exitCode = values.help ? 0 : 2;
} else report(measured(folder));

function measured(from: string): readonly JudgedPair[] {
  const files = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((name) => /\.(json|log)$/.test(name));
  const pairs = files.sort().flatMap((name) => pairsIn(exchangesIn(readFileSync(join(from, name), "utf8"))));
  // The same test is often recorded twice.
  const once = [...new Map(pairs.map((pair) => [JSON.stringify([pair.sent, pair.shown]), pair])).values()];
  return once.flatMap((pair) => judgedPair(pair) ?? []);
}

function report(pairs: readonly JudgedPair[]): void {
  const drift = pairs.filter((pair) => pair.drift.length > 0).length;
  const unsettled = pairs.filter((pair) => pair.unsettled.length > 0).length;
  const leaves = pairs.reduce((sum, pair) => sum + pair.leaves, 0);
  const missed = pairs.reduce((sum, pair) => sum + pair.missed.length, 0);
  const share = (part: number, of: number) => `${part} of ${of} (${((100 * part) / Math.max(1, of)).toFixed(1)} %)`;
  console.log(
    `Creations of ${new Set(pairs.map(({ type }) => type)).size} types that read as drift: ${share(drift, pairs.length)}`,
  );
  console.log(`With what their own answers teach: ${share(unsettled, pairs.length)}`);
  console.log(`Changes of a single leaf that aren't seen: ${share(missed, leaves)}`);
  if (!values.reasons) return;
  for (const [kind, of] of [
    ["drift", (pair: JudgedPair) => pair.drift],
    ["unsettled", (pair: JudgedPair) => pair.unsettled],
  ] as const)
    tell(
      kind,
      pairs.flatMap((pair) => of(pair).map((place) => `${pair.type} ${textOf(place)}`)),
    );
  tell(
    "missed",
    pairs.flatMap((pair) => pair.missed.map((pointer) => `${pair.type} ${general(pointer)}`)),
  );
}

function tell(kind: string, lines: readonly string[]): void {
  const groups = [...Map.groupBy(lines, (line) => line)].map(([line, { length }]) => ({ line, length }));
  for (const { line, length } of groups.sort((a, b) => b.length - a.length)) console.log(`${kind} ${length}x ${line}`);
}

function textOf({ pointer, sent, shown }: Unlike): string {
  return `${general(pointer)} ${JSON.stringify(sent).slice(0, 90)} -> ${JSON.stringify(shown).slice(0, 90)}`;
}

function general(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*");
}
