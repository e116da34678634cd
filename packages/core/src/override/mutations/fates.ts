import type { Reading } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import type { Expectation } from "../agent/expectations.ts";
import { tagOwnerAllows } from "../agent/tag-owner.ts";
import type { Declared } from "../declarations/declaration.ts";
import type { ComponentRecord } from "../records/component-record.ts";

/** What a fresh reading says must become of a component that left its declaration. */
export type Fate = "delete" | "release" | "forget" | "unreadable" | "working";

/** What becomes of a component that is taken away: the plan of a deploy and the deploy go by it. */
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
  if (reading.state === "unreadable") return "unreadable";
  // Anyone who took it over has it, whatever the cloud is still at.
  if (reading.state === "working" && (managed || resourceOf(reading) === null)) return "working";
  return managed && declared.deletionPolicy === "Delete" ? "delete" : "release";
}

/**
 * A component that carries no tag of its own goes the way of the one that stands for it, which goes after it; where that one isn't
 * there any more, nobody can tell whose it is.
 */
export async function isTagOwnerHeld(
  deps: AgentDeps,
  record: ComponentRecord,
  { declared, tagOwner }: Pick<Expectation, "declared" | "tagOwner">,
): Promise<boolean> {
  if (declared.overrideWith === null || record.status !== "Active") return false;
  return !(await tagOwnerAllows(tagOwner, deps, { whenMissing: true }));
}
