import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type JudgedPair, judgedPair, type Unlike } from "./judged-pairs.ts";
import { reasonFor } from "./reasons.ts";
import { exchangesIn, pairsIn } from "./recordings.ts";

const help = `Measures how recorded creations compare: what was sent with what the cloud showed.

  pnpm measure:recordings <folder …>             sessions of an Azure SDK (.json), logs of requests to Google (.log)
  pnpm measure:recordings <folder …> --reasons   every place that reads as drift, and every change that isn't seen
  pnpm measure:recordings <folder …> --remaining what remains with everything that is learned, as a list with reasons
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reasons: { type: "boolean", default: false },
    remaining: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help || positionals.length === 0) {
  console.log(help);
  process.exitCode = values.help ? 0 : 2;
} else if (values.remaining) listRemaining(positionals.map((folder) => measured(folder)));
else report(positionals.flatMap(measured));

function measured(from: string): readonly JudgedPair[] {
  const all = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((name) => /\.(json|log)$/.test(name));
  const files = all.filter((name) => !isImitated(name));
  const pairs = files.sort().flatMap((name) => pairsIn(exchangesIn(readFileSync(join(from, name), "utf8"))));
  // The same test is often recorded twice.
  const once = [...new Map(pairs.map((pair) => [JSON.stringify([pair.sent, pair.shown]), pair])).values()];
  return once.flatMap((pair) => judgedPair(pair) ?? []);
}

/** Whether a log was recorded at the recorder's own imitation of Google. */
function isImitated(name: string): boolean {
  return /_mock\.log$/.test(name);
}

/** A Markdown list of what remains. Fails where no reason is named. */
function listRemaining(vendors: readonly (readonly JudgedPair[])[]): void {
  console.log("# What remains of the recorded creations\n");
  console.log("Written by `pnpm measure:recordings <folder of Azure> <folder of Google> --remaining`.");
  for (const pairs of vendors) {
    console.log("");
    summarize(pairs);
    const rows = pairs.flatMap(({ type, unsettled, missed }) => [
      ...unsettled.map((place) => rowOf(type, general(place.pointer), textOf(place).replace(/^\S+ /, ""))),
      ...missed.map((pointer) => rowOf(type, general(pointer), "a change isn't seen")),
    ]);
    console.log("\n| type | place | sent and shown | times | reason |\n| --- | --- | --- | --- | --- |");
    for (const [row, { length }] of [...Map.groupBy(rows, (own) => own)].sort())
      console.log(row.replace("| # |", `| ${length} |`));
    if (rows.some((row) => row.endsWith("| none |"))) process.exitCode = 1;
  }
}

function rowOf(type: string, pointer: string, text: string): string {
  const place = pointer.replaceAll(/\/name=[^/]+/g, "/*");
  const shown = text.replaceAll("|", "\\|").replaceAll("->", "→");
  return `| ${type} | \`${place}\` | ${shown.includes("→") ? `\`${shown}\`` : shown} | # | ${reasonFor(type, place) ?? "none"} |`;
}

function summarize(pairs: readonly JudgedPair[]): void {
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
}

function report(pairs: readonly JudgedPair[]): void {
  summarize(pairs);
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
