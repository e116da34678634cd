import { cpus } from "node:os";
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

/** The page `docs/benchmarks.md`. */
export function report(ratios: readonly Ratio[]): string {
  const names = [...new Set(ratios.map(({ bench }) => bench))];
  const sections = names.map((name) => {
    const rows = ratios.filter(({ bench }) => bench === name).map((ratio) => `| ${cells(ratio).join(" | ")} |`);
    return `## ${name}\n\n| what | against | ratio | goal | ours | theirs | unit |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `# Benchmarks

Written by \`pnpm bench --report\`; don't edit by hand.

Every figure is a ratio: our rate divided by a peer's for the same work, taken in turn in one run (ours, theirs, ours, theirs …), the median
of the pairs. Above one means faster than the peer. The goal is the least that a good build holds. Absolute rates stand beside the ratios to
show the order of magnitude; they belong to one machine (${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}) and one day.

To repeat: \`pnpm bench\` for all, \`pnpm bench stores\` for one, \`--json\` for a machine.

${sections.join("\n")}`;
}

function cells({ what, peer, ratio, goal, ours, theirs, unit }: Ratio): string[] {
  return [what, peer, ratio.toFixed(2), goal === null ? "" : `≥ ${goal}`, round(ours), round(theirs), unit];
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
