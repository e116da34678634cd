import type { BoundBy, Cloud } from "./cloud.ts";

const byEtags: BoundBy = { create: "etag", properties: "etag", tags: "etag" };
const byMasks: BoundBy = { create: "etag", properties: "mask", tags: "mask" };

/** What binds the writes of a type: as its facts say, else as the cloud's capabilities do. */
export function boundByOf(cloud: Pick<Cloud, "capabilities" | "resourceType">, type: string): BoundBy {
  return cloud.resourceType(type).boundBy ?? (cloud.capabilities.conditionalWrites ? byEtags : byMasks);
}
