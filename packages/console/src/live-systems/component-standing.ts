import type { Api } from "@liveplane/client";

/** A component, as the service shows it. */
export type SystemComponent = Awaited<ReturnType<Api["liveSystems"]["components"]["get"]>>;

/** How a component stands, in one word. */
export type ComponentStanding =
  | "leaving"
  | "taken"
  | "requested"
  | "unreadable"
  | "working"
  | "missing"
  | "unmade"
  | "failed"
  | "blocked"
  | "differs"
  | "same"
  | "unseen";

/** The one word that matters most of what is known of a component: first of all whether a person has it. */
export function standingOf({ leaving, status, conditions, working }: SystemComponent): ComponentStanding {
  const { readable, exists, inSync } = conditions;
  if (leaving) return "leaving";
  if (status === "ManualOverride") return "taken";
  if (status === "ReconcileRequested") return "requested";
  if (readable.value === false) return "unreadable";
  if (working !== null) return "working";
  if (inSync.reason === "ProvisioningFailed") return "failed";
  if (inSync.reason === "Blocked") return "blocked";
  if (exists.reason === "NotProvisioned") return "unmade";
  if (exists.value === false) return "missing";
  if (inSync.value === null) return "unseen";
  return inSync.value ? "same" : "differs";
}
