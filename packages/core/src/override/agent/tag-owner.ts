import type { Cloud } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import { managementTag } from "../protocol/observation.ts";
import { tagValue } from "../protocol/tags.ts";
import { type ComponentRecord, componentKey, components } from "../records/component-record.ts";
import type { AgentDeps } from "./agent-deps.ts";

/**
 * Whether the governor of a component without tags lets it be written: it is Active and, if its resource exists, has the management tag
 * now. `false` also if that can't be read.
 */
export async function tagOwnerAllows(
  known: ComponentRecord | null,
  deps: AgentDeps,
  { signal, whenMissing }: { readonly signal?: AbortSignal | undefined; readonly whenMissing: boolean },
): Promise<boolean> {
  // It may have been checked since, side by side with this one, by a deploy that includes both.
  const tagOwner = known && (await deps.records.get(components, componentKey(known.liveSystemId, known.path)));
  if (tagOwner === null || tagOwner.status !== "Active") return false;
  if (tagOwner.resource.id === null) return true;
  const cloud = deps.clouds.get(tagOwner.provider);
  const credentials = await deps.environments.agentCredentials(tagOwner.environment, tagOwner.provider);
  if (cloud === undefined || credentials === null) return false;
  const ref = { type: tagOwner.type, resourceId: tagOwner.resource.id };
  const reading = await deps.calls.over(cloud).read(ref, { credentials, ...(signal && { signal }) });
  if (reading.state === "missing") return whenMissing || !tagOwner.provisioned;
  const resource = resourceOf(reading);
  return resource !== null && isManaged(resource.tags, cloud);
}

/** Whether the management tag is set, as the cloud compares keys. */
export function isManaged(tags: Readonly<Record<string, string>>, { capabilities }: Cloud): boolean {
  return tagValue(tags, managementTag.key, capabilities) === managementTag.value;
}
