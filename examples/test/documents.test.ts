import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { settingsHelp } from "../../packages/server-express/src/config.ts";
import { errorsPage, eventTable } from "./generated-tables.ts";
import { root } from "./run-example.ts";

const guides = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);
const documents = ["README.md", "examples/README.md", ...guides].map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));

/** The blocks of code whose file stands in a comment right above them. */
function quotesIn(text: string): { file: string; code: string }[] {
  const quotes = text.matchAll(/^<!-- ([\w./-]+) -->\n```\w*\n([\s\S]*?)^```$/gm);
  return [...quotes].map(([, file = "", code = ""]) => ({ file, code }));
}

/** Blocks of TypeScript, wherever they come from. */
const programs = /^```(ts|js|typescript|javascript)$/gm;

test.each(documents)("$path quotes programs from files that run", ({ text }) => {
  const quotes = quotesIn(text);
  for (const { file, code } of quotes.filter(({ file }) => file.includes("/")))
    expect(readFileSync(join(root, file), "utf8"), file).toContain(code);
  const fromFiles = quotes.filter(({ file }) => file.endsWith(".ts")).length;
  expect(text.match(programs) ?? []).toHaveLength(fromFiles);
});

test.each(documents.filter(({ path }) => path !== "README.md"))(
  "$path links to nothing that isn't there",
  ({ path, text }) => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => link);
    const local = links.filter((link) => !link.startsWith("https:"));
    expect(local.filter((link) => !existsSync(join(root, dirname(path), link)))).toEqual([]);
  },
);

test("the guide to errors is the code's own table", async () => {
  await expect(errorsPage()).toMatchFileSnapshot("../../docs/guides/errors.md");
});

test("the guide to events names every type", () => {
  expect(readFileSync(join(root, "docs/guides/events.md"), "utf8")).toContain(`\n\n${eventTable()}\n`);
});

test("the guide to the server lists every setting, as --help does", () => {
  const guide = readFileSync(join(root, "docs/guides/run-the-server.md"), "utf8");
  expect(guide).toContain(`<!-- liveplane-server --help -->\n\`\`\`text\n${settingsHelp()}\n\`\`\``);
});
