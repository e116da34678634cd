import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Each package with the manifest and group that declares it, and where it is imported or configured. */
const kept = [
  ["eventemitter3", "packages/core", "dependencies", ["packages/core/src"]],
  ["zod", "packages/core", "dependencies", ["packages/core/src"]],
  ["ky", "packages/client", "dependencies", ["packages/client/src"]],
  ["keyv", "packages/adapters", "peerDependencies", ["packages/adapters/test", "examples/embed-keyv"]],
  ["msw", "packages/client", "devDependencies", ["packages/client/test"]],
  ["tsup", ".", "devDependencies", ["tsup.base.ts", "packages/core/tsup.config.ts"]],
  ["vitest", ".", "devDependencies", ["vitest.config.ts"]],
  ["typedoc", ".", "devDependencies", ["typedoc.config.mjs"]],
] as const;

test.each(kept)("%s is declared by %s in its %s, and used in %j", (name, manifest, group, places) => {
  const declared = JSON.parse(readFileSync(join(root, manifest, "package.json"), "utf8"));
  expect(declared[group]).toHaveProperty([name]);
  for (const place of places) expect([place, importers(name, place).length]).not.toEqual([place, 0]);
});

test("eventemitter3 is imported in one file", () => {
  const sources = readdirSync(join(root, "packages")).map((name) => `packages/${name}/src`);
  expect(sources.flatMap((place) => importers("eventemitter3", place))).toEqual([
    "packages/core/src/events/event-log.ts",
  ]);
});

/** The files at or below a path that import a package. */
function importers(name: string, place: string): string[] {
  const files = statSync(join(root, place)).isFile()
    ? [place]
    : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
        .map((file) => join(place, file));
  const pattern = new RegExp(`(?:from|import\\() ?"${name}(?:/[^"]+)?"`);
  return files.filter((file) => pattern.test(readFileSync(join(root, file), "utf8")));
}
