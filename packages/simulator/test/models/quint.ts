import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const models = join(import.meta.dirname, "../../models");
const require = createRequire(import.meta.url);
const quintPackage = require.resolve("@informalsystems/quint/package.json");
const quint = join(quintPackage, "../dist/src/cli.js");

/** Each invariant, and a mistake in the model that must break it. */
export const quintMistakes: Readonly<Record<string, string>> = {
  I1: "etag read after the decision",
  I2: "correction sets the tag",
  I3: "removes unverified",
  I4: "keeps old drift",
  I5: "ends without the tag",
  unreadable: "unreadable is untagged",
  I7: "ends silently",
  I8: "stores without comparing",
  I10: "corrects at the request",
  requestWritesNothing: "corrects at the request",
  I11: "sends what was superseded",
  I12: "deletes what is released",
  I14: "forgets the unreadable",
};

/** Random walks of the model. Each has forty steps. */
export interface Walk {
  readonly samples: number;
  readonly invariants: readonly string[];
  /** @default none */
  readonly mistake?: string;
}

/** Whether the invariants held in all walks. */
export async function walk({ samples, invariants, mistake = "none" }: Walk): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "liveplane-quint-"));
  try {
    const [lifecycle, component] = await Promise.all(
      ["lifecycle.qnt", "component.qnt"].map((file) => readFile(join(models, file), "utf8")),
    );
    await writeFile(join(folder, "lifecycle.qnt"), lifecycle ?? "");
    const planted = component?.replace('mistake = "none"', `mistake = "${mistake}"`) ?? "";
    await writeFile(join(folder, "component.qnt"), planted);
    const bounds = [`--max-samples=${samples}`, "--max-steps=40", "--seed=1"];
    const found = await run([join(folder, "component.qnt"), ...bounds, "--invariants", ...invariants]);
    if (found.includes("[ok] No violation found")) return true;
    if (found.includes("[violation] Found an issue")) return false;
    throw new Error(`Quint found neither a violation nor none: ${found}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A value in Quint's trace format. */
type Told = string | boolean | { readonly "#bigint": string };
type Fields = Readonly<Record<string, Told>>;

/**
 * What the model's lifecycle table says of every combination of facts, a line for each, in the words of the agent's table. Quint computes
 * for seconds, so the tests of a run share what it says of these very models.
 */
export async function quintTable(): Promise<string[]> {
  const kept = join(tmpdir(), `liveplane-quint-table-${await digestOfModels()}.json`);
  const known = await readFile(kept, "utf8").catch(() => null);
  if (known !== null) return JSON.parse(known) as string[];
  const table = await computedTable();
  // Whole or not at all: another process may read it at this moment.
  await writeFile(`${kept}.${process.pid}`, JSON.stringify(table));
  await rename(`${kept}.${process.pid}`, kept);
  return table;
}

async function digestOfModels(): Promise<string> {
  const hash = createHash("sha256").update(await readFile(quintPackage));
  for (const file of (await readdir(models)).filter((name) => name.endsWith(".qnt")).sort())
    hash.update(`${file}\n`).update(await readFile(join(models, file)));
  return hash.digest("hex").slice(0, 32);
}

async function computedTable(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "liveplane-quint-"));
  try {
    const file = join(folder, "table.itf.json");
    await run([join(models, "table.qnt"), "--max-samples=1", "--max-steps=0", `--out-itf=${file}`]);
    const { states } = JSON.parse(await readFile(file, "utf8")) as {
      states: [{ rows: { "#set": { "#tup": [Fields, Fields] }[] } }];
    };
    return states[0].rows["#set"].map(({ "#tup": [facts, row] }) => {
      const chosen = ["status", "seen", "returned", "policy", "adoption", "on", "rec", "drift", "reconciled", "deploy"];
      const decided = ["number", "status", "stays", "effect", "lost", "request", "ends", "awaiting", "again"];
      return `${line(facts, chosen)} = ${line(row, decided)}`;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What people did in a step that Quint drew, and the world after it. */
export interface DrawnStep {
  readonly deed: { readonly what: string; readonly on: boolean; readonly rec: boolean; readonly value: number };
  readonly world: {
    readonly resource: { readonly there: boolean; readonly on: boolean; readonly rec: boolean; readonly value: number };
    readonly record: { readonly status: string; readonly awaiting: string; readonly outcomes: readonly string[] };
  };
}

/** Traces of the model in which each pass runs to its end. */
export async function drawTraces({
  traces,
  steps,
}: {
  readonly traces: number;
  readonly steps: number;
}): Promise<DrawnStep[][]> {
  const folder = await mkdtemp(join(tmpdir(), "liveplane-quint-"));
  try {
    const bounds = [`--max-samples=${traces}`, `--n-traces=${traces}`, `--max-steps=${steps}`, "--seed=1"];
    await run([join(models, "played.qnt"), ...bounds, `--out-itf=${join(folder, "trace_{seq}.itf.json")}`]);
    const files = await readdir(folder);
    return await Promise.all(
      files.map(async (file) => {
        const { states } = JSON.parse(await readFile(join(folder, file), "utf8"), plainNumber) as {
          states: DrawnStep[];
        };
        return states;
      }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Numbers, as Quint's trace format writes them. */
function plainNumber(_name: string, value: unknown): unknown {
  const written = typeof value === "object" && value !== null ? Reflect.get(value, "#bigint") : undefined;
  return typeof written === "string" ? Number(written) : value;
}

function line(fields: Fields, names: readonly string[]): string {
  return names.map((name) => word(fields[name])).join(" ");
}

function word(value: Told | undefined): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "object" ? value["#bigint"] : String(value);
}

/** Quint exits with 1 after a violation, and says what it found. */
async function run(args: readonly string[]): Promise<string> {
  const all = [quint, "run", "--backend=typescript", "--verbosity=1", ...args];
  const ended = promisify(execFile)(process.execPath, all, { maxBuffer: 64 << 20 });
  const { stdout, stderr } = await ended.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
}
