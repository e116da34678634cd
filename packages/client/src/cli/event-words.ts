import { isSeenByAgent } from "../seen-by-agent.ts";
import type { InNames } from "./names.ts";
import { ownMember } from "./own-member.ts";

/** Who did what an event reports. What the agent only saw, a person did, whom the resource's tag may name. */
export function byWhom(event: { readonly [member in "actor" | "type" | "data"]?: unknown }): string {
  if (!isSeenByAgent(event)) return String(event.actor);
  const owner = ownMember(event.data, "owner");
  return `${typeof owner === "string" ? owner : "somebody unknown"}, seen by the agent`;
}

/** What an event is about. A grant's subject is the place where it holds, so the permission and who has it are added. */
export function ofWhat(event: { readonly [member in "subject" | "type" | "data"]?: unknown }): string {
  const { subject, type, data } = event;
  if (type !== "permission.granted" && type !== "permission.revoked") return String(subject);
  return `${subject}, ${ownMember(data, "permissionType")} for ${ownMember(data, "principalId")}`;
}

/** An event as a line: when, what, of what, and by whom. */
export async function eventLine(
  event: { readonly [member in "time" | "type" | "subject" | "actor" | "data"]?: unknown },
  inNames: InNames,
): Promise<string> {
  const [subject, by] = await inNames([ofWhat(event), byWhom(event)]);
  return `${event.time}  ${event.type}  ${subject}  ${by}`;
}
