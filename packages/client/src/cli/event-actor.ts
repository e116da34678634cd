import { ownMember } from "./own-member.ts";

/** What a person did in the cloud, and the agent only saw. The console's list of events knows the same ones. */
const seenByAgent = /^component\.(override\.(started|awaiting|drift_changed)|reconcile\.(requested|withdrawn))$/;

/** Who did what an event reports. What the agent only saw, a person did, whom the resource's tag may name. */
export function byWhom({ actor, type, data }: { readonly [member in "actor" | "type" | "data"]?: unknown }): string {
  if (actor !== "agent" || !seenByAgent.test(String(type))) return String(actor);
  const owner = ownMember(data, "owner");
  return typeof owner === "string" ? `${owner}, seen by the agent` : "seen by the agent";
}
