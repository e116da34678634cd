import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Mutant } from "./mutants.ts";

const sources = join(import.meta.dirname, "../../src");

/** Files of the core, each with what it imports of it; paths from `src`. */
function readImports(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return new Map(
    files.map((file) => {
      const source = readFileSync(join(sources, file), "utf8");
      const found = [...source.matchAll(/(?:from |import |import\()"(\.[^"]+)"/g)].map(([, specifier = ""]) =>
        relative(sources, join(sources, file, "..", specifier)),
      );
      return [file.replaceAll("\\", "/"), found];
    }),
  );
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
 * Loads a module of the core as it is with a mistake in it, beside the one without. What the mistake doesn't reach is shared, so that
 * forty mistakes cost little more than one.
 */
export async function loadPatched<Module>(mutant: Mutant, module = "testing/index.ts"): Promise<Module> {
  if (imports === null) {
    imports = readImports();
    registerHooks({ resolve, load });
  }
  mistaken(readFileSync(join(sources, mutant.file), "utf8"), mutant);
  const number = patches.push({ mutant, reached: reachedFrom(mutant.file, imports) }) - 1;
  const url = pathToFileURL(join(sources, module));
  url.searchParams.set("mutant", String(number));
  return (await import(url.href)) as Module;
}

type Hooks = NonNullable<Parameters<typeof registerHooks>[0]>;

const resolve: NonNullable<Hooks["resolve"]> = (specifier, context, next) => {
  const found = next(specifier, context);
  const number = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get("mutant");
  const patch = number === null ? undefined : patches[Number(number)];
  if (patch === undefined || number === null || !found.url.startsWith("file:")) return found;
  const url = new URL(found.url);
  if (!patch.reached.has(relative(sources, fileURLToPath(url)).replaceAll("\\", "/"))) return found;
  url.searchParams.set("mutant", number);
  return { ...found, url: url.href };
};

const load: NonNullable<Hooks["load"]> = (url, context, next) => {
  const loaded = next(url, context);
  const number = url.startsWith("file:") ? new URL(url).searchParams.get("mutant") : null;
  const patch = number === null ? undefined : patches[Number(number)];
  if (patch === undefined || fileURLToPath(url) !== join(sources, patch.mutant.file)) return loaded;
  return { ...loaded, source: mistaken(String(Buffer.from(loaded.source as Uint8Array)), patch.mutant) };
};

/** A source with the mistake in it. What was to be replaced stands there once, or the mistake is out of date. */
function mistaken(source: string, { name, file, from, to }: Mutant): string {
  if (source.split(from).length !== 2) throw new Error(`${name}: ${file} has this once no more:\n${from}`);
  return source.replace(from, () => to);
}
