import { readFile } from "node:fs/promises";
import { UsageError } from "../usage-error.ts";
import type { CliHost } from "./host.ts";

/** The text of a file, or of standard input for `-`. */
export async function readText(host: CliHost, file: string): Promise<string> {
  if (file === "-") return host.readInput();
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new UsageError(`${file} can't be read (${(cause as NodeJS.ErrnoException).code}).`, { cause });
  }
}

export async function readJsonInput(host: CliHost, file: string): Promise<unknown> {
  return jsonIn(await readText(host, file), file);
}

/** A JSON value, or a list of those that a file has one to a line. */
export async function readJsonLines(host: CliHost, file: string): Promise<unknown> {
  const text = await readText(host, file);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isLines = lines.length > 1 && lines.every((line) => /^\s*\{.*\}\s*$/.test(line));
  return isLines ? lines.map((line) => jsonIn(line, file)) : jsonIn(text, file);
}

function jsonIn(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${file === "-" ? "Standard input" : file} isn't valid JSON.`, { cause });
  }
}
