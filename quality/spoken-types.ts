import { join } from "node:path";
import ts from "typescript";

const source = `import { createClient } from "@liveplane/client";
const client = createClient({ baseUrl: "http://localhost:8080" });
client.environments.create;
client.accounts.activateById;
client.environments.update;
for await (const event of client.events.follow()) if (event.type === "component.corrected") event.data;
const at = { type: "Personal", ownerId: "o", shortName: "s" } as const;
client.environments.update(at, {}, { ifMatch: "1", idempotencyKey: "k" });
client.environments.list({ limit: 1, requestId: "request-1" });
`;

/** Calls with meaningless settings: each must be refused at the setting. */
const meaningless = `client.environments.get(at, { ifMatch: "1" });
client.environments.list({ ifNoneMatch: "*" });
client.organizations.permissions.grant({ organizationId: "o" }, {} as never, { ifMatch: "1" });
client.environments.get(at, { idempotencyKey: "k" });
client.accounts.issueServiceAccountSecret({}, { idempotencyKey: "k" });
client.environments.secrets.reveal({ ...at, secretShortName: "s" }, {}, { idempotencyKey: "k" });
client.sessions.create({ username: "u", password: "p" }, { idempotencyKey: "k" });
`;

/** What an editor shows for two operations to a user of the packages; fails if it shows nothing. */
export function readAsEditor(project: string): void {
  const file = join(project, "hovered.ts");
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, strict: true, types: [] };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot(name) {
      const text = name === file ? source + meaningless : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? source + meaningless : ts.sys.readFile(name)),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
  });
  const hover = (words: string) => service.getQuickInfoAtPosition(file, source.indexOf(words) + words.length - 1);
  const says = ts.displayPartsToString(hover("environments.create")?.documentation);
  if (!says.startsWith("Creates an environment"))
    throw new TypeError(`An editor says of environments.create: "${says}"`);
  if (!/Error codes: .*`AlreadyExists`/.test(says))
    throw new TypeError(`An editor shows no error codes of environments.create: "${says}"`);
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
  const refused = service.getSemanticDiagnostics(file).map(({ start = 0, messageText }) => {
    const line = (source + meaningless).slice(0, start).split("\n").length;
    return `${line} ${/'(\w+)' does not exist/.exec(ts.flattenDiagnosticMessageText(messageText, " "))?.[1]}`;
  });
  const begins = source.split("\n").length;
  const wanted = [...meaningless.matchAll(/(ifMatch|ifNoneMatch|idempotencyKey):/g)];
  if (refused.join() !== wanted.map(([, name], nth) => `${begins + nth} ${name}`).join())
    throw new TypeError(`Of settings without a meaning an editor refuses: ${refused.join(", ") || "none"}`);
}
