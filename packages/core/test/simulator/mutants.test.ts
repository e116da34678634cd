import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { type Mutant, mutants } from "./mutants.ts";

const core = join(import.meta.dirname, "../..");
/** Inside of the package, so that what it depends on is found; outside of `node_modules`, where Node takes no TypeScript. */
const workshop = join(core, ".mutants");
const run = promisify(execFile);

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

/** A copy of the sources with one mistake in it. */
function made({ file, from, to }: Mutant, at: number): string {
  const folder = join(workshop, String(at));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "test/simulator"), { recursive: true });
  cpSync(join(core, "src"), join(folder, "src"), { recursive: true });
  cpSync(join(core, "test/simulator/hunt.ts"), join(folder, "test/simulator/hunt.ts"));
  const path = join(folder, "src", file);
  const source = readFileSync(path, "utf8");
  expect(source.split(from), `${file} has this once:\n${from}`).toHaveLength(2);
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  return join(folder, "test/simulator/hunt.ts");
}

describe("a mistake in the agent is found by the simulator", { concurrent: true }, () => {
  test.each(mutants.map((mutant, at) => ({ at, ...mutant })))("$name", { timeout: 600_000 }, async (mutant) => {
    const hunt = made(mutant, mutant.at);
    const { stdout } = await run(process.execPath, ["--conditions=@liveplane/source", hunt, "1", "2000"]);
    const { caught } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(caught).not.toBeNull();
    if (process.env.LIVEPLANE_SHOW_CAUGHT) console.log(mutant.name, caught.seed, caught.invariant);
  });
});
