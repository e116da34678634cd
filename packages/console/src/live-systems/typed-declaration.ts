import { liveSystemTexts } from "../texts/live-system-texts.ts";
import type { SystemDeclaration } from "./declaration-changes.ts";

/** A declaration as somebody typed it. */
export interface TypedDeclaration {
  readonly definition: SystemDeclaration;
  readonly isYaml: boolean;
}

/**
 * Reads typed text as JSON, or else as YAML, whose parser is loaded only then. The service validates the content. In a file for the command
 * line, `id` names an existing live system, and `me` is whoever is signed in.
 */
export async function typedDeclaration(text: string, ownId: string | null): Promise<TypedDeclaration> {
  if (/^\s*([{[]|$)/.test(text)) return { definition: JSON.parse(text) as SystemDeclaration, isYaml: false };
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new RangeError(mistake.message.split("\n")[0]);
  const read: unknown = document.toJS({ maxAliasCount: 100 });
  if (typeof read !== "object" || read === null) throw new RangeError(liveSystemTexts.declaration.notYaml);
  const { id: _id, $schema: _schema, ...declared } = read as SystemDeclaration & { id?: unknown; $schema?: unknown };
  const place = declared.environmentId as SystemDeclaration["environmentId"] | undefined;
  const isMine = place?.ownerId === "me" && ownId !== null;
  return { definition: isMine ? { ...declared, environmentId: { ...place, ownerId: ownId } } : declared, isYaml: true };
}
