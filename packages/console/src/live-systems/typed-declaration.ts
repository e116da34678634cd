import type { Api } from "@liveplane/client";
import { findOwner, withOwnerIds } from "@liveplane/client/owners";
import { typedText } from "../parts/typed-text.ts";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import type { SystemDeclaration } from "./declaration-changes.ts";

const words = liveSystemTexts.declaration;

/** A declaration as somebody typed it. */
export interface TypedDeclaration {
  readonly definition: SystemDeclaration;
  /** Whether what is sent isn't the text: it was YAML, or it named an owner. */
  readonly isChanged: boolean;
}

/** Reads a declaration in JSON or YAML. The service validates the content. In a file for the command line, `id` names an existing live system. */
export async function typedDeclaration(
  text: string,
  api: Pick<Api, "accounts" | "organizations" | "environments">,
): Promise<TypedDeclaration> {
  const read = await typedText(text);
  if (typeof read !== "object" || read === null) throw new RangeError(words.notYaml);
  const { id: _id, $schema: _schema, ...declared } = read as SystemDeclaration & { id?: unknown; $schema?: unknown };
  const definition = await withOwnerIds(declared, (word, type) => findOwner(api, word, type));
  return { definition, isChanged: JSON.stringify(definition) !== asJson(text) };
}

/** The text without its spaces, if it is JSON. */
function asJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}
