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
  }
  for (const line of stale()) process.stdout.write(`${line}\n`);
}, 900_000);

/** Seeds that are to be pinned: those that are find their mistakes no more, which costs all the worlds that are run instead. */
const stale = () =>
  [...found.values()].flatMap(({ name, tried, caught }) =>
    caught !== null && tried > 1 ? [`Pin seed ${caught.seed}, it took ${tried}: ${name}`] : [],
  );

test.each(mutants)("a mistake is found by the simulator: $name", ({ name }) => {
  expect(found.get(name)).toMatchObject({ caught: { seed: expect.any(Number) } });
});

// Who changes the rules is told; what they hand in has been mended.
test.runIf(process.env.CI)("each mistake is found by the seed that is pinned for it", () => {
  expect(stale()).toEqual([]);
});

test("seventy mistakes and more are looked for, each by a name of its own", () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(mutants.length).toBeGreaterThanOrEqual(70);
});
