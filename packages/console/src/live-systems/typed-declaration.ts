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
  const isJson = /^\s*([{[]|$)/.test(text);
  const read = isJson ? (JSON.parse(text) as SystemDeclaration) : await readYaml(text);
  const definition = await withOwnerIds(read, (word, type) => findOwner(api, word, type));
  return { definition, isChanged: !isJson || JSON.stringify(definition) !== JSON.stringify(read) };
}

/** In a file for the command line, `id` names an existing live system. */
async function readYaml(text: string): Promise<SystemDeclaration> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new RangeError(mistake.message.split("\n")[0]);
  const read: unknown = document.toJS({ maxAliasCount: 100 });
  if (typeof read !== "object" || read === null) throw new RangeError(words.notYaml);
  const { id: _id, $schema: _schema, ...declared } = read as SystemDeclaration & { id?: unknown; $schema?: unknown };
  return declared;
}
