import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");

/** A measurement of the sources: where, and how much. */
export interface Measured {
  readonly where: string;
  readonly lines: number;
}

/** The measured structure of the sources. */
export interface Structure {
  readonly files: readonly Measured[];
  /** Each function, without named functions inside it. */
  readonly functions: readonly Measured[];
  /** Each function with everything inside it. */
  readonly spans: readonly Measured[];
  /** Each folder under a `src`, with its files; `lines` counts them. */
  readonly folders: readonly Measured[];
  readonly lines: number;
  readonly commentLines: number;
  readonly testLines: number;
  /** Exported names with the files that declare them. An overload, or a type beside its value, counts once. */
  readonly homes: ReadonlyMap<string, readonly string[]>;
  readonly findings: ReadonlyMap<Finding, readonly string[]>;
}

/** What the sources must not contain. */
export type Finding = keyof typeof rules;

const banned = /^(utils?|helpers?|common|misc|types|base|impl|managers?)$/;
const todo = /\b(TODO|FIXME|XXX|HACK)\b/;

/** Rules that Biome and the compiler lack. Each checks one node of a syntax tree. */
const rules = {
  "bare Error": (node) =>
    ts.isNewExpression(node) &&
    /^(Type)?Error$/.test(node.expression.getText()) &&
    !node.getSourceFile().fileName.includes("/testing/"),
  "boolean in position": (node) => ts.isParameter(node) && isBoolean(node) && node.parent.parameters.indexOf(node) > 0,
} satisfies Record<string, (node: ts.Node) => boolean>;

/** A boolean parameter, by its type or its default. A function's first parameter is its subject, and may be one. */
function isBoolean({ type, initializer }: ts.ParameterDeclaration): boolean {
  const said = type !== undefined && ts.isUnionTypeNode(type) ? type.types : [type ?? initializer];
  const { BooleanKeyword, TrueKeyword, FalseKeyword } = ts.SyntaxKind;
  return said.some((node) => node !== undefined && [BooleanKeyword, TrueKeyword, FalseKeyword].includes(node.kind));
}

/** Measures the sources of the packages. */
export function measure(): Structure {
  const files = sourcesIn("src");
  const parsed = files.map(parse);
  const findings = new Map<Finding, string[]>();
  for (const source of parsed) {
    for (const [finding, holds] of Object.entries(rules) as [Finding, (node: ts.Node) => boolean][]) {
      const places = nodesOf(source)
        .filter(holds)
        .map((node) => place(source, node));
      findings.set(finding, [...(findings.get(finding) ?? []), ...places]);
    }
  }
  return {
    files: parsed.map((source) => ({ where: source.fileName, lines: source.getLineStarts().length - 1 })),
    functions: parsed.flatMap((source) => functionsOf(source, own)),
    spans: parsed.flatMap((source) => functionsOf(source, extent)),
    folders: foldersOf(files),
    lines: sum(parsed.map((source) => source.getLineStarts().length - 1)),
    commentLines: sum(parsed.map(commentLinesOf)),
    homes: homesOf(parsed),
    testLines: sum(sourcesIn("test").map((file) => parse(file).getLineStarts().length - 1)),
    findings,
  };
}

/** Comments that disable a check, and promises to come back. */
export function remarks(): string[] {
  const suppression = /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable/;
  return [...sourcesIn("src"), ...sourcesIn("test")].flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, at) => (suppression.test(line) || todo.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
  );
}

/** Files with meaningless names. */
export function emptyNames(): string[] {
  return [...sourcesIn("src"), ...sourcesIn("test")].filter((file) => banned.test(basename(file, ".ts")));
}

/** A quantile of a sorted list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function sourcesIn(folder: "src" | "test"): string[] {
  return readdirSync(join(root, "packages")).flatMap((name) => filesBelow(join(root, "packages", name, folder)));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return /\.tsx?$/.test(name) ? [relative(root, path)] : [];
  });
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ES2023, true);
}

function nodesOf(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (child: ts.Node) => {
    found.push(child);
    child.forEachChild(visit);
  };
  node.forEachChild(visit);
  return found;
}

/** Where each exported name is declared. Re-exports don't count. */
function homesOf(parsed: readonly ts.SourceFile[]): Map<string, string[]> {
  const homes = new Map<string, string[]>();
  for (const source of parsed) {
    const names = source.statements.filter(isExported).flatMap(declaredNames);
    for (const name of new Set(names)) homes.set(name, [...(homes.get(name) ?? []), source.fileName]);
  }
  return homes;
}

