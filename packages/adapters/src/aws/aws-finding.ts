import { type Cloud, type CloudCall, isObject, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
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
      const key = await intentKey(intent);
      for (const place of placesIn(target)) {
        for (const { type, arn } of await taggedWith(requests, key, { place, call })) {
          const kind = awsKindOf(type);
          const found = kind === null ? [] : await identifiersOf(requests, kind, arn, { place, call });
          for (const resourceId of found.map((identifier) => awsIdOf(place, identifier)))
            if (kind !== null && (await isMade(resourceId, kind, key, call))) return { type, resourceId };
        }
      }
      return null;
    },
  };
}

async function taggedWith(requests: AwsRequests, key: string, at: At) {
  const input = { TagFilters: [{ Key: key }], ResourcesPerPage: 100 };
  const { ResourceTagMappingList: found } = await requests.call("tagging", "GetResources", input, at);
  return (Array.isArray(found) ? found : []).filter(isObject).map(({ ResourceARN, Tags }) => ({
    arn: String(ResourceARN),
    type: awsTagsIn({ at: "Tags", form: "list" }, { Tags: Tags ?? [] })[key] ?? "",
  }));
}

function unlessGone(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}

/** The identifiers that an ARN may stand for: itself, a part of it, or those in the type's list that end like it. */
async function identifiersOf(
  requests: AwsRequests,
  { type, id, arn: template }: NamedAwsKind,
  arn: string,
  at: At,
): Promise<readonly string[]> {
  const [only = ""] = id;
  if (id.length === 1 && /arn$/i.test(only)) return [arn];
  const parts = template === undefined ? null : partsIn(template, arn);
  if (parts !== null) return [id.map((name) => parts[name]).join("|")];
  const end = arn.split(/[:/]/).at(-1) ?? arn;
  const found: string[] = [];
  let token: string | null = null;
  do {
    const input: JsonObject = { TypeName: type, ...(token !== null && { NextToken: token }) };
    const page: JsonObject = await requests.call("cloudcontrolapi", "ListResources", input, at);
    const listed = (Array.isArray(page.ResourceDescriptions) ? page.ResourceDescriptions : []).filter(isObject);
    found.push(...listed.map(({ Identifier }) => String(Identifier)).filter((own) => own.includes(end)));
    token = typeof page.NextToken === "string" ? page.NextToken : null;
  } while (token !== null);
  return found;
}

/** What stands in an ARN for the names in its template. */
function partsIn(template: string, arn: string): Readonly<Record<string, string>> | null {
  const names = [...template.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
  const literals = template.split(/\$\{\w+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const values = new RegExp(`^${literals.join("(.*?)")}$`).exec(arn)?.slice(1);
  return values === undefined ? null : Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}
