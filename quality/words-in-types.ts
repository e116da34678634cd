import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const row = /^( +)readonly \w+: Operation<"[\w.]+", \{\n +readonly summary: "((?:[^"\\]|\\.)*)";/gm;

/**
 * Copies each row's description and deprecation into the built declarations: the compiler keeps comments in interfaces, but drops those in
 * a table. Returns the number of rows found.
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

/** The end of a row's block: the first line that closes it at its own depth. */
function endOf(text: string, indent: string, at: number): number {
  return text.indexOf(`\n${indent}}>;`, at);
}

if (import.meta.main) {
  const found = putWords(process.argv[2] ?? "dist");
  if (found === 0) throw new RangeError("No row of the contract stands in the declarations.");
}