function isExported(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function declaredNames(node: ts.Node): string[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = node as ts.DeclarationStatement;
  return name === undefined ? [] : [name.text];
}

/** Functions with a body. */
function functionsOf(source: ts.SourceFile, linesOf: (source: ts.SourceFile, node: ts.Node) => number): Measured[] {
  return nodesOf(source).flatMap((node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body || !ts.isBlock(node.body as ts.Node)) return [];
    return [{ where: place(source, node), lines: linesOf(source, node) }];
  });
}

/** The lines of a function without its named inner functions. */
function own(source: ts.SourceFile, node: ts.Node): number {
  const inner = (child: ts.Node): number => {
    if (isNamedFunction(child)) return extent(source, child);
    let lines = 0;
    child.forEachChild((next) => {
      lines += inner(next);
    });
    return lines;
  };
  let lines = extent(source, node);
  node.forEachChild((child) => {
    lines -= inner(child);
  });
  return lines;
}

/** A declaration, a method, or an arrow function in a property. */
function isNamedFunction(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return true;
  return ts.isArrowFunction(node) && ts.isPropertyAssignment(node.parent);
}

function extent(source: ts.SourceFile, node: ts.Node): number {
  const line = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  return line(node.getEnd()) - line(node.getStart()) + 1;
}

function commentLinesOf(source: ts.SourceFile): number {
  return source.text.split("\n").filter((line) => /^\s*(\/\/|\/\*|\*)/.test(line)).length;
}

function foldersOf(files: readonly string[]): Measured[] {
  const folders = new Map<string, number>();
  for (const file of files) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
  return [...folders].map(([where, lines]) => ({ where, lines }));
}

function place(source: ts.SourceFile, node: ts.Node): string {
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/** ARCHITECTURE's description of the house: the folders in its table, and the words of the glossary. */
export function house(): { readonly folders: readonly string[]; readonly words: ReadonlySet<string> } {
  const [rooms = "", glossary = ""] = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split("## Glossary");
  const cells = [...rooms.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = ""]) => cell);
  const folders = cells.flatMap((cell) => [...cell.matchAll(/`([\w/-]+)\/`/g)].map(([, folder = ""]) => folder));
  const terms = [...glossary.matchAll(/\*\*([^*]+)\*\*/g)].map(([, term = ""]) => term);
  return {
    folders,
    words: new Set(
      terms.flatMap((term) => wordsOf(term.replace("API", "api").replace("ID", "id").replace("TOTP", "totp"))),
    ),
  };
}

/** The paths in the answers of CONTRIBUTING's "Where is …". */
export function answersOfContributing(): string[][] {
  const [, table = ""] = readFileSync(join(root, "CONTRIBUTING.md"), "utf8").split("## Where is …");
  const rows = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| [^|]+ \| ([^|]*`[^|]*) \|$/gm)];
  return rows.map(([, answer = ""]) => [...answer.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path));
}

/** Whether a path of CONTRIBUTING exists; it begins in the core unless it says otherwise. */
export function isThere(path: string): boolean {
  return existsSync(join(root, path)) || existsSync(join(root, "packages/core/src", path));
}

/** Each folder of the packages as ARCHITECTURE names it: the core's without the core. */
export function folderNames(): string[] {
  const sources = readdirSync(join(root, "packages")).map((name) => join("packages", name, "src"));
  const below = sources.flatMap((source) => foldersBelow(join(root, source)));
  return below.map((folder) =>
    relative(join(root, "packages"), folder)
      .replace("/src", "")
      .replace(/^core\//, ""),
  );
}

/** The words in the names of the core's files and exported types, each with how many use it. */
export function namedAfter(): ReadonlyMap<string, number> {
  const files = sourcesIn("src").filter((file) => /^packages\/core\/src\/(?!testing\/)/.test(file));
  const types = files
    .map(parse)
    .flatMap((source) =>
      source.statements.filter((node) => isExported(node) && declaresType(node)).flatMap(declaredNames),
    );
  const counts = new Map<string, number>();
  for (const name of new Set([...files.map((file) => basename(file, ".ts")), ...types]))
    for (const word of new Set(wordsOf(name))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function declaresType(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

function foldersBelow(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());
  return names.flatMap((name) => [join(folder, name), ...foldersBelow(join(folder, name))]);
}

/** The words of a name, in lower case and singular. */
function wordsOf(name: string): string[] {
  const apart = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return apart
    .split(/[^a-z]+/)
    .filter(Boolean)
    .map(singular);
}

function singular(word: string): string {
  if (/(ss|us)$/.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(ch|sh|ss|x)es$/, "$1")
    .replace(/s$/, "");
}
