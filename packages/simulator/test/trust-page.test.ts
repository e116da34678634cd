import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { huntingBounds, nightlyBounds, nightlyEndings, quickBounds, quickEndings } from "./explorer/bounds.ts";

const root = join(import.meta.dirname, "../../..");
const simulator = join(root, "packages/simulator/src");
const told = join(root, "packages/core/test/override");

/** The rows of the table under a heading of a page, or of its first table, cell by cell. */
function rowsUnder(guide: string, heading: string | null): string[][] {
  const page = readFileSync(join(root, "docs", guide), "utf8");
  const [, part = ""] = heading === null ? ["", page] : page.split(`## ${heading}\n`);
  const [table = ""] = part.split("\n## ");
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  return rows.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

const namesIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** Whether a story, `file`: title, is a test of that title. */
function isTold(story: string): boolean {
  const [file = "", title = ""] = story.split(/: (.*)/);
  const path = join(told, `${namesIn(file)[0]}.test.ts`);
  return title.length > 20 && existsSync(path) && readFileSync(path, "utf8").includes(title);
}

/** All that judges, as one text: without the list of the rules' names. */
function judgesSources(): string {
  return readdirSync(simulator, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("facts.ts"))
    .map((file) => readFileSync(join(simulator, file), "utf8"))
    .join("\n");
}

test("each promise names a rule that the judge holds, and stories that are told", () => {
  const [sources, promises] = [judgesSources(), rowsUnder("explanation/trust-the-agent.md", "What it promises")];
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
  const rows = rowsUnder("explanation/simulator.md", "What holds each promise");
  const all = [...quickBounds, ...nightlyBounds, ...huntingBounds, ...quickEndings, ...nightlyEndings];
  const titles = new Set(all.map(({ title }) => title));
  expect(rows.map(([number]) => number)).toEqual(Array.from({ length: 17 }, (_, at) => `${at + 1}`));
  for (const [number, , rules, explored, stories = ""] of rows) {
    expect(namesIn(rules), number).not.toEqual([]);
    for (const rule of namesIn(rules)) expect(sources, number).toContain(`"${rule}"`);
    expect(namesIn(explored), number).not.toEqual([]);
    for (const title of namesIn(explored)) expect(titles, number).toContain(title);
    for (const story of stories.split("; ")) expect(isTold(story), `${number}: ${story}`).toBe(true);
  }
});

/** Whether the specification has such a place: a section `7`, a point `5.4`, a `row 105` or a paragraph, `order in 5`. */
function isWritten(place: string): boolean {
  const text = readFileSync(join(root, "docs/reference/override-protocol.md"), "utf8");
  const [, number = "", point] = /(\d+)(?:\.(\d+))?$/.exec(place) ?? [];
  if (place.startsWith("row ")) return text.includes(`\n| ${number} | `);
  const [, after = ""] = text.split(`\n## ${number}. `);
  const [section = ""] = after.split("\n## ");
  if (place.includes(" in ")) return section.toLowerCase().includes(`\n**${place.split(" in ")[0]}.** `);
  return section !== "" && (point === undefined || section.includes(`\n${point}. `));
}

test("each answer about odd cases names places of the specification, and stories that are told", () => {
  const rows = rowsUnder("reference/override-protocol-questions.md", null);
  expect(rows.length).toBeGreaterThanOrEqual(20);
  expect(rows.map(([number]) => number)).toEqual(rows.map((_, at) => `${at + 1}`));
  for (const [number, , answer = "", places = "", stories = ""] of rows) {
    expect(answer.length, number).toBeGreaterThan(10);
    for (const place of places.split(", ")) expect(isWritten(place), `${number}: ${place}`).toBe(true);
    for (const story of stories.split("; ")) expect(isTold(story), `${number}: ${story}`).toBe(true);
  }
});
