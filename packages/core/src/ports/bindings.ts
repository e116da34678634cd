import type { CloudCapabilities } from "./cloud-capabilities.ts";
import type { BoundBy, ResourceType } from "./resource-type.ts";

const byEtags: BoundBy = { create: "etag", properties: "etag", tags: "etag" };
const byMasks: BoundBy = { create: "etag", properties: "mask", tags: "mask" };

/** As much of a cloud as tells what binds writes. */
export interface BindingFacts {
  readonly capabilities: Pick<CloudCapabilities, "conditionalWrites">;
  readonly resourceType: (type: string) => Pick<ResourceType, "boundBy">;
}

/** What binds the writes of a type: as its facts say, else as the cloud's capabilities do. */
export function boundByOf(cloud: BindingFacts, type: string): BoundBy {
  return cloud.resourceType(type).boundBy ?? (cloud.capabilities.conditionalWrites ? byEtags : byMasks);
}
