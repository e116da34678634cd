import type { Reading, SeenResource } from "../../ports/cloud.ts";
import { boundByOf } from "../../ports/resource-type.ts";
import type { Expectation } from "../agent/expectations.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { Difference } from "./drift.ts";
import type { Adoption } from "./lifecycle-row.ts";
import { goesByTagOwner, type TagPair, tagValue } from "./tags.ts";

/** What an adoption is judged by. */
interface Adoptable {
  readonly reading: Reading;
  readonly resource: SeenResource | null;
  readonly changes: readonly Difference[];
  /** Includes references without a value. */
  readonly differs: boolean;
}

const none = { state: "none" } as const;

/** Judges an exact adoption: it adds a missing management tag and writes nothing else. Pure. */
export function adoptionOf(
  record: Pick<ComponentRecord, "type" | "provisioned" | "status">,
  { cloud, declared, tagOwner }: Pick<Expectation, "cloud" | "declared" | "tagOwner">,
  { reading, resource, changes, differs }: Adoptable,
  tag: TagPair,
): Adoption {
  if (!declared.adoptsExactly || declared.leaving || record.provisioned || record.status !== "Active") return none;
  if (reading.state === "missing") return refused("There is no resource with this ID.", "NotFound");
  if (resource === null) return none;
  const isGoverned = goesByTagOwner(record, { declared, tagOwner });
  const value = isGoverned ? tag.value : tagValue(resource.tags, tag.key, cloud.capabilities);
  if (value !== undefined && value !== tag.value)
    return refused(`The resource has the tag ${tag.key} with another value. Release it there first.`);
  if (reading.state !== "present")
    return refused("The cloud hasn't finished its last operation on the resource, or it failed.");
  if (differs) return refused(differingAt(changes));
  if (value !== undefined) return none;
  if (boundByOf(cloud, record.type).tags === "none" && !declared.unconditionalWrites)
    return refused(
      "This type's tags can only be written with the whole resource. Set the tag yourself, or declare unconditionalWrites.",
    );
  return { state: "due" };
}

function refused(detail: string, code = "NotAdoptable"): Adoption {
  return { state: "refused", code, detail };
}

function differingAt(changes: readonly Difference[]): string {
  if (changes.length === 0) return "A reference in the declaration can't be resolved yet.";
  const named = changes.slice(0, 5).map(({ pointer }) => `/parameters${pointer}`);
  const more = changes.length > named.length ? ` and ${changes.length - named.length} more` : "";
  return `The resource differs from its declaration at ${named.join(", ")}${more}. Exact adoption changes nothing: declare what is there.`;
}
