import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Mutant } from "../simulator/mutants.ts";
import type { Hunted } from "./hunt.ts";

const core = join(import.meta.dirname, "../..");
/** Inside of the package, so that what it depends on is found; outside of `node_modules`, where Node takes no TypeScript. */
const workshop = join(core, ".explored");
const run = promisify(execFile);

/** Explores a copy of the agent with one mistake in it, for so many seconds of a processor. */
export async function hunt(mutant: Mutant, seconds: number): Promise<Hunted> {
  const folder = join(workshop, mutant.name.replaceAll(/\W+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "test"), { recursive: true });
  try {
    cpSync(join(core, "src"), join(folder, "src"), { recursive: true });
    cpSync(join(core, "test/explorer"), join(folder, "test/explorer"), { recursive: true });
    makeMistake(join(folder, "src", mutant.file), mutant);
    const script = join(folder, "test/explorer/hunt.ts");
    const { stdout } = await run(process.execPath, ["--conditions=@liveplane/source", script, String(seconds)]);
    return JSON.parse(stdout) as Hunted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeMistake(path: string, { name, from, to }: Mutant): void {
  const source = readFileSync(path, "utf8");
  if (source.split(from).length !== 2) throw new Error(`"${name}" has no place, or several, in ${path}.`);
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
}
