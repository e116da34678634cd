import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { namesIn, read } from "./documents.ts";
import { root } from "./run-example.ts";

const folders = namesIn("examples").filter(
  (name) => name !== "test" && statSync(join(root, "examples", name)).isDirectory(),
);
const tests = namesIn("examples/test").filter((name) => name.endsWith(".test.ts"));

describe.each(folders)("%s", (name) => {
  const { scripts = {} } = JSON.parse(read(`examples/${name}/package.json`)) as { scripts?: Record<string, string> };
  const [, started] = /^node --conditions=@liveplane\/source (?:--test )?(\S+\.ts)$/.exec(scripts.start ?? "") ?? [];
  const programs = namesIn(`examples/${name}`).filter((file) => file.endsWith(".ts"));

  test("is in the list of examples", () => {
    expect(read("examples/README.md")).toContain(`| [\`${name}\`](${name}) | `);
  });

  test("opens with a comment that says what it shows", () => {
    const main = started ?? (programs.includes("main.ts") ? "main.ts" : programs[0]);
    expect(read(`examples/${name}/${main}`)).toMatch(/^(\/\/ [^\n]+\n)+/);
  });

  test("is run by a test, as its reader runs it", () => {
    const places = started === undefined ? [`../${name}/`, `"examples/${name}"`] : [`examples/${name}/${started}`];
    const isRunBy = (test: string) => places.some((place) => read(`examples/test/${test}`).includes(place));
    expect(tests.filter(isRunBy)).not.toEqual([]);
    if (started !== undefined) expect(existsSync(join(root, "examples", name, started))).toBe(true);
  });
});
