import type { Cloud, Reading } from "../../src/ports/cloud.ts";

/** What a plain cloud does by itself: it reads, and takes corrections where it says how. */
export type PlainCloudDeeds = Pick<Cloud, "read" | "readMany"> & Partial<Pick<Cloud, "update">>;

/** A cloud of one plain type, whose resources are those of `fillFleet`. Nothing is made or removed in it. */
export function plainCloud(deeds: PlainCloudDeeds): Cloud {
  const type = {
    taggable: true,
    sets: ["/network/prefixes"],
    caseless: [],
    immutable: [],
    writeOnly: [],
    sensitiveOutputs: [],
  };
  const refuse = () => Promise.reject(new TypeError("Nothing is made or removed here."));
  return {
    provider: "bench",
    capabilities: {
      conditionalWrites: true,
      bulkReadSize: 500,
      caselessTagKeys: true,
      tagParameter: "tags",
      deviceAuthorization: false,
    },
    resourceType: () => type,
    resourceIdFor: (_type, name) => name,
    parseResourceId: (_type, id) => ({ id, name: id }),
    throttleScope: () => "scope",
    locations: async () => [],
    initializationSteps: () => [],
    runStep: async () => ({}),
    create: refuse,
    findCreated: async () => null,
    update: refuse,
    remove: refuse,
    removeTag: refuse,
    ...deeds,
  };
}

/** A resource that is as `fillFleet` declares it, but for its size. */
export function plainReading({ size, etag }: { readonly size: number; readonly etag: number }): Reading {
  return {
    state: "present",
    identity: "one",
    tags: { "managed-by": "platform", env: "prod", team: "shop" },
    parameters: { tier: "hot", size, network: { prefixes: ["10.0.0.0/24"], open: false }, more: "of its own" },
    outputs: { id: "x", tier: "hot", size },
    etag: String(etag),
  };
}
