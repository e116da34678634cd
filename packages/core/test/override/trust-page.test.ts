import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const judge = join(root, "packages/core/src/testing/judge");

/** The rows of the table of promises: what is promised, the rules, the stories. */
function promises(): string[][] {
  const page = readFileSync(join(root, "docs/guides/trust-the-agent.md"), "utf8");
  const [, part = ""] = page.split("## What it promises");
  const [table = ""] = part.split("## What it can't promise");
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  return rows.slice(1).map((line) => line.split(" | "));
}

const namesIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

test("each promise names a rule that the judge holds, and stories that are told", () => {
  const sources = readdirSync(judge)
    .map((file) => readFileSync(join(judge, file), "utf8"))
    .join("\n");
  expect(promises().length).toBeGreaterThanOrEqual(10);
  for (const [promise = "", rules, stories] of promises()) {
    expect(namesIn(rules), promise).not.toEqual([]);
    for (const rule of namesIn(rules)) expect(sources, promise).toContain(`"${rule}"`);
    expect(namesIn(stories), promise).not.toEqual([]);
    for (const story of namesIn(stories))
      expect(existsSync(join(import.meta.dirname, `${story}.test.ts`)), `${promise}: ${story}`).toBe(true);
  }
});
