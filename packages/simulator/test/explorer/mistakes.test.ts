import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { mutants } from "../mutants.ts";
import { huntingBounds } from "./bounds.ts";
import { finds, leastFound } from "./finds.ts";

/** In a process of its own, which loads the sources with a mistake in them. */
const explorer = join(import.meta.dirname, "explore.ts");
const tried = ["keeps a stray reconcile tag", "takes unreadable for untagged", "keeps old outputs during an override"];

test("the explorer finds mistakes by itself; `pnpm explore --mistakes` tries all", { timeout: 120_000 }, async () => {
  const args = ["--conditions=@liveplane/source", explorer, "--mistakes", "200", "--only", tried.join("; ")];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  for (const name of tried) {
    const { within, schedules } = finds.get(name) ?? {};
    expect(stdout).toContain(`${name}: ${within}, ${schedules}: `);
  }
  expect(stdout).toContain(`${tried.length} of ${tried.length} were found.`);
});

test("each mistake that was found is one that is looked for, in bounds that are explored", () => {
  const names = new Set(mutants.map(({ name }) => name));
  const titles = new Set(huntingBounds.map(({ title }) => title));
  for (const [name, { within }] of finds)
    expect([name, names.has(name), titles.has(within)]).toEqual([name, true, true]);
  expect(finds.size).toBeGreaterThanOrEqual(leastFound);
});

test("the guide tells what was found, where and by how many schedules", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../../docs/explanation/simulator.md"), "utf8");
  for (const [name, { within, schedules }] of finds) expect(guide).toContain(`| ${name} | ${within} | ${schedules} |`);
});
