import type { Cloud, Reading } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";

/** Asks the cloud of the trial, which is a process of its own. */
export async function askCloud<T>(url: string, path: string, body: unknown, node = ""): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "x-node": node },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

type Seen = { readonly size: number; readonly etag: number } | null;

/** The cloud as a node has it. */
export function clusterCloud(url: string, node: string): Cloud {
  const ask = <T>(path: string, body: unknown) => askCloud<T>(url, path, body, node);
  const refuse = () => Promise.reject(new LiveplaneError("ProviderError", "Nothing is made or removed here."));
  const plain = {
    taggable: true,
    sets: ["/network/prefixes"],
    caseless: [],
    immutable: [],
    writeOnly: [],
    sensitiveOutputs: [],
  };
  return {
    provider: "bench",
    capabilities: {
      conditionalWrites: true,
      bulkReadSize: 500,
      caselessTagKeys: true,
      tagParameter: "tags",
      deviceAuthorization: false,
    },
    resourceType: () => plain,
    resourceIdFor: (_type, name) => name,
    parseResourceId: (_type, id) => ({ id, name: id }),
    throttleScope: () => "scope",
    locations: async () => [],
    initializationSteps: () => [],
    runStep: async () => ({}),
    async read({ resourceId }) {
      const [seen = null] = await ask<Seen[]>("/read", [resourceId]);
      return readingOf(seen);
    },
    async readMany(refs) {
      const seen = await ask<Seen[]>(
        "/read-many",
        refs.map(({ resourceId }) => resourceId),
      );
      return seen.map(readingOf);
    },
    async update({ resourceId: id }, { parameters }, { etag }) {
      const size = parameters.find(({ pointer }) => pointer === "/size")?.value;
      const { outcome } = await ask<{ outcome: string }>("/write", { id, size, etag: Number(etag) });
      if (outcome === "PreconditionFailed") throw new LiveplaneError(outcome);
      return {};
    },
    create: refuse,
    findCreated: async () => null,
    remove: refuse,
    removeTag: refuse,
  };
}

function readingOf(seen: Seen): Reading {
  if (seen === null) return { state: "missing" };
  const { size, etag } = seen;
  return {
    state: "present",
    identity: "one",
    tags: { "managed-by": "platform", env: "prod", team: "shop" },
    parameters: { tier: "hot", size, network: { prefixes: ["10.0.0.0/24"], open: false }, more: "of its own" },
    outputs: { id: "x", tier: "hot", size },
    etag: String(etag),
  };
}
