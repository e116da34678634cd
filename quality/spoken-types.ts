import { join } from "node:path";
import ts from "typescript";

const source = `import { createClient } from "@liveplane/client";
const client = createClient({ baseUrl: "http://127.0.0.1:8080" });
client.environments.create;
client.accounts.activateById;
client.environments.update;
for await (const event of client.events.follow()) if (event.type === "component.corrected") event.data;
`;

/** What an editor says of two operations to whoever has installed the packages: fails where it says nothing. */
export function readAsEditor(project: string): void {
  const file = join(project, "hovered.ts");
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true, types: [] };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot(name) {
      const text = name === file ? source : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? source : ts.sys.readFile(name)),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
  });
  const hover = (words: string) => service.getQuickInfoAtPosition(file, source.indexOf(words) + words.length - 1);
  const says = ts.displayPartsToString(hover("environments.create")?.documentation);
  if (!says.startsWith("Creates an environment"))
    throw new TypeError(`An editor says of environments.create: "${says}"`);
  const old = hover("accounts.activateById")?.tags?.map(({ name }) => name) ?? [];
  if (!old.includes("deprecated"))
    throw new TypeError("An editor doesn't say that accounts.activateById is deprecated.");
  const shape = (words: string) => ts.displayPartsToString(hover(words)?.displayParts);
  for (const [words, shown] of [
    ["environments.update", "readonly shortName: string;"],
    ["environments.update", "readonly ifMatch?: string"],
    ["event.data", "readonly pointers: readonly string[];"],
  ] as const)
    if (!shape(words).includes(shown)) throw new TypeError(`An editor shows ${words} as ${shape(words)}`);
  const at = source.indexOf("client.environments.") + "client.environments.".length;
  const offered = service.getCompletionsAtPosition(file, at, undefined)?.entries.map(({ name }) => name) ?? [];
  if (!offered.includes("secrets")) throw new TypeError("An editor doesn't offer what environments have.");
}
