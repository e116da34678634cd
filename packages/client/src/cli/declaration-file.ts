import { writeFile } from "node:fs/promises";
import type { AdoptionPlan, Api, LiveSystemDefinition } from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError, visible } from "@liveplane/core/errors";
import { Document, isMap, isNode, isScalar, isSeq, visit } from "yaml";
import { parsedText } from "../declaration-text.ts";
import { findOwner, withOwnerIds } from "../owners.ts";
import { UsageError } from "../usage-error.ts";
import type { CliHost } from "./host.ts";
import { readText } from "./input.ts";
import { listOf, ownMember } from "./own-member.ts";

/** Tells editors the schema of a file: the latest published one. */
const schemaAddress = "https://unpkg.com/@liveplane/client/declaration.schema.json";
const schemaLine = `# yaml-language-server: $schema=${schemaAddress}`;

/** A declaration as JSON. */
export function declarationJson(declaration: object): string {
  return JSON.stringify({ $schema: schemaAddress, ...declaration });
}

/** A declaration as the lines of a YAML file. What a terminal would obey is quoted, because only there an escape keeps its value. */
export function declarationLines(declaration: object): string[] {
  const document = new Document(declaration);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && visible(node.value) !== node.value) node.type = "QUOTE_DOUBLE";
    },
  });
  return [schemaLine, ...document.toString({ lineWidth: 0 }).trimEnd().split("\n")];
}

/** A declaration in a file: the live system and its definition. JSON is YAML too. */
export interface DeclarationFile {
  /** The live system's ID; `null` if it doesn't exist yet. */
  readonly id: string | null;
  readonly definition: LiveSystemDefinition;
  readonly document: Document;
  /** The text of the file. */
  readonly text: string;
}

/** The definition as it is sent. */
export function sentDefinition(
  api: Pick<Api, "accounts" | "organizations" | "environments">,
  { definition }: DeclarationFile,
): Promise<LiveSystemDefinition> {
  return withOwnerIds(definition, (word, type) => findOwner(api, word, type));
}

/**
 * The answer to a call with a declaration. An environment that isn't found is named as the file writes it, and what is wrong is placed in
 * the file.
 */
export async function answeredTo<T>(file: DeclarationFile, answer: Promise<T>): Promise<T> {
  const { definition } = file;
  try {
    return await answer;
  } catch (cause) {
    if (!isLiveplaneError(cause)) throw cause;
    if (cause.code !== "NotFound" || cause.details.errors?.[0]?.pointer !== "#/environmentId")
      throw placed(cause, file);
    const { type, ownerId, shortName } = definition.environmentId;
    const message = `There is no environment ${type}/${ownerId}/${shortName}, or you may not view it.`;
    throw new LiveplaneError("NotFound", message, { cause, requestId: cause.requestId });
  }
}

/** The same error, with the place of each violation as people find it: by the component's path, with the line. */
function placed(cause: LiveplaneError, file: DeclarationFile): LiveplaneError {
  const { code, message, details, requestId, status } = cause;
  if (details.errors === undefined) return cause;
  const errors = details.errors.map((one) =>
    typeof one.pointer === "string" ? { ...one, inFile: placeIn(file, one.pointer) } : one,
  );
  return new LiveplaneError(code, message, { cause, details: { ...details, errors }, requestId, status });
}

/** `web: parameters/size (line 12)`, or the pointer where no component is found; of a missing member, its parent's line. */
function placeIn({ document, definition, text }: DeclarationFile, pointer: string): string {
  const steps = pointer.split("/").slice(1);
  const [first, index = "", ...within] = steps;
  const path = first === "components" ? ownMember(listOf(definition.components)[Number(index)], "path") : undefined;
  const line = `(line ${text.slice(0, offsetOf(document, steps)).split("\n").length})`;
  if (typeof path !== "string" || path === "") return `${pointer} ${line}`;
  return within.length === 0 ? `${path} ${line}` : `${path}: ${within.join("/")} ${line}`;
}

/** Where the value at a pointer begins, with its name; where there is none, the nearest one around it. */
function offsetOf({ contents }: Document, steps: readonly string[]): number {
  let node: unknown = contents;
  let offset = 0;
  for (const step of steps) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && stepOf(String(key.value)) === step) : null;
    node = isSeq(node) ? node.items[Number(step)] : pair?.value;
    const begin = pair ? pair.key : node;
    if (isNode(begin)) offset = begin.range?.[0] ?? offset;
  }
  return offset;
}

/** A member's name as errors write it in pointers. */
const stepOf = (name: string) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Reads a declaration. What is wrong with its members is the service's to say, by their places. */
export async function openDeclaration(host: CliHost, file: string): Promise<DeclarationFile> {
  const text = await readText(host, file);
  const { document, value: read } = parsedText(text, file === "-" ? "Standard input" : file);
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new UsageError(`${file} isn't a declaration. It needs name, environmentId and components.`);
  // The schema line is only for editors.
  const { id = null, $schema: _, ...definition } = read as { id?: string | null; $schema?: string };
  return { id, definition: definition as unknown as LiveSystemDefinition, document, text };
}

/** Writes a new live system's ID at the top of its file, and leaves the rest unchanged. */
export async function writeId(file: string, { document, text }: DeclarationFile, id: string): Promise<void> {
  const { contents } = document;
  const [first] = isMap(contents) ? contents.items : [];
  const at = isScalar(first?.key) ? (first.key.range?.[0] ?? 0) : 0;
  const line = isMap(contents) && contents.flow === true ? `"id": "${id}", ` : `id: ${id}\n`;
  await writeFile(file, text.slice(0, at) + line + text.slice(at));
}

/** Writes a changed declaration with its comments and order, and the schema line at the top. */
export async function writeDeclaration(file: string, { document }: DeclarationFile): Promise<void> {
  const isJson = /\.json$/i.test(file);
  const text = isJson ? `${JSON.stringify(document, null, 2)}\n` : document.toString({ lineWidth: 0 });
  const isTold = isJson || text.includes("yaml-language-server:");
  await writeFile(file, isTold ? text : `${schemaLine}\n${text}`);
}

/** Applies a patch to a declaration, keeping comments and order. Returns how many places changed. */
export function keepIn(
  { document, definition }: Pick<DeclarationFile, "document" | "definition">,
  path: string,
  patch: AdoptionPlan["keepPatch"],
): number {
  const at = definition.components.findIndex((component) => component.path === path);
  if (at < 0) throw new UsageError(`The file doesn't declare the component ${path}.`);
  let kept = 0;
  for (const { op, path: pointer, value } of patch) {
    if (op !== "replace") continue;
    // Pointers start at the service's definition; the file may list its components in another order.
    const [, , , ...steps] = pointer.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    document.setIn(["components", at, ...steps], value);
    kept += 1;
  }
  return kept;
}
