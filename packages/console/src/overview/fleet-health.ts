import type { Api, LiveplaneEvent } from "@liveplane/client";

/** The health of one live system, as the service counts it. */
export type SystemHealth = Awaited<ReturnType<Api["liveSystems"]["health"]>>["items"][number];

type Health = keyof SystemHealth["counts"];

/** What somebody on call distinguishes. */
export const healthGroups = ["inSync", "busy", "drifted", "taken", "blocked", "failing", "missing"] as const;

export type HealthGroup = (typeof healthGroups)[number];

const groupOf: Readonly<Record<Health, HealthGroup>> = {
  InSync: "inSync",
  Working: "busy",
  NotProvisioned: "busy",
  Unknown: "busy",
  Leaving: "busy",
  ReconcileRequested: "busy",
  Differs: "drifted",
  Uncorrectable: "failing",
  Held: "taken",
  Overridden: "taken",
  AwaitingReconcileTag: "taken",
  Failing: "failing",
  Blocked: "blocked",
  Unreadable: "failing",
  Missing: "missing",
};

/** How many components are in each group. */
export type HealthCounts = Readonly<Record<HealthGroup, number>>;

const noCounts: HealthCounts = { inSync: 0, busy: 0, drifted: 0, taken: 0, blocked: 0, failing: 0, missing: 0 };

/** The counts of some live systems together. */
export function countsOf(systems: readonly Pick<SystemHealth, "counts">[]): HealthCounts {
  const counts = { ...noCounts };
  for (const system of systems) {
    for (const [health, count] of Object.entries(system.counts)) counts[groupOf[health as Health]] += count;
  }
  return counts;
}

export function totalOf(counts: HealthCounts): number {
  return healthGroups.reduce((total, group) => total + counts[group], 0);
}

/** How much needs a person: what differs, fails or is missing. A failed deploy does too. */
export function troublesIn(system: SystemHealth): number {
  const { drifted, failing, missing } = countsOf([system]);
  return drifted + failing + missing + (hasFailed(system) ? 1 : 0);
}

/** Whether the last deploy or deletion failed, and the agent may not have finished that deploy since. What people have is no part of it. */
export function hasFailed(system: Pick<SystemHealth, "counts" | "lastMutation">): boolean {
  const { lastMutation } = system;
  if (lastMutation?.status !== "Failed") return false;
  const { busy, drifted, blocked, failing } = countsOf([system]);
  return lastMutation.kind === "Delete" || busy + drifted + blocked + failing > 0;
}

/** The health of every live system that the person may see. */
export async function readFleet(api: Api, signal: AbortSignal, environment = ""): Promise<readonly SystemHealth[]> {
  const all: SystemHealth[] = [];
  const query = { limit: 200, signal, ...(environment !== "" && { environment }) };
  for await (const one of api.liveSystems.health.all(query)) all.push(one);
  return all;
}

/** Whether an event may change somebody's health. */
export function touchesHealth({ type }: Pick<LiveplaneEvent, "type">): boolean {
  return type.startsWith("component.") || type.startsWith("livesystem.");
}
