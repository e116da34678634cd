import type { CloudLocation, CloudTarget, StepPlan } from "../../ports/cloud.ts";
import type { CloudCapabilities, TagRules } from "../../ports/cloud-capabilities.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { ParseResourceId, ParseScope } from "./resource-ids.ts";

/** One resource that an initialization creates. */
export interface StepFacts extends StepPlan {
  /** The name of the resource, derived from the name of the initialization. */
  readonly nameFor: (initialization: string) => string;
}

/** One resource that an initialization creates, named like the initialization unless `nameFor` says otherwise. */
export function initializationStep(
  name: string,
  description: string,
  resourceType: string,
  nameFor = (initialization: string) => initialization,
): StepFacts {
  return { name, description, resourceType, resourceName: null, nameFor };
}

/** What is known about a vendor's cloud without asking it: pure facts, shared by the real adapter and the simulated one. */
export interface CloudFacts {
  readonly tagParameter: CloudCapabilities["tagParameter"];
  readonly caselessTagKeys: boolean;
  readonly caselessIds: boolean;
  readonly deviceAuthorization: boolean;
  readonly tagRules: TagRules;
  /** The facts of a type; an unknown one gets the defaults. */
  readonly resourceType: (type: string) => ResourceType;
  /** The ID that a resource of this name would get. */
  readonly resourceIdFor: (type: string, name: string, target: CloudTarget) => string;
  /** Validates an ID that a person wrote. */
  readonly parseResourceId: ParseResourceId;
  /** Reads the ID of a place. */
  readonly parseScope: ParseScope;
  /** The type that an id tells, as far as it does. */
  readonly typeOf: (resourceId: string) => string | null;
  /** The unit in which the cloud counts calls to this ID for throttling. */
  readonly throttleScope: (resourceId: string) => string;
  /** The places where resources can be created. */
  readonly locations: (scope: string) => CloudLocation[];
  readonly steps: readonly StepFacts[];
}

/** Why a map of tags is refused, with the offending key; `null` if it is valid. */
export function tagsRefusal(
  facts: CloudFacts,
  tags: Readonly<Record<string, string>>,
): { key: string; detail: string } | null {
  const keys = Object.keys(tags);
  const extra = keys[facts.tagRules.most];
  if (extra !== undefined) return { key: extra, detail: `A resource can have at most ${facts.tagRules.most} tags.` };
  const seen = new Set<string>();
  for (const [key, value] of Object.entries(tags)) {
    const detail = facts.tagRules.refusal(key, value);
    if (detail !== null) return { key, detail };
    const same = tagKey(facts, key);
    if (seen.has(same)) return { key, detail: "The key occurs twice. This cloud ignores case in tag keys." };
    seen.add(same);
  }
  return null;
}

/** The form in which a cloud compares a tag's key. */
export function tagKey({ caselessTagKeys }: Pick<CloudFacts, "caselessTagKeys">, key: string): string {
  return caselessTagKeys ? key.toLowerCase() : key;
}

/** Tags with some set on top. A key that exists already, as the cloud compares keys, keeps its spelling. */
export function withTags(
  facts: Pick<CloudFacts, "caselessTagKeys">,
  tags: Readonly<Record<string, string>>,
  set: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const byKey = new Map(Object.entries(tags).map(([key, value]) => [tagKey(facts, key), [key, value] as const]));
  for (const [key, value] of Object.entries(set)) {
    const same = tagKey(facts, key);
    if (value === null) byKey.delete(same);
    else byKey.set(same, [byKey.get(same)?.[0] ?? key, value]);
  }
  return Object.fromEntries(byKey.values());
}
