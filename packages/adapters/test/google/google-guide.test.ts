import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GoogleKind } from "../../src/google/google-kinds.ts";
import { googleType } from "../../src/google/google-types.ts";

const root = join(import.meta.dirname, "../../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("the guide says of each kind what binds its writes", () => {
  const kinds = JSON.parse(read("packages/adapters/tables/google.json")) as Readonly<Record<string, GoogleKind>>;
  const rows = Object.entries(kinds).map(([name, { version }]) => {
    const type = name.replace(".", `.${version}.`);
    const { taggable, boundBy } = googleType(type);
    return `| \`${type}\` | ${boundBy?.properties} | ${taggable ? boundBy?.tags : "no labels"} |`;
  });
  const told = read("docs/how-to/google-cloud.md")
    .split("\n")
    .filter((line) => /^\| `\w+\.v\d/.test(line));
  expect(told).toEqual(rows);
});

test("the guide's role names each right once, in order", () => {
  const rights = [...read("docs/how-to/google-cloud-role.yaml").matchAll(/^ {2}- (\S+)$/gm)].map(([, right]) => right);
  expect(rights).toEqual([...new Set(rights)].sort());
  expect(rights.length).toBeGreaterThan(30);
});
