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

/** A value as a cell: a text on one line, anything else as JSON, with words for what is hidden. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = JSON.stringify(value).replaceAll('"[redacted]"', "(set, hidden)");
  return oneLine(typeof value === "string" && value !== "[redacted]" ? value : text);
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

/** The width of help, whatever the terminal's: it is also read in files and on pages. */
const helpColumns = 100;
/** Where the second column of help begins. */
const secondAt = 38;

/** A command line and what it does, side by side. Each continues in its own column. */
export function inTwoColumns(usage: string, means: string): string[] {
  const width = secondAt - 6;
  // What belongs together stays on one line, if it fits: `[--url URL]`, `-f <file>`.
  const units = usage.match(/\[[^[\]]*\]\S*|(?:-[\w-]+ )?<[^<>]*>\S*|\S+/g) ?? [];
  const left = filled(
    units.flatMap((unit) => (unit.length > width ? unit.split(" ") : unit)),
    width,
  );
  const right = wrapped(means, helpColumns - secondAt);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const begun = `${at === 0 ? "  " : "    "}${left[at] ?? ""}`;
    return `${begun.padEnd(secondAt)}${right[at] ?? ""}`.trimEnd();
  });
}

/** A text in lines that fit; a longer word stays whole. */
export function wrapped(text: string, columns = helpColumns): string[] {
  return filled(text.split(" "), columns);
}

function filled(units: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const unit of units) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + unit.length > columns) lines.push(unit);
    else lines[lines.length - 1] = `${last} ${unit}`;
  }
  return lines;
}
