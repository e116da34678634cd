import { quoted } from "../shell-words.ts";
import { type HandOver, handedBackTags, type TaggedResource, takenOverTags } from "../tag-lines.ts";
import type { CommandCall } from "./command.ts";

/** Changes tags in a simulated cloud. `false`: the caller isn't an operator, or signed in differently. */
export async function tagInSimulation(
  { url, api, token, host }: Pick<CommandCall, "url" | "api" | "token" | "host">,
  resource: TaggedResource,
  what: HandOver,
): Promise<boolean> {
  if (token === undefined || resource.resourceId === null) return false;
  const authorization = `Bearer ${typeof token === "string" ? token : await token()}`;
  const at = addressOf(url, resource, resource.resourceId);
  const found = await fetch(at, { headers: { authorization }, signal: host.signal });
  if (!found.ok) return false;
  const { tags } = (await found.json()) as { readonly tags: Readonly<Record<string, string>> };
  const after = what === "hand-back" ? handedBackTags(tags) : takenOverTags(resource, tags, await ownName(api));
  const { ok } = await fetch(`${at}/tags`, {
    method: "PUT",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(after),
    signal: host.signal,
  });
  return ok;
}

/** What the caller is called. */
async function ownName(api: CommandCall["api"]): Promise<string> {
  const { id } = await api.accounts.me();
  return (await api.names.find({ id: [id] })).items[0]?.name ?? id;
}

const addressOf = (url: string, { provider }: TaggedResource, resourceId: string) =>
  `${url}/simulator/${provider}/resources/${encodeURIComponent(resourceId)}`;

/** The command for an operator of a simulated cloud, which sets all tags at once. */
export function simulatedLine(url: string, resource: TaggedResource, what: HandOver): string | null {
  if (resource.resourceId === null) return null;
  const tags = what === "take-over" ? {} : handedBackTags({});
  const address = `${addressOf(url, resource, resource.resourceId)}/tags`;
  return `curl -sSf -X PUT ${quoted(address)} -H "authorization: Bearer $OPERATOR_TOKEN" -H 'content-type: application/json' -d ${quoted(JSON.stringify(tags))}`;
}
