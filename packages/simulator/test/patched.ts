import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Simulator from "../src/index.ts";
import type { Mutant } from "./mutant.ts";

const simulator = join(import.meta.dirname, "../src");
const core = join(import.meta.dirname, "../../core/src");

/** The files of the simulator and of the core, each with those of them that it imports. */
function readImports(): ReadonlyMap<string, readonly string[]> {
  const files = [simulator, core].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  return new Map(
    files
      .filter((file) => file.endsWith(".ts"))
      .map((file) => {
        const found = readFileSync(file, "utf8").matchAll(/(?:from |import |import\()"((?:\.|@liveplane\/)[^"]+)"/g);
        return [file, [...found].map(([, specifier = ""]) => fileOf(specifier, file))];
      }),
  );
}

function fileOf(specifier: string, importer: string): string {
  return specifier.startsWith(".") ? join(importer, "..", specifier) : fileURLToPath(import.meta.resolve(specifier));
}

/** The files that a change of one reaches: it, and whatever imports it, however far away. */
function reachedFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([file]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const [importer, imported] of imports) if (imported.some((one) => reached.has(one))) reached.add(importer);
  }
  return reached;
}

/** A mistake that is made to the sources as they are loaded, and what it reaches. */
interface Patch {
  readonly mutant: Mutant;
  readonly reached: ReadonlySet<string>;
}

const patches: Patch[] = [];
let imports: ReadonlyMap<string, readonly string[]> | null = null;

/**
 * Loads the simulator over a core with a mistake in it, beside the one without. Both share what the mistake doesn't reach, so that
 * many mistakes cost little more than one.
 */
export async function loadPatched(mutant: Mutant): Promise<typeof Simulator> {
  if (imports === null) {
    imports = readImports();
    registerHooks({ resolve, load });
  }
  const file = join(core, mutant.file);
  mistaken(readFileSync(file, "utf8"), mutant);
  const number = patches.push({ mutant, reached: reachedFrom(file, imports) }) - 1;
  const url = pathToFileURL(join(simulator, "index.ts"));
  url.searchParams.set("mutant", String(number));
  return (await import(url.href)) as typeof Simulator;
}

type Hooks = NonNullable<Parameters<typeof registerHooks>[0]>;

const resolve: NonNullable<Hooks["resolve"]> = (specifier, context, next) => {
  const found = next(specifier, context);
  const number = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get("mutant");
  const patch = number === null ? undefined : patches[Number(number)];
  if (patch === undefined || number === null || !found.url.startsWith("file:")) return found;
  const url = new URL(found.url);
  if (!patch.reached.has(fileURLToPath(url))) return found;
  url.searchParams.set("mutant", number);
  return { ...found, url: url.href };
};

const load: NonNullable<Hooks["load"]> = (url, context, next) => {
  const loaded = next(url, context);
  const number = url.startsWith("file:") ? new URL(url).searchParams.get("mutant") : null;
  const patch = number === null ? undefined : patches[Number(number)];
  if (patch === undefined || fileURLToPath(url) !== join(core, patch.mutant.file)) return loaded;
  return { ...loaded, source: mistaken(String(Buffer.from(loaded.source as Uint8Array)), patch.mutant) };
};

/** A source with the mistake in it. What was to be replaced stands there once, or the mistake is out of date. */
function mistaken(source: string, { name, file, from, to }: Mutant): string {
  if (source.split(from).length !== 2)
    throw new Error(`${name}: ${file} no longer contains this exactly once:\n${from}`);
  return source.replace(from, () => to);
}
