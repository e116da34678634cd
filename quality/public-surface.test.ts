import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "..", "packages");

test("what the packages publish is what the snapshot says: a change to it is a change for everybody", async () => {
  const modules = publishedModules();
  const program = ts.createProgram([...modules.values()], options, ownAlone());
  const lines = [...modules].flatMap(([name, file]) => [
    name,
    ...exportsOf(program, file).map((line) => `  ${line}`),
    "",
  ]);
  await expect(lines.join("\n")).toMatchFileSnapshot("public-surface.txt");
}, 60_000);

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  customConditions: ["@liveplane/source"],
  allowImportingTsExtensions: true,
  jsx: ts.JsxEmit.Preserve,
  noEmit: true,
  noLib: true,
  types: [],
};

/** Reads only the workspace's sources: the names and kinds of exports don't need installed packages. */
function ownAlone(): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const isOwn = (module: string) => /^[.#]|^@liveplane\//.test(module);
  const resolve = (module: string, from: string) =>
    ts.resolveModuleName(module, from, options, host, undefined, undefined, ts.ModuleKind.ESNext);
  return {
    ...host,
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) => (isOwn(text) ? resolve(text, from) : { resolvedModule: undefined })),
  };
}

/** The source of each published module, by its import specifier. */
function publishedModules(): Map<string, string> {
  const modules = new Map<string, string>();
  for (const folder of readdirSync(packages).sort()) {
    const { name, exports } = JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"));
    for (const [path, target] of Object.entries<string | Record<string, string>>(exports)) {
      if (typeof target === "string") continue;
      modules.set(name + path.slice(1), join(packages, folder, target["@liveplane/source"] ?? ""));
    }
  }
  return modules;
}

function exportsOf(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) return ["nothing"];
  return checker
    .getExportsOfModule(module)
    .map((symbol) => {
      const { flags } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return `${kindOf(flags)} ${symbol.name}`;
    })
    .sort();
}

function kindOf(flags: ts.SymbolFlags): string {
  if (flags & ts.SymbolFlags.Class) return "class";
  if (flags & ts.SymbolFlags.Function) return "function";
  if (flags & ts.SymbolFlags.Variable) return "const";
  return flags & ts.SymbolFlags.Interface ? "interface" : "type";
}
