import {
  type Cloud,
  type CloudCall,
  isObject,
  type JsonObject,
  type ResourceChange,
  type ResourceRef,
  secondOf,
  topOf,
  valueAt,
  type WriteCondition,
  type Written,
  withValuesAt,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { type PlacedAwsResource, placedAws } from "./aws-ids.ts";
import { patchBetween } from "./aws-patches.ts";
import { progressIn, writtenBy } from "./aws-progress.ts";
import { currentAws } from "./aws-reads.ts";
import { givenUp, tagIsGone } from "./aws-refusals.ts";
import type { AwsRequests } from "./aws-requests.ts";
import { awsTagsIn, type PatchStep, tagSteps, tagTest } from "./aws-tags.ts";
import { awsType, tagParameter } from "./aws-types.ts";

export interface AwsWriteDeps {
  readonly requests: AwsRequests;
  readonly now: () => number;
  /** Whether resources of CloudFormation stacks are written. */
  readonly stacks: "refuse" | "write";
}

/** Tags by key; `null` removes one. */
type TagValues = Readonly<Record<string, string | null>>;

/** The steps that a change needs. */
type Work = (properties: JsonObject, of: PlacedAwsResource) => readonly PatchStep[];

/** How existing resources are written. AWS answers each write with a request to follow. */
export function awsWrites({ requests, now, stacks }: AwsWriteDeps): Pick<Cloud, "update" | "remove" | "removeTag"> {
  /** The resource, with the steps that test the tag in the condition. */
  async function tested(ref: ResourceRef, { tag }: WriteCondition, call: CloudCall) {
    const of = placedAws(ref);
    const properties = await currentAws(requests, of, call);
    if (stacks === "refuse") refuseOfStack(properties, of);
    const { tags } = of.kind;
    const tests = tag === undefined || tags === undefined ? [] : tagTest(tags, properties, tag);
    if (tests === null) throw tagIsGone();
    return { of, properties, tests };
  }

  /** Writes tags by AWS's call for tags: a patch of these types would need what AWS never shows. */
  async function tagged(ref: ResourceRef, values: TagValues, condition: WriteCondition, call: CloudCall) {
    const { of, properties } = await tested(ref, condition, call);
    const now = awsTagsIn(of.kind.tags, properties);
    const ResourceARNList = [String(properties.Arn)];
    const set = Object.entries(values).filter(([, value]) => value !== null);
    const removed = Object.keys(values).filter((key) => values[key] === null && key in now);
    const write = async (operation: string, input: JsonObject) => {
      const options = { place: of, call, changes: true };
      const { FailedResourcesMap } = await requests.call("tagging", operation, { ResourceARNList, ...input }, options);
      refuseFailedTags(FailedResourcesMap);
    };
    if (set.length > 0) await write("TagResources", { Tags: Object.fromEntries(set) });
    if (removed.length > 0) await write("UntagResources", { TagKeys: removed });
    return {};
  }

  /** Changes a resource by a patch that first tests the tag in the condition. */
  async function changed(ref: ResourceRef, work: Work, condition: WriteCondition, call: CloudCall): Promise<Written> {
    const { of, properties, tests } = await tested(ref, condition, call);
    const steps = work(properties, of);
    if (steps.length === 0) return {};
    const input = {
      TypeName: of.kind.type,
      Identifier: of.identifier,
      PatchDocument: JSON.stringify([...tests, ...steps]),
      ClientToken: crypto.randomUUID(),
    };
    const options = { place: of, call, changes: true };
    try {
      return writtenBy(progressIn(await requests.call("cloudcontrolapi", "UpdateResource", input, options), now()));
    } catch (error) {
      throw (await hasFailedTest(error, of, call, [...tests, ...steps])) ? tagIsGone() : error;
    }
  }

  /** Whether a patch was refused because what it tests has changed. AWS doesn't say which step failed, so the resource is read again. */
  async function hasFailedTest(error: unknown, of: PlacedAwsResource, call: CloudCall, steps: readonly PatchStep[]) {
    if (!isLiveplaneError(error, "ProviderError") || error.details.outcome === "unknown") return false;
    if (!/^(ValidationException|InvalidRequest(Exception)?)$/.test(String(error.details.reason))) return false;
    const properties = await currentAws(requests, of, call);
    return steps.some((step) => step.op === "test" && valueAt(properties, step.path) !== step.value);
  }

  return {
    update: (ref, change, condition, call) =>
      isTaggedApart(ref) && change.parameters.every(isOfTags)
        ? tagged(ref, tagValuesOf(change), condition, call)
        : changed(ref, (properties, of) => correction(properties, of, change), condition, call),
    removeTag: (ref, key, condition, call) => {
      if (isTaggedApart(ref)) return tagged(ref, { [key]: null }, condition, call);
      const work: Work = (properties, { kind }) => (kind.tags ? tagSteps(kind.tags, properties, { [key]: null }) : []);
      return changed(ref, work, condition, call);
    },
    async remove(ref, _condition, call) {
      const of = placedAws(ref);
      try {
        const properties = await currentAws(requests, of, call);
        if (stacks === "refuse") refuseOfStack(properties, of);
        const input = { TypeName: of.kind.type, Identifier: of.identifier, ClientToken: crypto.randomUUID() };
        const options = { place: of, call, changes: true };
        return writtenBy(progressIn(await requests.call("cloudcontrolapi", "DeleteResource", input, options), now()));
      } catch (error) {
        if (isLiveplaneError(error, "NotFound")) return {};
        throw error;
      }
    },
  };
}

/** Whether a type's patches need what AWS never shows, so that its tags alone are written by another call. */
function isTaggedApart({ type }: ResourceRef): boolean {
  return awsType(type).boundBy?.tags === "mask";
}

function refuseFailedTags(failures: unknown): void {
  const [failure] = isObject(failures) ? Object.values(failures).filter(isObject) : [];
  if (failure === undefined) return;
  const code = String(failure.ErrorCode);
  const details = { reason: code, providerCode: code, providerMessage: String(failure.ErrorMessage) };
  throw givenUp(code, { retryable: code === "InternalServiceException", details });
}

function isOfTags({ pointer }: { readonly pointer: string }): boolean {
  return topOf(pointer) === tagParameter;
}

/** The tags of a change; `null` removes one. */
function tagValuesOf({ parameters, tags }: ResourceChange): TagValues {
  const declared = parameters.filter(isOfTags).flatMap(({ pointer, value }) => {
    const key = secondOf(pointer);
    return key === null ? Object.entries(tagsFrom(value)) : [[key, value === null ? null : String(value)] as const];
  });
  return { ...Object.fromEntries(declared), ...tags };
}

function correction(properties: JsonObject, { kind }: PlacedAwsResource, change: ResourceChange): readonly PatchStep[] {
  const others = change.parameters.filter((one) => !isOfTags(one));
  const steps = patchBetween(properties, withValuesAt(properties, others));
  return kind.tags === undefined ? steps : [...steps, ...tagSteps(kind.tags, properties, tagValuesOf(change))];
}

/** CloudFormation undoes changes to its resources, or fails because of them. */
function refuseOfStack(properties: JsonObject, { kind }: PlacedAwsResource): void {
  if (awsTagsIn(kind.tags, properties)["aws:cloudformation:stack-id"] === undefined) return;
  throw new LiveplaneError(
    "ProviderError",
    "The resource belongs to a CloudFormation stack. Change it there, or remove it from the stack.",
    {
      retryable: false,
      details: { reason: "OwnedByStack" },
    },
  );
}
