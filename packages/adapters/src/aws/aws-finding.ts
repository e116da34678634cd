import { type Cloud, type CloudCall, isObject, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { identifierIn, taggedIn } from "./aws-arns.ts";
import { type AwsPlace, awsIdOf, placedAws, placesIn } from "./aws-ids.ts";
import { intentKey } from "./aws-intents.ts";
import { awsKindOf, type NamedAwsKind } from "./aws-kinds.ts";
import { currentAws } from "./aws-reads.ts";
import type { AwsRequests } from "./aws-requests.ts";
import { awsTagsIn } from "./aws-tags.ts";

interface At {
  readonly place: AwsPlace;
  readonly call: CloudCall;
}

/** Finds a resource by the tag of its creation. AWS's index of tags also contains deleted resources, so each one is read. */
export function awsFinding(requests: AwsRequests): Pick<Cloud, "findCreated"> {
  async function isMade(resourceId: string, { type, tags }: NamedAwsKind, key: string, call: CloudCall) {
    const properties = await currentAws(requests, placedAws({ type, resourceId }), call).catch(unlessGone);
    return properties !== null && key in awsTagsIn(tags, properties);
  }

  return {
    async findCreated(intent, target, call) {
      const key = intentKey(intent);
      for (const place of placesIn(target)) {
        for (const { type, arn } of await taggedWith(requests, key, { place, call })) {
          const kind = awsKindOf(type);
          if (kind === null) continue;
          for await (const identifier of identifiersOf(requests, kind, arn, { place, call })) {
            const resourceId = awsIdOf(place, type, identifier);
            if (await isMade(resourceId, kind, key, call)) return { type, resourceId };
          }
        }
      }
      return null;
    },
  };
}

async function taggedWith(requests: AwsRequests, key: string, at: At) {
  const input = { TagFilters: [{ Key: key }], ResourcesPerPage: 100 };
  const found = taggedIn(await requests.call("tagging", "GetResources", input, at));
  return [...found].map(([arn, tags]) => ({ arn, type: tags[key] ?? "" }));
}

function unlessGone(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}

/** The identifiers that an ARN may stand for: itself, a part of it, and those in the type's list that end like it. */
async function* identifiersOf(
  requests: AwsRequests,
  kind: NamedAwsKind,
  arn: string,
  at: At,
): AsyncGenerator<string, void, undefined> {
  const own = identifierIn(kind, arn);
  if (own !== null) yield own;
  if (own === arn) return;
  const end = arn.split(/[:/]/).at(-1) ?? arn;
  let token: string | null = null;
  do {
    const input: JsonObject = { TypeName: kind.type, ...(token !== null && { NextToken: token }) };
    const page: JsonObject = await requests.call("cloudcontrolapi", "ListResources", input, at);
    const listed = (Array.isArray(page.ResourceDescriptions) ? page.ResourceDescriptions : []).filter(isObject);
    for (const identifier of listed.map(({ Identifier }) => String(Identifier)))
      if (identifier !== own && identifier.includes(end)) yield identifier;
    token = typeof page.NextToken === "string" ? page.NextToken : null;
  } while (token !== null);
}
