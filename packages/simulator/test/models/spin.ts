import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const models = join(import.meta.dirname, "../../models");
const run = promisify(execFile);

/** What is verified: a model with its bounds and variants. */
export interface Proof {
  readonly model: "component" | "settled";
  /** `DEEDS=3`, `UNBOUND`. */
  readonly with: readonly string[];
  /** @default all assertions, and that nothing is stuck */
  readonly properties?: readonly string[];
  /** The search is so short that a faster one wouldn't make up for the time to compile it. */
  readonly isShort?: boolean;
}

/** What SPIN found. */
export interface Proved extends Search {
  readonly property: string;
}

/** One search, as SPIN reports it. */
interface Search {
  readonly holds: boolean;
  readonly states: number;
  readonly transitions: number;
  /** What didn't hold. */
  readonly broken: string | null;
}

/** The tools that are missing here. */
export function missingTools(): string[] {
  return ["spin", "gcc"].filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
}

/** Explores every state of a model within its bounds, once for each property. */
export async function* prove({ model, with: bounds, properties, isShort = false }: Proof): AsyncGenerator<Proved> {
  const cwd = await mkdtemp(join(tmpdir(), "liveplane-prove-"));
  try {
    await run("spin", [...bounds.map((name) => `-D${name}`), "-a", join(models, `${model}.pml`)], { cwd });
    const flags = properties === undefined ? ["-DSAFETY", "-DNOCLAIM"] : ["-DNFAIR=3"];
    await run("gcc", [isShort ? "-O0" : "-O1", "-w", "-DCOLLAPSE", ...flags, "-o", "pan", "pan.c"], { cwd });
    for (const property of properties ?? [undefined]) {
      const search = property === undefined ? [] : ["-a", "-f", "-N", property];
      const { stdout } = await run("./pan", ["-m2000000", ...search], { cwd, maxBuffer: 64 << 20 });
      yield { property: property ?? "assertions", ...readResult(stdout) };
    }
  } finally {
    await rm(cwd, { recursive: true });
  }
}

/** Reads SPIN's report. A search that was cut short proves nothing. */
export function readResult(report: string): Search {
  const number = (pattern: RegExp) => Number(pattern.exec(report)?.[1] ?? Number.NaN);
  const errors = number(/errors: (\d+)/);
  const broken = /^pan:\d+: (.*?)(?: \(at depth \d+\))?$/m.exec(report)?.[1] ?? null;
  const isWhole = errors === 0 && !/Search not completed|max search depth too small/.test(report);
  const states = number(/^ *(\d+(?:\.\d+e\+\d+)?) states, stored/m);
  return { holds: isWhole, states, transitions: number(/^ *(\d+(?:\.\d+e\+\d+)?) transitions/m), broken };
}

/** What the model's lifecycle table says of every combination of facts, a line for each. */
export async function modelTable(): Promise<string[]> {
  const { stdout } = await run("spin", ["-T", join(models, "table.pml")], { maxBuffer: 16 << 20 });
  return stdout.split("\n").filter((line) => line.includes(" = "));
}
