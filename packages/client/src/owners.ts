import type { Api, LiveSystemDefinition } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { UsageError } from "./usage-error.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The owner that a word names: an ID, a name, or `me` for the caller's own account. Only operators find other accounts by name, and a service
 * account sees no owners: it is told the ID to write.
 */
export async function findOwner(
  api: Pick<Api, "accounts" | "organizations" | "environments">,
  word: string,
  kind?: string,
): Promise<string> {
  try {
    return await seenOwner(api, word, kind);
  } catch (cause) {
    if (!isLiveplaneError(cause, "InsufficientScope")) throw cause;
    const { items } = await api.environments.list();
    const owners = [...new Set(items.filter(({ id }) => id.type === kind).map(({ id }) => id.ownerId))];
    const instead = owners.length === 0 ? "the owner's ID" : owners.join(" or ");
    throw new UsageError(
      `A service account can't tell which owner ${word} is. Write ${instead} instead; it works for people too.`,
      { cause },
    );
  }
}

async function seenOwner(
  api: Pick<Api, "accounts" | "organizations">,
  word: string,
  kind: string | undefined,
): Promise<string> {
  if (kind === "Organizational") return findOrganization(api, word);
  if (uuid.test(word)) return word;
  const { id, username, email } = await api.accounts.me();
  if (["me", username, email].includes(word)) return id;
  return kind === "Personal" ? findAccount(api, word) : word;
}

/** The organization for a word: its ID, or a unique name. */
export async function findOrganization({ organizations }: Pick<Api, "organizations">, word: string): Promise<string> {
  if (uuid.test(word)) return word;
  const found: string[] = [];
  for await (const { id, name } of organizations.list.all()) if (name === word) found.push(id);
  const [only, ...others] = found;
  if (only === undefined) throw new UsageError(`No organization is named ${word}.`);
  if (others.length > 0)
    throw new UsageError(`Several organizations are named ${word}. Use an ID: ${found.join(", ")}.`);
  return only;
}

/** The account for a word: its ID, its user name or its e-mail address. Only operators find others by name. */
export async function findAccount({ accounts }: Pick<Api, "accounts">, word: string): Promise<string> {
  if (word === "me") return (await accounts.me()).id;
  if (uuid.test(word)) return word;
  try {
    const { items } = await accounts.list(word.includes("@") ? { email: word } : { username: word });
    if (items[0] !== undefined) return items[0].id;
  } catch (cause) {
    if (!isLiveplaneError(cause, "PermissionDenied")) throw cause;
    throw new UsageError(`${word} isn't you. Only operators can name other accounts; use an ID.`, { cause });
  }
  throw new UsageError(`No account is named ${word}.`);
}

/** Finds an owner by a word and the type of what it owns. */
export type FindOwner = (word: string, type: string) => Promise<string>;

/** A declaration as it is sent: its owners are IDs, also where it names them. What else is wrong is the service's to say. */
export async function withOwnerIds(definition: LiveSystemDefinition, find: FindOwner): Promise<LiveSystemDefinition> {
  const { environmentId, resourceGroupId } = definition;
  if (typeof environmentId === "string")
    throw new UsageError(
      "environmentId needs type, ownerId and shortName, such as { type: Personal, ownerId: me, shortName: production }.",
    );
  const owned = async <Id extends { readonly ownerId: string }>(id: Id, type: string) =>
    typeof id.ownerId === "string" && id.ownerId !== "" ? { ...id, ownerId: await find(id.ownerId, type) } : id;
  return {
    ...definition,
    ...(environmentId && { environmentId: await owned(environmentId, environmentId.type) }),
    ...(resourceGroupId && { resourceGroupId: await owned(resourceGroupId, resourceGroupId.resourceGroupType) }),
  };
}
