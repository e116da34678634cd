import type { Reading } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import type { Expectation } from "../agent/expectations.ts";
import { tagOwnerAllows } from "../agent/tag-owner.ts";
import type { Declared } from "../declarations/declaration.ts";
import type { ComponentRecord } from "../records/component-record.ts";

/** What happens to a component that was removed from its declaration, by a fresh reading. */
export type Fate = "delete" | "release" | "forget" | "unreadable" | "working";

/** Decides it; both the plan of a deploy and the deploy use this. */
export function fateOf(
  record: ComponentRecord,
  {
    declared,
    reading,
    managed,
  }: {
    readonly declared: Pick<Declared, "deletionPolicy">;
    readonly reading: Reading;
    readonly managed: boolean;
  },
): Fate {
  const neverMade = !record.provisioned && record.intent === null && record.resource.id !== null;
  if (reading.state === "missing" || neverMade) return "forget";
  // A failed resource without tags tells as little.
  if (reading.state === "unreadable" || (reading.state === "failed" && resourceOf(reading) === null))
    return "unreadable";
  // A person who took it over keeps it, even while the cloud is still working on it.
  if (reading.state === "working" && (managed || resourceOf(reading) === null)) return "working";
  return managed && declared.deletionPolicy === "Delete" ? "delete" : "release";
}

/**
 * A component without a tag shares the fate of its governor, which is deleted after it. If the governor is gone, nobody can tell who
 * controls the component.
 */
export async function isTagOwnerHeld(
  deps: AgentDeps,
  record: ComponentRecord,
  { declared, tagOwner }: Pick<Expectation, "declared" | "tagOwner">,
): Promise<boolean> {
  if (declared.overrideWith === null || record.status !== "Active") return false;
  return !(await tagOwnerAllows(tagOwner, deps, { whenMissing: true }));
}
