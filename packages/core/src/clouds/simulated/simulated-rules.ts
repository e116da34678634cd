import { toInstant } from "../../encoding.ts";
import { LiveplaneError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../json-pointer.ts";
import type { InitializationRequest, NewResource, Reading, ResourceChange, SeenResource } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import { type CloudFacts, tagKey, tagsRefusal, withTags } from "../facts/cloud-facts.ts";
import { secondOf, topOf, withValueAt, withValuesAt } from "./json-edits.ts";
import type { SimulatedResource } from "./simulated-resources.ts";

/** The etag of a resource: new after each change, and for each incarnation. */
export function etagOf({ identity, revision }: SimulatedResource): string {
  return `${identity.slice(0, 8)}-${revision}`;
}

/** A resource after its own change. */
export function moved(
  resource: SimulatedResource,
  change: Partial<Pick<SimulatedResource, "tags" | "parameters" | "type">>,
): SimulatedResource {
  return { ...resource, ...change, revision: resource.revision + 1 };
}

/** The outputs: `id`, `name`, and every scalar top-level parameter. */
export function outputsOf({ resourceId, name, parameters }: SimulatedResource): Record<string, Json> {
  const scalars = Object.entries(parameters).filter(([, value]) => value === null || typeof value !== "object");
  return { ...Object.fromEntries(scalars), id: resourceId, name };
}

/** The resource without a tag, or the same object if it doesn't have the tag. */
export function withoutTag(facts: CloudFacts, resource: SimulatedResource, key: string): SimulatedResource {
  const present = Object.keys(resource.tags).some((own) => tagKey(facts, own) === tagKey(facts, key));
  return present ? moved(resource, { tags: withTags(facts, resource.tags, { [key]: null }) }) : resource;
}

/** The resource of an initialization step. Its ID depends only on the names, so repeating the step finds it. */
export function stepResource(
  facts: CloudFacts,
  step: string,
  { name, target, tags }: Pick<InitializationRequest, "name" | "target" | "tags">,
): NewResource & { readonly resourceId: string } {
  const plan = facts.steps.find((one) => one.name === step);
  if (plan === undefined || plan.resourceType === null) {
    throw new LiveplaneError("ProviderError", "There is no such step.");
  }
  const type = plan.resourceType;
  const resourceName = plan.nameFor(name);
  return {
    type,
    name: resourceName,
    resourceId: facts.resourceIdFor(type, resourceName, { ...target, container: name }),
    target,
    parameters: { location: target.region },
    tags: facts.resourceType(type).taggable ? tags : {},
    intent: `${name}/${step}`,
  };
}

/** Splits declared parameters as the cloud stores them: declared tags become tags, and values that are never returned are dropped. */
export function splitParameters(
  facts: CloudFacts,
  type: string,
  parameters: JsonObject,
): { tags: Record<string, string | null>; parameters: JsonObject } {
  const { writeOnly } = facts.resourceType(type);
  const kept = Object.entries(parameters).filter(
    ([name, value]) => value !== null && name !== facts.tagParameter && !writeOnly.includes(name),
  );
  const declared = parameters[facts.tagParameter];
  return { tags: isObject(declared) ? asTags(declared) : {}, parameters: Object.fromEntries(kept) };
}

/** What a read shows of a resource at this time. */
export function readingOf(
  resource: SimulatedResource | null,
  { now, seen: seenIn }: { readonly now: number; readonly seen: (resource: SimulatedResource) => SeenResource },
): Reading {
  if (resource === null || resource.underway?.hidden) return { state: "missing" };
  const { underway, failed } = resource;
  const seen = seenIn(resource);
  if (underway !== undefined) {
    const since = toInstant(underway.since);
    return { state: "working", resource: seen, since, progress: progressOf(underway, now) };
  }
  return failed === undefined ? { state: "present", ...seen } : { state: "failed", ...failed, resource: seen };
}

/** The progress of a write, in percent. */
export function progressOf({ since, until }: { readonly since: number; readonly until: number }, now: number): number {
  return Math.max(0, Math.min(99, Math.floor(((now - since) / (until - since)) * 100)));
}

/** A resource as reads and write answers show it. */
export function seenResource(
  resource: SimulatedResource,
  has: { readonly isEtagged: (type: string) => boolean; readonly identities: boolean },
): SeenResource {
  return {
    tags: resource.tags,
    parameters: resource.parameters,
    outputs: outputsOf(resource),
    ...(has.identities && { identity: resource.identity }),
    ...(has.isEtagged(resource.type) && { etag: etagOf(resource) }),
  };
}

/** A new resource, refused where the vendor would refuse it. */
export function newResource(facts: CloudFacts, resource: NewResource, identity: string): SimulatedResource {
  const { type, name, target, intent } = resource;
  const split = splitParameters(facts, type, resource.parameters);
  const tags = withTags(facts, withTags(facts, {}, split.tags), resource.tags);
  refuseTags(facts, type, tags);
  const resourceId = resource.resourceId ?? facts.resourceIdFor(type, name, target);
  return { resourceId, type, name, identity, revision: 1, intent, tags, parameters: split.parameters };
}

/** The resource after a correction: parameters by pointer, tags key by key. */
export function correctedResource(
  facts: CloudFacts,
  resource: SimulatedResource,
  change: ResourceChange,
): SimulatedResource {
  const { immutable } = facts.resourceType(resource.type);
  const isOfTags = ({ pointer }: { readonly pointer: string }) => topOf(pointer) === facts.tagParameter;
  const own = change.parameters.filter((one) => !isOfTags(one));
  const parameters = withValuesAt(resource.parameters, own);
  for (const name of immutable) {
    if (JSON.stringify(parameters[name]) !== JSON.stringify(resource.parameters[name]))
      throw new LiveplaneError("ProviderError", `The parameter ${name} cannot change once the resource exists.`);
  }
  let tags: Record<string, string> = { ...resource.tags };
  for (const { pointer, value } of change.parameters.filter(isOfTags)) {
    const next = withValueAt({}, pointer, value);
    tags = withTags(facts, tags, tagEdits(next[facts.tagParameter], pointer, value));
  }
  tags = withTags(facts, tags, change.tags);
  refuseTags(facts, resource.type, tags);
  return moved(resource, { parameters: splitParameters(facts, resource.type, parameters).parameters, tags });
}

/** A pointer into the declared tags names one tag or the whole map; only the named tags are set. */
function tagEdits(declared: Json | undefined, pointer: string, value: Json): Record<string, string | null> {
  const key = secondOf(pointer);
  if (key !== null && value === null) return { [key]: null };
  return isObject(declared) ? asTags(declared) : {};
}

function asTags(declared: JsonObject): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(declared).map(([key, value]) => [key, value === null ? null : String(value)]),
  );
}

function refuseTags(facts: CloudFacts, type: string, tags: Readonly<Record<string, string>>): void {
  if (Object.keys(tags).length === 0) return;
  if (!facts.resourceType(type).taggable)
    throw new LiveplaneError("ProviderError", "Resources of this type can't have tags.");
  const refusal = tagsRefusal(facts, tags);
  if (refusal !== null) throw new LiveplaneError("ProviderError", refusal.detail);
}
