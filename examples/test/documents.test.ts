import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./run-example.ts";

const guides = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);
const documents = ["README.md", "examples/README.md", ...guides].map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));

/** The blocks of code whose file stands in a comment right above them. */
function quotesIn(text: string): { file: string; code: string }[] {
  const quotes = text.matchAll(/^<!-- (\S+) -->\n```\w*\n([\s\S]*?)^```$/gm);
  return [...quotes].map(([, file = "", code = ""]) => ({ file, code }));
}

/** Blocks of TypeScript, wherever they come from. */
const programs = /^```(ts|js|typescript|javascript)$/gm;

test.each(documents)("$path quotes programs from files that run", ({ text }) => {
  const quotes = quotesIn(text);
  for (const { file, code } of quotes) expect(readFileSync(join(root, file), "utf8"), file).toContain(code);
  const fromFiles = quotes.filter(({ file }) => file.endsWith(".ts")).length;
  expect(text.match(programs) ?? []).toHaveLength(fromFiles);
});
