import { quoted } from "../shell-words.ts";
import type { HandOver, TaggedResource } from "../tag-lines.ts";

/** The line for a simulated cloud's console, which takes all tags at once. */
export function simulatedLine(url: string, { provider, resourceId }: TaggedResource, what: HandOver): string | null {
  if (resourceId === null) return null;
  const tags = what === "take-over" ? {} : { "managed-by": "platform", platform: "reconcile" };
  const address = `${url}/simulator/${provider}/resources/${encodeURIComponent(resourceId)}/tags`;
  return `curl -sSf -X PUT ${quoted(address)} -H "authorization: Bearer $OPERATOR_TOKEN" -H 'content-type: application/json' -d ${quoted(JSON.stringify(tags))}`;
}
