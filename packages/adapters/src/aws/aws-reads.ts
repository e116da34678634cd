import {
  type Cloud,
  type CloudCall,
  isObject,
  type JsonObject,
  type OperationReading,
  type SeenResource,
} from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { nestedOutputs, readable } from "../cloud-http/cloud-resource.ts";
import { awsBulk } from "./aws-bulk.ts";
import { type PlacedAwsResource, placedAws } from "./aws-ids.ts";
import { isIntentTag } from "./aws-intents.ts";
import { progressIn, progressReading, requestToken } from "./aws-progress.ts";
import type { AwsRequests } from "./aws-requests.ts";
import { awsTagsIn } from "./aws-tags.ts";

/** A resource's properties; throws `NotFound` if there is no such resource. */
export async function currentAws(requests: AwsRequests, of: PlacedAwsResource, call: CloudCall): Promise<JsonObject> {
  const input = { TypeName: of.kind.type, Identifier: of.identifier };
  const { ResourceDescription } = await requests.call("cloudcontrolapi", "GetResource", input, { place: of, call });
  return propertiesIn(ResourceDescription);
}

function propertiesIn(described: unknown): JsonObject {
  const text = isObject(described) ? described.Properties : null;
  try {
    const properties: unknown = JSON.parse(String(text));
    if (isObject(properties)) return properties;
  } catch {}
  throw new LiveplaneError("ProviderError", "AWS answered without the resource's properties.", { retryable: true });
}

export interface AwsReadDeps {
  readonly requests: AwsRequests;
  readonly now: () => number;
  /** How long bulk reads show the properties of a direct read. */
  readonly valuesMs: number;
}

/** Reads resources and requests to change them. */
export function awsReads({
  requests,
  now,
  valuesMs,
}: AwsReadDeps): Pick<Cloud, "read" | "readMany"> & Required<Pick<Cloud, "follow">> {
  const bulk = awsBulk({ requests, now, valuesMs });
  return {
    readMany: bulk.readMany,
    read: (ref, call) =>
      readable(async () => {
        const of = placedAws(ref);
        const properties = await currentAws(requests, of, call);
        const reading = { state: "present", ...seenIn(properties, of) } as const;
        bulk.saw(of, properties, reading, call);
        return reading;
      }),
    async follow(ref, { address }, call) {
      const reading = await readable<OperationReading>(async () => {
        const input = { RequestToken: requestToken(address) };
        const options = { place: placedAws(ref), call };
        const answer = await requests.call("cloudcontrolapi", "GetResourceRequestStatus", input, options);
        return progressReading(progressIn(answer, now()));
      });
      return reading.state === "missing" ? { state: "gone" } : (reading as OperationReading);
    },
  };
}

function seenIn(properties: JsonObject, { kind, resourceId, identifier }: PlacedAwsResource): SeenResource {
  const own = Object.entries(properties).filter(([name, value]) => name !== kind.tags?.at && value !== null);
  const parameters = Object.fromEntries(own);
  const tags = Object.entries(awsTagsIn(kind.tags, properties)).filter(([key]) => !isIntentTag(key));
  const readOnly = new Set(kind.readOnly);
  return {
    tags: Object.fromEntries(tags),
    parameters,
    outputs: {
      ...nestedOutputs(parameters, (pointer) => readOnly.has(pointer)),
      ...Object.fromEntries(own.filter(([, value]) => typeof value !== "object")),
      id: resourceId,
      name: identifier,
    },
  };
}
