import { carriesManagementTag } from "./comparison.ts";
import type { Evidence } from "./evidence.ts";
import type { Look, Wrote } from "./steps.ts";
import { isRefusedLate, tagsIn } from "./writes.ts";

type Tags = Readonly<Record<string, string>>;

/**
 * Whether a write does what an exact adoption may: it adds the management tag where no tag has its key, and changes nothing else. Where
 * nothing binds a write of tags, what counts is the process's last read.
 */
export function isAdoption(write: Wrote, evidence: Evidence): boolean {
  const { component, cloud, process, sent, change, declared } = write;
  const { operation, before, after } = change;
  if (operation !== "update" || before === null || after === null) return false;
  if (!declared.some(({ adoptsExactly }) => adoptsExactly)) return false;
  const isKey = (key: string) => (cloud.caselessTagKeys ? key.toLowerCase() : key) === "managed-by";
  const others = (tags: Tags) => Object.fromEntries(Object.entries(tags).filter(([key]) => !isKey(key)));
  const isFree = (tags: Tags) => !Object.keys(tags).some(isKey);
  const seen = evidence.sightings.of(process, [component.resource.id]).filter(({ order }) => order <= sent.order);
  const judged = isRefusedLate(write) ? before.tags : (tagsIn(seen.at(-1)) ?? before.tags);
  if (!isFree(judged) || !carriesManagementTag(after.tags, cloud)) return false;
  return isSame(others(after.tags), others(before.tags)) && isSame(after.parameters, before.parameters);
}

/** Whether a commit stores that an exact adoption has succeeded. From then on, the resource's own tags count. */
export function isAdoptedNow({ before, after }: Pick<Look, "before" | "after">): boolean {
  const { work, operation, provisioned } = before;
  return !provisioned && after.provisioned && [work?.kind, operation?.kind].includes("adopt");
}

function isSame(one: object, other: object): boolean {
  const sorted = (value: object) => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(one) === sorted(other);
}
