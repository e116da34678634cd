import type { Cloud } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import { managementTag } from "../protocol/observation.ts";
import { tagValue } from "../protocol/tags.ts";
import { type ComponentRecord, componentKey, components } from "../records/component-record.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { findMade } from "./agent-read.ts";

/** What the tag owner of a component without tags says about it. */
export type TagOwnerWord = "managed" | "held" | "unreadable";

/**
 * Whether the tag owner of a component without tags lets it be written: it is Active and, if its resource exists, has the management tag
 * now.
 */
export async function askTagOwner(
  known: ComponentRecord | null,
  deps: AgentDeps,
  { signal, whenMissing }: { readonly signal?: AbortSignal | undefined; readonly whenMissing: () => TagOwnerWord },
): Promise<TagOwnerWord> {
  // It may have been checked since, side by side with this one, by a deploy that includes both.
  const tagOwner = known && (await deps.records.get(components, componentKey(known.liveSystemId, known.path)));
  if (tagOwner === null || tagOwner.status !== "Active") return "held";
  if (tagOwner.resource.id === null && tagOwner.intent === null) return "managed";
  const cloud = deps.clouds.get(tagOwner.provider);
  const credentials = await deps.environments.agentCredentials(tagOwner.environment, tagOwner.provider);
  if (cloud === undefined || credentials === null) return "unreadable";
  const [calls, call] = [deps.calls.over(cloud), { credentials, ...(signal && { signal }) }];
  // Its creation may have been carried out, though its answer was lost.
  const resourceId = tagOwner.resource.id ?? (await findMade(tagOwner, calls, call));
  if (resourceId === null) return "managed";
  if (resourceId === undefined) return "unreadable";
  const reading = await calls.read({ type: tagOwner.type, resourceId }, call);
  if (reading.state === "missing") return tagOwner.provisioned ? whenMissing() : "managed";
  const resource = resourceOf(reading);
  if (resource === null) return "unreadable";
  return isManaged(resource.tags, cloud) ? "managed" : "held";
}

/** Whether the management tag is set, as the cloud compares keys. */
export function isManaged(tags: Readonly<Record<string, string>>, { capabilities }: Cloud): boolean {
  return tagValue(tags, managementTag.key, capabilities) === managementTag.value;
}
