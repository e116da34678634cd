import type { Reading } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import type { Expectation } from "../agent/expectations.ts";
import { askTagOwner, type TagOwnerWord } from "../agent/tag-owner.ts";
import type { Declared } from "../declarations/declaration.ts";
import { goesByTagOwner } from "../protocol/tags.ts";
import type { ComponentRecord } from "../records/component-record.ts";

/** What happens to a component that was removed from its declaration, by a fresh reading. */
export type Fate = "delete" | "release" | "forget" | "unreadable" | "working";

/** Decides it; both the plan of a deploy and the deploy use this. */
export function fateOf(
  record: ComponentRecord,
  {
    declared,
    reading,
    managementTag,
    tagOwner,
  }: {
    readonly declared: Pick<Declared, "deletionPolicy">;
    readonly reading: Reading;
    readonly managementTag: boolean;
    readonly tagOwner: TagOwnerWord;
  },
): Fate {
  const neverMade = !record.provisioned && record.intent === null && record.resource.id !== null;
  if (reading.state === "missing") return "forget";
  if (neverMade) return resourceOf(reading) === null ? "forget" : "release";
  // A failed resource without tags tells as little.
  const isUnreadable = reading.state === "unreadable" || (reading.state === "failed" && resourceOf(reading) === null);
  if (isUnreadable || tagOwner === "unreadable") return "unreadable";
  const managed = managementTag && tagOwner === "managed";
  // A person who took it over keeps it, even while the cloud is still working on it.
  if (reading.state === "working" && (managed || resourceOf(reading) === null)) return "working";
  return managed && declared.deletionPolicy === "Delete" ? "delete" : "release";
}

/** A component without a tag shares the fate of its tag owner, which is deleted after it. A missing tag owner holds nothing back. */
export async function fateOfTagOwner(
  deps: AgentDeps,
  record: ComponentRecord,
  { declared, tagOwner }: Pick<Expectation, "declared" | "tagOwner">,
): Promise<TagOwnerWord> {
  if (!goesByTagOwner(record, { declared, tagOwner })) return "managed";
  return askTagOwner(tagOwner, deps, { whenMissing: () => "managed" });
}
