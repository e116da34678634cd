import type { InNames } from "./names.ts";
import { ownMember } from "./own-member.ts";

/** What a person did in the cloud, and the agent only saw. Differences change with the declaration, too. The console's list of events knows the same ones. */
const seenByAgent = /^component\.(override\.(started|awaiting)|reconcile\.(requested|withdrawn))$/;

/** Who did what an event reports. What the agent only saw, a person did, whom the resource's tag may name. */
export function byWhom({ actor, type, data }: { readonly [member in "actor" | "type" | "data"]?: unknown }): string {
  if (actor !== "agent" || !seenByAgent.test(String(type))) return String(actor);
  const owner = ownMember(data, "owner");
  return `${typeof owner === "string" ? owner : "somebody unknown"}, seen by the agent`;
}

/** An event as a line: when, what, of what, and by whom. */
export async function eventLine(
  event: { readonly [member in "time" | "type" | "subject" | "actor" | "data"]?: unknown },
  inNames: InNames,
): Promise<string> {
  const [subject, by] = await inNames([String(event.subject), byWhom(event)]);
  return `${event.time}  ${event.type}  ${subject}  ${by}`;
}
