import type { Api } from "@liveplane/client";
import { liveSystemTexts } from "../texts/live-system-texts.ts";
import type { SystemDeclaration } from "./declaration-changes.ts";

const words = liveSystemTexts.declaration;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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
  const definition = await withOwnerIds(read, api);
  return { definition, isChanged: !isJson || definition !== read };
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

/** Replaces owners that are named, as the command line does: `me`, a user name, or the name of an organization. */
async function withOwnerIds(
  declared: SystemDeclaration,
  api: Pick<Api, "accounts" | "organizations">,
): Promise<SystemDeclaration> {
  const { environmentId: place, resourceGroupId: group } = declared;
  const [own, ofGroup] = [place?.ownerId, group?.ownerId];
  const [ownerId, groupOwnerId] = await Promise.all([
    isName(own) ? ownerNamed(own, place.type, api) : own,
    isName(ofGroup) ? ownerNamed(ofGroup, group?.resourceGroupType, api) : ofGroup,
  ]);
  if (ownerId === own && groupOwnerId === ofGroup) return declared;
  return {
    ...declared,
    ...(ownerId !== undefined && { environmentId: { ...place, ownerId } }),
    ...(group && groupOwnerId !== undefined && { resourceGroupId: { ...group, ownerId: groupOwnerId } }),
  };
}

/** Whether somebody typed a name where an ID belongs. What isn't text is the service's to refuse. */
const isName = (typed: unknown): typed is string => typeof typed === "string" && typed !== "" && !uuid.test(typed);

async function ownerNamed(
  name: string,
  type: string | undefined,
  { accounts, organizations }: Pick<Api, "accounts" | "organizations">,
): Promise<string> {
  if (type === "Organizational") {
    const found: string[] = [];
    for await (const one of organizations.list.all({ limit: 100 })) if (one.name === name) found.push(one.id);
    const [only] = found;
    if (only === undefined) throw new RangeError(words.noOwner(name));
    if (found.length > 1) throw new RangeError(words.manyOwners(name, found.join(", ")));
    return only;
  }
  const { id, username, email } = await accounts.me();
  if (["me", username, email].includes(name)) return id;
  throw new RangeError(words.noOwner(name));
}
