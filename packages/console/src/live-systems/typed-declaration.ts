import type { Api } from "@liveplane/client";
import { findOwner, withOwnerIds } from "@liveplane/client/owners";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import type { SystemDeclaration } from "./declaration-changes.ts";

const words = liveSystemTexts.declaration;

/** A declaration as somebody typed it. */
export interface TypedDeclaration {
  readonly definition: SystemDeclaration;
  /** Whether what is sent isn't the text: it was YAML, or it named an owner. */
  readonly isChanged: boolean;
}

/** Reads typed text as JSON, or else as YAML, whose parser is loaded only then. The service validates the content. */
export async function typedDeclaration(
  text: string,
  api: Pick<Api, "accounts" | "organizations">,
): Promise<TypedDeclaration> {
  const json = readJson(text);
  const read = json ?? (await readYaml(text));
  const definition = await withOwnerIds(read, (word, type) => findOwner(api, word, type));
  return { definition, isChanged: json === null || JSON.stringify(definition) !== JSON.stringify(read) };
}

/** `null`: it isn't JSON. The parser of YAML then says where the mistake is. */
function readJson(text: string): SystemDeclaration | null {
  try {
    return /^\s*[{[]/.test(text) ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** In a file for the command line, `id` names an existing live system. */
async function readYaml(text: string): Promise<SystemDeclaration> {
  const { parsedText } = await import("@liveplane/client/declaration-text");
  const { value: read } = parsedText(text);
  if (typeof read !== "object" || read === null) throw new RangeError(words.notYaml);
  const { id: _id, $schema: _schema, ...declared } = read as SystemDeclaration & { id?: unknown; $schema?: unknown };
  return declared;
}
