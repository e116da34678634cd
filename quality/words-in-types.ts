import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const row = /^( +)readonly \w+: Operation<"[\w.]+", \{\n +readonly summary: "((?:[^"\\]|\\.)*)";/gm;

/**
 * Writes into the built declarations what each row says of itself, and that it is deprecated: the compiler keeps the comments of
 * interfaces, and drops those of a table. Gives how many rows were found.
 */
function putWords(folder: string): number {
  let found = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".d.ts"))) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    const spoken = text.replace(row, (line, indent: string, summary: string, at: number) => {
      found += 1;
      const [, successor] = /readonly successor: "([\w.]+)"/.exec(text.slice(at, endOf(text, indent, at))) ?? [];
      const words = [JSON.parse(`"${summary}"`), ...(successor ? [`@deprecated Use \`${successor}\`.`] : [])];
      return `${indent}/**\n${words.map((word) => `${indent} * ${word}\n`).join("")}${indent} */\n${line}`;
    });
    if (spoken !== text) writeFileSync(file, spoken);
  }
  return found;
}

/** Where a row's block ends: at the first line that closes it at its own depth. */
function endOf(text: string, indent: string, at: number): number {
  return text.indexOf(`\n${indent}}>;`, at);
}

if (import.meta.main) {
  const found = putWords(process.argv[2] ?? "dist");
  if (found === 0) throw new RangeError("No row of the contract stands in the declarations.");
}
