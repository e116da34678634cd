// A cloud whose resources are JSON files in a folder, and whose console is your editor: the whole port, small enough to read. Remove
// "managed-by" from a file's tags, and the agent leaves that file to you; set it and "platform": "reconcile" to hand it back. The
// conformance suite checks it against every law of the port.
import { randomUUID } from "node:crypto";
import { type Cloud, type CloudCall, isLiveplaneError, LiveplaneError, type Reading } from "@liveplane/core";
import { type JsonObject, plainType, resourceIdRefusal, type Written, withValuesAt } from "@liveplane/core/clouds";
import { type Files, filesIn } from "./folder-files.ts";

/** A folder used as a cloud. */
export interface FolderCloudOptions {
  readonly folder: string;
  /** The secret that callers must have. The agent uses its workload identity and needs none. @default only the agent may call */
  readonly secret?: string;
  readonly files?: Files;
}

/** A resource as stored in its file. */
interface Resource {
  readonly identity: string;
  readonly type: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: JsonObject;
}

/** A cloud in a folder. A file system has no conditional writes, so the agent reads again right before each write. */
export function folderCloud({ folder, secret, files = filesIn(folder) }: FolderCloudOptions): Cloud {
  /** Authorizes a call, and gives its failures the codes of the port. */
  async function calling<T>({ credentials, signal }: CloudCall, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    const isProven = secret !== undefined && credentials.secret?.reveal() === secret;
    if (credentials.kind !== "workload" && !isProven) throw new LiveplaneError("ProviderCredentialsRejected");
    return work().catch((error) => {
      throw translated(error);
    });
  }

  async function read(resourceId: string, call: CloudCall): Promise<Reading> {
    try {
      const resource = await calling(call, () => found(resourceId));
      if (resource === null) return { state: "missing" };
      const { identity, tags, parameters } = resource;
      return { state: "present", identity, tags, parameters, outputs: { id: resourceId, name: nameOf(resourceId) } };
    } catch (error) {
      if (!isLiveplaneError(error) || error.code === "Aborted") throw error;
      const { retryAfterSeconds } = error.details;
      const after = retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1000 };
      return { state: "unreadable", reason: error.code, ...after };
    }
  }

  async function found(resourceId: string): Promise<Resource | null> {
    const text = await files.read(resourceId);
    if (text === null) return null;
    const { identity = "", type = "", tags = {}, parameters = {} } = JSON.parse(text) as Partial<Resource>;
    return { identity, type, tags, parameters };
  }

  async function change(resourceId: string, edit: (resource: Resource) => Resource): Promise<Written> {
    const resource = await found(resourceId);
    if (resource === null) throw new LiveplaneError("NotFound", "The resource does not exist.");
    await files.replace(resourceId, asText(edit(resource)));
    return {};
  }

  return {
    provider: "folder",
    capabilities: {
      conditionalWrites: false,
      bulkReadSize: 1,
      caselessTagKeys: false,
      tagParameter: "tags",
      deviceAuthorization: false,
    },
    resourceType: () => plainType,
    resourceIdFor: (_type, name, { scope }) => `${scope}/${name}`,
    parseResourceId(_type, id, { scope }) {
      const isInside = id.startsWith(`${scope}/`);
      const detail = resourceIdRefusal(id) ?? (isInside ? null : "The ID is outside the environment's folder.");
      return detail === null ? { id, name: id.slice(scope.length + 1) } : { refused: "resourceId", detail };
    },
    throttleScope: (resourceId) => resourceId.slice(0, -nameOf(resourceId).length),
    locations: (_scope, _tenantId, call) =>
      calling(call, async () => [{ id: "here", name: "here", displayName: "This folder", geography: null }]),

    initializationSteps: (_target, name) => [
      { name: "anchor", description: "Makes a first file", resourceName: name, resourceType: "anchor" },
    ],
    runStep: (_step, { name, target, tags }, call) =>
      calling(call, async () => {
        const id = `${target.scope}/${name}`;
        await files.create(id, asText({ identity: randomUUID(), type: "anchor", tags, parameters: {} }));
        return { id };
      }),

    read: ({ resourceId }, call) => read(resourceId, call),
    readMany: (refs, call) => Promise.all(refs.map(({ resourceId }) => read(resourceId, call))),
    create: ({ type, name, target, parameters: { tags: declared, ...parameters }, tags, ...resource }, call) =>
      calling(call, async () => {
        const resourceId = resource.resourceId ?? `${target.scope}/${name}`;
        const all = { ...(declared as Resource["tags"] | undefined), ...tags };
        const made = await files.create(resourceId, asText({ identity: randomUUID(), type, tags: all, parameters }));
        if (!made) throw new LiveplaneError("AlreadyExists", "There is such a file already.");
        return { resourceId };
      }),
    findCreated: async () => null,
    update: ({ resourceId }, wanted, _condition, call) =>
      calling(call, () =>
        change(resourceId, ({ tags, parameters, ...resource }) => ({
          ...resource,
          tags: { ...tags, ...wanted.tags },
          parameters: withValuesAt(parameters, wanted.parameters),
        })),
      ),
    remove: ({ resourceId }, _condition, call) =>
      calling(call, async () => {
        await files.remove(resourceId);
        return {};
      }),
    removeTag: ({ resourceId }, key, _condition, call) =>
      calling(call, () =>
        change(resourceId, (resource) => {
          const { [key]: _removed, ...tags } = resource.tags;
          return { ...resource, tags };
        }),
      ),
  };
}

/** The failures of files, as the port's codes. After a failure in the middle, the outcome is unknown. */
function translated(error: unknown): LiveplaneError {
  if (isLiveplaneError(error)) return error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EMFILE":
    case "EBUSY":
      return new LiveplaneError("RateLimited", undefined, { cause: error, details: { retryAfterSeconds: 1 } });
    case "EIO":
    case "ETIMEDOUT":
      return new LiveplaneError("ProviderTimeout", undefined, { cause: error, details: { outcome: "unknown" } });
    default:
      return new LiveplaneError("ProviderError", undefined, { cause: error, retryable: true });
  }
}

function nameOf(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf("/") + 1);
}

function asText(resource: Resource): string {
  return `${JSON.stringify(resource, undefined, 2)}\n`;
}
