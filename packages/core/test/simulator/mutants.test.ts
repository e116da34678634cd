import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import type { Hunted } from "./hunt-mutants.ts";
import { mutants } from "./mutants.ts";

/** All in one process of its own, which loads the sources with a mistake in them beside those without. */
const hunter = join(import.meta.dirname, "hunt-mutants.ts");
const found = new Map<string, Hunted>();

beforeAll(async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--conditions=@liveplane/source", hunter]);
  for (const line of stdout.trim().split("\n")) {
    const hunted = JSON.parse(line) as Hunted;
    found.set(hunted.name, hunted);
    if (process.env.LIVEPLANE_SHOW_CAUGHT) console.log(line);
    const { name, tried, caught } = hunted;
    // A seed that finds it no more costs all those that are tried instead.
    if (caught !== null && tried > 1) process.stdout.write(`Pin seed ${caught.seed}, it took ${tried}: ${name}\n`);
  }
}, 900_000);

test.each(mutants)("a mistake is found by the simulator: $name", ({ name }) => {
  expect(found.get(name)).toMatchObject({ caught: { seed: expect.any(Number) } });
});

test("forty mistakes and more are looked for, each by a name of its own", () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(mutants.length).toBeGreaterThanOrEqual(40);
});
