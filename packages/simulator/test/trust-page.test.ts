import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { huntingBounds, nightlyBounds, nightlyEndings, quickBounds, quickEndings } from "./explorer/bounds.ts";

const root = join(import.meta.dirname, "../../..");
const simulator = join(root, "packages/simulator/src");
const told = join(root, "packages/core/test/override");

/** The rows of the table under a heading of a guide, cell by cell. */
function rowsUnder(guide: string, heading: string): string[][] {
  const page = readFileSync(join(root, "docs/explanation", guide), "utf8");
  const [, part = ""] = page.split(`## ${heading}\n`);
  const [table = ""] = part.split("\n## ");
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  return rows.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

const namesIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** All that judges, as one text: without the list of the rules' names. */
function judgesSources(): string {
  return readdirSync(simulator, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("facts.ts"))
    .map((file) => readFileSync(join(simulator, file), "utf8"))
    .join("\n");
}

test("each promise names a rule that the judge holds, and stories that are told", () => {
  const [sources, promises] = [judgesSources(), rowsUnder("trust-the-agent.md", "What it promises")];
  expect(promises.length).toBeGreaterThanOrEqual(10);
  for (const [promise = "", rules, stories] of promises) {
    expect(namesIn(rules), promise).not.toEqual([]);
    for (const rule of namesIn(rules)) expect(sources, promise).toContain(`"${rule}"`);
    expect(namesIn(stories), promise).not.toEqual([]);
    for (const story of namesIn(stories))
      expect(existsSync(join(told, `${story}.test.ts`)), `${promise}: ${story}`).toBe(true);
  }
});

test("each sentence of the protocol is held by rules, within bounds that are explored, and by tests of that name", () => {
  const sources = judgesSources();
  const rows = rowsUnder("simulator.md", "What holds each promise");
  const all = [...quickBounds, ...nightlyBounds, ...huntingBounds, ...quickEndings, ...nightlyEndings];
  const titles = new Set(all.map(({ title }) => title));
  expect(rows.map(([number]) => number)).toEqual(Array.from({ length: 17 }, (_, at) => `${at + 1}`));
  for (const [number, , rules, explored, stories = ""] of rows) {
    expect(namesIn(rules), number).not.toEqual([]);
    for (const rule of namesIn(rules)) expect(sources, number).toContain(`"${rule}"`);
    expect(namesIn(explored), number).not.toEqual([]);
    for (const title of namesIn(explored)) expect(titles, number).toContain(title);
    for (const story of stories.split("; ")) {
      const [file = "", title = ""] = story.split(/: (.*)/);
      const text = readFileSync(join(told, `${namesIn(file)[0]}.test.ts`), "utf8");
      expect(text.includes(title) && title.length > 20, `${number}: ${story}`).toBe(true);
    }
  }
});
