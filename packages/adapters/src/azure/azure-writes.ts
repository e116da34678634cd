import {
  type Cloud,
  type CloudCall,
  type Created,
  type JsonObject,
  type ResourceChange,
  type ResourceRef,
  type TypeDescription,
  topOf,
  type WriteCondition,
  type Written,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { CloudResponse } from "../cloud-http/cloud-http.ts";
import { tagsFrom, withoutPointers } from "../cloud-http/cloud-resource.ts";
import { type AzureKind, apiVersionOf, azureBoundBy, azureResourceId, kindOf, readOnlyItemsOf } from "./azure-kinds.ts";
import type { AzureOperations } from "./azure-operations.ts";
import { withParts } from "./azure-parts.ts";
import type { AzureProviders } from "./azure-providers.ts";
import type { AzureRequests } from "./azure-requests.ts";
import { azureCorrection, azureCreation, azurePatch, azureShown, etagIn, tagsOf } from "./azure-resource.ts";

const tagsVersion = "2025-04-01";

export interface AzureWritesDeps {
  readonly requests: AzureRequests;
  readonly operations: AzureOperations;
  readonly providers: Pick<AzureProviders, "registerIfRefused">;
  readonly read: Cloud["read"];
  readonly describeTypes: NonNullable<Cloud["describeTypes"]>;
}

/** A current resource, and what a write of it can be bound to. */
interface Current {
  readonly body: JsonObject;
  readonly etag: string | null;
}

/**
 * Writes resources. Properties are sent by PATCH if the type has it, otherwise as a whole body under the etag it was read with; tags by
 * their own operation, one key at a time, which changes nothing else.
 */
export function azureWrites(deps: AzureWritesDeps): Pick<Cloud, "create" | "update" | "remove" | "removeTag"> {
  const { requests, operations, providers, describeTypes } = deps;
  const current = async ({ type, resourceId }: ResourceRef, call: CloudCall): Promise<Current> => {
    const { body, headers } = await requests.send(
      { method: "GET", path: resourceId, version: apiVersionOf(type) },
      call,
    );
    return { body, etag: etagIn(body, headers.get("etag")) };
  };
  const write = async (
    method: "PUT" | "PATCH" | "DELETE",
    { type, resourceId }: ResourceRef,
    { body, ifMatch, headers = {} }: { body?: JsonObject; ifMatch?: string | null; headers?: Record<string, string> },
    call: CloudCall,
  ): Promise<CloudResponse> => {
    const isBound = ifMatch != null && (kindOf(type)?.ifMatch.includes(method) ?? false);
    const request = {
      method,
      path: resourceId,
      version: apiVersionOf(type),
      headers: { ...headers, ...(isBound && { "if-match": ifMatch }) },
      ...(body && { body }),
    };
    return requests
      .send(request, call)
      .catch((error: unknown) => unlessWorking(error, { type, resourceId }, deps, call));
  };
  const answered = (ref: ResourceRef, response: CloudResponse): Written => {
    const begun = operations.begun(response, ref);
    return begun.operation === undefined ? azureShown(ref, response) : begun;
  };
  const tag = (operation: "Merge" | "Delete", { resourceId }: ResourceRef, tags: JsonObject, call: CloudCall) => {
    const path = `${resourceId}/providers/Microsoft.Resources/tags/default`;
    return requests.send(
      { method: "PATCH", path, version: tagsVersion, body: { operation, properties: { tags } } },
      call,
    );
  };

  async function change(ref: ResourceRef, { parameters }: ResourceChange, etag: string | undefined, call: CloudCall) {
    const kind = kindOf(ref.type);
    const before = async () => {
      const { body, etag: now } = await current(ref, call);
      // A change of a list item needs the whole list, which the resource alone may not show.
      return { body: await withParts(requests, ref, body, call, parameters), now };
    };
    if (kind?.patch === "members") {
      const apart = parameters.filter(({ pointer }) => kind.unpatched.some((one) => isWithin(pointer, one)));
      if (apart.length > 0) throw unpatchable(apart.map(({ pointer }) => pointer));
      const required = requiredWith(kind);
      const needsBody = azurePatch(parameters, null, required) === null;
      const body = needsBody ? (await before()).body : null;
      const patch = withoutPointers(azurePatch(parameters, body, required) ?? {}, readOnlyItemsOf(ref.type));
      return write("PATCH", ref, { body: patch, ifMatch: etag ?? null }, call);
    }
    const { body, now } = await before();
    if (etag !== undefined && etag !== now) throw moved();
    return write("PUT", ref, { body: azureCorrection(ref.type, body, { parameters, tags: {} }), ifMatch: now }, call);
  }

  return {
    async create(resource, call): Promise<Created> {
      const { type, name, target } = resource;
      const ref = { type, resourceId: resource.resourceId ?? azureResourceId(type, name, target) };
      // Most types ignore If-None-Match; reading first prevents overwriting except in a race.
      const there = await current(ref, call).catch(unlessMissing);
      if (there !== null) throw taken();
      const isKnown = kindOf(type) !== null || Object.keys(resource.tags).length === 0;
      const [described] = isKnown ? [] : await describeTypes([type], target, call);
      // Of a type outside the tables only its provider knows that it carries no tags.
      const body = azureCreation(isUntaggable(described) ? { ...resource, tags: {} } : resource);
      const headers = kindOf(type)?.createsOnly ? { "if-none-match": "*" } : {};
      const answer = await write("PUT", ref, { body, headers }, call).catch(async (error) => {
        if (isLiveplaneError(error, "PreconditionFailed")) throw taken();
        throw await providers.registerIfRefused(error, ref.resourceId, call);
      });
      return { resourceId: ref.resourceId, ...answered(ref, answer) };
    },
    async update(ref, { parameters, tags }, { etag }, call): Promise<Written> {
      const own = parameters.filter(({ pointer }) => topOf(pointer) !== "tags");
      const set = { ...declaredTags(parameters), ...tags };
      const hasTags = Object.keys(set).length > 0;
      const isBound = azureBoundBy(kindOf(ref.type)).properties === "etag";
      const written =
        own.length > 0 || !hasTags
          ? answered(ref, await change(ref, { parameters: own, tags: {} }, isBound ? etag : undefined, call))
          : {};
      // A running operation refuses other writes; the rest still differs and is written afterwards.
      if (!hasTags || written.operation !== undefined) return written;
      // The tag call's answer shows nothing else, and the previous answer has outdated tags.
      return operations.begun(await tag("Merge", ref, set, call));
    },
    async remove(ref, condition: WriteCondition, call): Promise<Written> {
      const kind = kindOf(ref.type);
      if (kind !== null && kind.statuses.DELETE === undefined) throw undeletable();
      const { etag } = condition;
      try {
        const isBound = etag !== undefined && azureBoundBy(kind).properties === "etag";
        if (isBound && !kind?.ifMatch.includes("DELETE") && (await current(ref, call)).etag !== etag) throw moved();
        return operations.begun(await write("DELETE", ref, { ifMatch: etag ?? null }, call));
      } catch (error) {
        return unlessMissing(error) ?? {};
      }
    },
    async removeTag(ref, key, _condition, call): Promise<Written> {
      const { body } = await current(ref, call);
      const spelled = Object.entries(tagsOf(body)).filter(([own]) => own.toLowerCase() === key.toLowerCase());
      if (spelled.length === 0) return {};
      return operations.begun(await tag("Delete", ref, Object.fromEntries(spelled), call));
    },
  };
}

/**
 * The siblings that a PATCH must include, such as the name of a SKU, and the location if a PATCH accepts one. Required members of the
 * resource itself or its properties are required only by PUT.
 */
function requiredWith({ required, unpatched }: AzureKind): readonly string[] {
  return required.filter((pointer) => {
    const above = pointer.slice(0, pointer.lastIndexOf("/"));
    if (unpatched.some((one) => isWithin(pointer, one))) return false;
    return pointer === "/location" || !["", "/properties"].includes(above);
  });
}

function declaredTags(parameters: ResourceChange["parameters"]): JsonObject {
  const named = parameters.flatMap(({ pointer, value }) => {
    if (topOf(pointer) !== "tags") return [];
    const key = pointer.split("/")[2];
    return key === undefined
      ? Object.entries(tagsFrom(value))
      : [[key.replaceAll("~1", "/").replaceAll("~0", "~"), String(value)]];
  });
  return Object.fromEntries(named) as JsonObject;
}

/** A conflict may be temporary: if the resource shows that Azure is working on it, that was the reason. */
async function unlessWorking(
  error: unknown,
  ref: ResourceRef,
  { read }: Pick<AzureWritesDeps, "read">,
  call: CloudCall,
): Promise<never> {
  const isConflict = isLiveplaneError(error, "ProviderError") && error.retryable && error.details.outcome === undefined;
  if (isConflict && (await read(ref, call)).state === "working")
    throw new LiveplaneError("InvalidState", "Azure is still processing another change to this resource.", {
      details: error.details,
    });
  throw error;
}

function isUntaggable(described: TypeDescription | undefined): boolean {
  return described !== undefined && "taggable" in described && !described.taggable;
}

function taken(): LiveplaneError {
  return new LiveplaneError("AlreadyExists", "A resource with this ID already exists.");
}

function moved(): LiveplaneError {
  return new LiveplaneError("PreconditionFailed", "The resource has changed.");
}

function unpatchable(pointers: readonly string[]): LiveplaneError {
  const what = pointers.join(", ");
  return new LiveplaneError(
    "ProviderError",
    `Azure accepts ${what} only as part of the whole resource and without a condition, so it can't be changed safely.`,
    { retryable: false, details: { reason: "NotCorrectable" } },
  );
}

function isWithin(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`);
}

function undeletable(): LiveplaneError {
  return new LiveplaneError(
    "ProviderError",
    "Azure can't delete resources of this type separately. Delete the resource that contains it.",
    {
      retryable: false,
    },
  );
}

function unlessMissing(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}
