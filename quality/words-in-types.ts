import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { OperationId } from "@liveplane/core/contract";

const row = /^( +)readonly \w+: Operation<"([\w.]+)", \{\n +readonly summary: "((?:[^"\\]|\\.)*)";/gm;

/**
 * Copies each row's description, error codes and deprecation into the built declarations: the compiler keeps comments in interfaces, but
 * drops those in a table. Returns the number of rows found.
 */
async function putWords(folder: string): Promise<number> {
  const contract = pathToFileURL(resolve(folder, "contract/index.js")).href;
  const { errorCodesOf, operationsById }: typeof import("@liveplane/core/contract") = await import(contract);
  let found = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".d.ts"))) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    const spoken = text.replace(row, (line, indent: string, id: OperationId, summary: string, at: number) => {
      found += 1;
      const [, successor] = /readonly successor: "([\w.]+)"/.exec(text.slice(at, endOf(text, indent, at))) ?? [];
      const codes = [...errorCodesOf(operationsById[id])].sort().map((code) => `\`${code}\``);
      const words = [
        JSON.parse(`"${summary}"`),
        "",
        `Error codes: ${codes.join(", ")}.`,
        ...(successor ? [`@deprecated Use \`${successor}\`.`] : []),
      ];
      return `${indent}/**\n${words.map((word) => `${indent} * ${word}`.trimEnd().concat("\n")).join("")}${indent} */\n${line}`;
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
  const found = await putWords(process.argv[2] ?? "dist");
  if (found === 0) throw new RangeError("The declarations contain no row of the contract.");
}
