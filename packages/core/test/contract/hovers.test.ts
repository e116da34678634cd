import { fileURLToPath } from "node:url";
import { operationsById, takesIdempotencyKey, takesPreconditions } from "@liveplane/core/contract";
import ts from "typescript";
import { expect, test } from "vitest";

const file = fileURLToPath(new URL("./hovered.ts", import.meta.url));
const source = `import type { Api, Input, OperationId, Options } from "@liveplane/core/contract";
declare const api: Api;
type Offers<Setting> = { [Id in OperationId]: Setting extends keyof Options<Id> ? Id : never }[OperationId];
export type OffersVersions = Offers<"ifMatch">;
export type OffersKeys = Offers<"idempotencyKey">;
const environment = { type: "Personal", ownerId: "o", shortName: "dev" } as const;
const secret = api.environments.secrets.create(environment, { shortName: "db", value: "x" });
const page = api.environments.list();
const old = api.accounts.activateById({ accountId: "a" }, {});
type Given = Input<"environments.secrets.create">;
export { secret, page, old, type Given };
`;

/** What an editor shows at a place in the source above. */
function createEditor() {
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(fileURLToPath(new URL("../../../../tsconfig.json", import.meta.url)), ts.sys.readFile).config,
    ts.sys,
    fileURLToPath(new URL("../../../../", import.meta.url)),
  );
  const text = (name: string) => (name === file ? source : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    getCompilationSettings: () => config.options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const found = text(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => fileURLToPath(new URL("../../", import.meta.url)),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: text,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const at = (words: string) => source.indexOf(words) + words.length - 1;
  return {
    errors: () =>
      service.getSemanticDiagnostics(file).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
    hover(words: string) {
      const found = service.getQuickInfoAtPosition(file, at(words));
      const tags = (found?.tags ?? []).map(({ name, text: parts }) => `@${name} ${ts.displayPartsToString(parts)}`);
      return {
        type: ts.displayPartsToString(found?.displayParts),
        says: ts.displayPartsToString(found?.documentation),
        tags,
      };
    },
    /** The members of a union. */
    union(name: string): string[] {
      const program = service.getProgram();
      const declared = program
        ?.getSourceFile(file)
        ?.statements.find((one) => ts.isTypeAliasDeclaration(one) && one.name.text === name);
      const type = declared && program?.getTypeChecker().getTypeAtLocation(declared);
      return type?.isUnion() ? type.types.map((one) => (one.isStringLiteral() ? one.value : "")) : [];
    },
    definition: (words: string) =>
      service.getDefinitionAtPosition(file, at(words))?.map(({ fileName }) => fileName.split("/").at(-1)),
  };
}

const editor = createEditor();

test("the source that is hovered over compiles", () => {
  expect(editor.errors()).toEqual([]);
});

test("an operation's hover shows what its row says, with named types", () => {
  const { type, says } = editor.hover("api.environments.secrets.create");
  expect(says).toBe("Creates a secret.");
  expect(type).toContain("SecretInput");
  expect(type).toContain("Promise<Secret>");
  expect(type).not.toContain("...");
});

test("results are shown by their names", () => {
  expect(editor.hover("const secret").type).toBe("const secret: Promise<Secret>");
  expect(editor.hover("const page").type).toBe("const page: Promise<Page<Environment>>");
  expect(editor.hover("type Given").type).toBe('type Given = Input<"environments.secrets.create">');
});

test("a deprecated operation says so in the editor, and what to use instead", () => {
  const { says, tags } = editor.hover("api.accounts.activateById");
  expect(says).toBe("Activates an account by its ID.");
  expect(tags).toEqual(["@deprecated Use `accounts.activate`: the challenge says whose account it is."]);
});

test("going to an operation's definition leads to its row", () => {
  expect(editor.definition("api.environments.secrets.create")).toContain("environment-content-operations.ts");
});

test.each([
  ["ifMatch", "OffersVersions", takesPreconditions],
  ["idempotencyKey", "OffersKeys", takesIdempotencyKey],
] as const)("the types offer %s where the service honours it", (_, type, isTaken) => {
  const honoured = Object.values(operationsById).flatMap((row) => (isTaken(row) ? [row.id] : []));
  expect(honoured.length).toBeGreaterThan(30);
  expect(editor.union(type).toSorted()).toEqual(honoured.toSorted());
});
