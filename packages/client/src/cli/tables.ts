import { visible } from "@liveplane/core/errors";

/** A table for people: columns as wide as their contents, the last one cut at the terminal's width. */
export function tableOf(rows: readonly Readonly<Record<string, unknown>>[], columns: number): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [
    names.map((name) => cellOf(name.replaceAll(/[A-Z]/g, " $&").toUpperCase())),
    ...rows.map((row) => names.map((name) => cellOf(row[name]))),
  ];
  const widths = names.map((_, at) => Math.max(...cells.map((line) => (line[at] ?? "").length)));
  return cells
    .map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "))
    .map((line) => cut(line.trimEnd(), columns));
}

/** A value as a cell: a text on one line, anything else as JSON. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return oneLine(typeof value === "string" ? value : JSON.stringify(value));
}

/** A text on one line, with control characters made visible. */
export function oneLine(text: string): string {
  return visible(text).replaceAll("\n", "\\u000a");
}

/** The time since an instant, in its largest unit. */
export function ageOf(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const units = [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
  ] as const;
  for (const [unit, length] of units) if (seconds >= length) return `${Math.floor(seconds / length)} ${unit}`;
  return `${seconds} s`;
}

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, Math.max(1, columns - 1))}…`;
}

/** A number of things: `1 resource`, `2 resources`. */
export function countOf(count: number | "no", what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
