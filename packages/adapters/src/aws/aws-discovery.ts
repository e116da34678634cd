import {
  type Cloud,
  type CloudCall,
  type CloudTarget,
  type DiscoveryPage,
  isObject,
  type JsonObject,
  type ListedResource,
  type ListedResources,
} from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { arnOf, identifierIn, kindsOfArn, taggedIn } from "./aws-arns.ts";
import { mostArns } from "./aws-bulk.ts";
import { type AwsPlace, awsIdOf, globalRegionOf, isGlobalType, placedAws } from "./aws-ids.ts";
import { isIntentTag } from "./aws-intents.ts";
import { listedTypes } from "./aws-listed-types.ts";
import type { AwsRequests } from "./aws-requests.ts";
import { awsTagsIn } from "./aws-tags.ts";

/** Where a page begins: in which regions, the one that is listed now, from which source, and how far it got. */
interface Position {
  readonly regions: readonly string[];
  readonly at: number;
  readonly source: "tags" | "lists";
  readonly token: string;
}

const listsAtOnce = 16;
const mostPages = 20;

/**
 * Lists resources in two ways. The index of tags has a hundred on a page, of all types, but none that never had a tag. So the types that
 * people have the most of are listed one by one instead, and left out of the index.
 */
export function awsDiscovery(requests: AwsRequests): NonNullable<Cloud["discover"]> {
  async function fromTags(place: AwsPlace, target: CloudTarget, page: DiscoveryPage, call: CloudCall) {
    const input = {
      ResourcesPerPage: Math.min(page.limit, mostArns),
      ...(page.after !== "" && { PaginationToken: page.after }),
    };
    try {
      const answer = await requests.call("tagging", "GetResources", input, { place, call });
      const items = [...taggedIn(answer)].flatMap(([arn, tags]) => tagged(place, arn, tags));
      return { items: items.filter((one) => isInside(one, place, target)), next: String(answer.PaginationToken ?? "") };
    } catch (error) {
      if (!isDenied(error)) throw error;
      return { items: [], next: "", warnings: [withoutIndex] };
    }
  }

  async function fromLists(place: AwsPlace, target: CloudTarget, from: number, call: CloudCall) {
    const isHere = (type: string) =>
      isGlobalType(type) ? place.region === globalRegionOf(target.region) : isRegional(place, target);
    const types = listedTypes.filter(isHere);
    const end = from + listsAtOnce;
    const lists = await Promise.all(types.slice(from, end).map((type) => list(requests, type, { place, call })));
    const refused = types.slice(from, end).filter((_, at) => lists[at] === null);
    const found = lists.flatMap((one) => one ?? []);
    const tags = await tagsOf(requests, found, { place, call });
    const items = found.map(({ arn, shown, ...one }) => ({ ...one, tags: own(shown ?? tags.get(arn ?? "") ?? {}) }));
    const warnings =
      refused.length === 0 ? [] : [`The credentials can't list ${refused.join(", ")} in ${place.region}.`];
    return { items, next: end < types.length ? String(end) : "", warnings };
  }

  return async (target, { after, limit }, call): Promise<ListedResources> => {
    const begin = { at: 0, source: "tags", token: "" } as const;
    const position =
      after === null ? { ...begin, regions: await regionsOf(requests, target, call) } : positionIn(after);
    const place = { account: target.scope, region: position.regions[position.at] ?? target.region };
    const found =
      position.source === "tags"
        ? await fromTags(place, target, { after: position.token, limit }, call)
        : await fromLists(place, target, Number(position.token), call);
    const next = following(position, found.next);
    const own = [...(found.warnings ?? []), ...(next === null ? [untagged] : [])];
    return { items: found.items, next: next && written(next), ...(own.length > 0 && { warnings: own }) };
  };
}

const untagged =
  "Resources that never had a tag are missing, except those of the 40 types that are listed one by one. Declare others by ID.";
const withoutIndex =
  "The credentials may not call tag:GetResources, so only 40 types are listed, and their tags may be missing.";

/** The regions of a target, and the one that serves global resources. */
async function regionsOf(
  requests: AwsRequests,
  { scope, region, location }: CloudTarget,
  call: CloudCall,
): Promise<string[]> {
  const own = location === undefined ? await requests.regions({ account: scope, region }, call) : [location];
  return [...new Set([...own, globalRegionOf(region)])];
}

/** Whether a target contains the resources of a place that belong to its region. */
function isRegional({ region }: AwsPlace, { location }: CloudTarget): boolean {
  return location === undefined || location === region;
}

function isInside({ type }: ListedResource, place: AwsPlace, target: CloudTarget): boolean {
  return isGlobalType(type) || isRegional(place, target);
}

/** The position after a page; `null` behind the last one. */
function following({ regions, at, source }: Position, next: string): Position | null {
  if (next !== "") return { regions, at, source, token: next };
  if (source === "tags") return { regions, at, source: "lists", token: "0" };
  return at + 1 < regions.length ? { regions, at: at + 1, source: "tags", token: "" } : null;
}

function written({ regions, at, source, token }: Position): string {
  return `${source} ${at} ${regions.join(",")} ${token}`;
}

function positionIn(after: string): Position {
  const [, source, at, regions = "", token = ""] = /^(tags|lists) (\d+) (\S+) (.*)$/s.exec(after) ?? [];
  return { source: source === "lists" ? "lists" : "tags", at: Number(at), regions: regions.split(","), token };
}

/** A resource in the index. What has an unknown form can't be declared; its ARN is its ID. */
function tagged({ account, region }: AwsPlace, arn: string, tags: Readonly<Record<string, string>>): ListedResource[] {
  const kinds = kindsOfArn(arn);
  if (kinds.some(({ type }) => listedTypes.includes(type))) return [];
  const kind = kinds.find((one) => identifierIn(one, arn) !== null);
  const identifier = kind === undefined ? null : identifierIn(kind, arn);
  const [, , service = "", location = "", , ...rest] = arn.split(":");
  const name = identifier ?? rest.join(":");
  const common = { name: nameIn(name), location: location === "" ? null : location, tags: own(tags) };
  if (kind === undefined || identifier === null)
    return [{ ...common, resourceId: arn, type: `${service}:${rest.join(":").split(/[:/]/)[0]}` }];
  return [{ ...common, resourceId: awsIdOf({ account, region }, kind.type, identifier), type: kind.type }];
}

interface Found extends Omit<ListedResource, "tags"> {
  readonly arn: string | null;
  /** Its tags, if the list shows them. */
  readonly shown: Readonly<Record<string, string>> | null;
}

interface At {
  readonly place: AwsPlace;
  readonly call: CloudCall;
}

/** The resources of a type; `null` if AWS refuses to list it. */
async function list(requests: AwsRequests, type: string, { place, call }: At): Promise<Found[] | null> {
  const found: Found[] = [];
  let token: string | null = null;
  try {
    for (let pages = 0; pages < mostPages; pages++) {
      const input: JsonObject = { TypeName: type, MaxResults: 100, ...(token !== null && { NextToken: token }) };
      const page: JsonObject = await requests.call("cloudcontrolapi", "ListResources", input, { place, call });
      for (const one of Array.isArray(page.ResourceDescriptions) ? page.ResourceDescriptions.filter(isObject) : [])
        found.push(described(type, place, one));
      token = typeof page.NextToken === "string" ? page.NextToken : null;
      if (token === null) break;
    }
    return found;
  } catch (error) {
    if (isDenied(error) || isUnlistable(error)) return null;
    throw error;
  }
}

function described(type: string, place: AwsPlace, { Identifier, Properties }: JsonObject): Found {
  const identifier = String(Identifier);
  const resourceId = awsIdOf(place, type, identifier);
  const of = placedAws({ type, resourceId });
  const properties = parsed(Properties);
  const { tags } = of.kind;
  return {
    type,
    resourceId,
    name: nameIn(identifier),
    location: isGlobalType(type) ? null : place.region,
    arn: arnOf(of, properties),
    shown: tags !== undefined && tags.at in properties ? awsTagsIn(tags, properties) : null,
  };
}

function parsed(text: unknown): JsonObject {
  try {
    const value: unknown = JSON.parse(String(text));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The tags of resources whose list doesn't show them. */
async function tagsOf(requests: AwsRequests, found: readonly Found[], { place, call }: At) {
  const arns = found.flatMap(({ arn, shown }) => (arn === null || shown !== null ? [] : [arn]));
  const parts = Array.from({ length: Math.ceil(arns.length / mostArns) }, (_, at) =>
    arns.slice(at * mostArns, (at + 1) * mostArns),
  );
  const answers = await Promise.all(
    parts.map((some) =>
      requests.call("tagging", "GetResources", { ResourceARNList: some }, { place, call }).catch(unlessDenied),
    ),
  );
  return new Map(answers.flatMap((answer) => [...taggedIn(answer)]));
}

function own(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([key]) => !isIntentTag(key)));
}

function nameIn(identifier: string): string {
  return /^(?:arn:|https:)/.test(identifier) ? (identifier.split(/[:/]/).at(-1) ?? identifier) : identifier;
}

function unlessDenied(error: unknown): JsonObject {
  if (isDenied(error)) return {};
  throw error;
}

/** Whether only a right is missing. */
function isDenied(error: unknown): boolean {
  return isLiveplaneError(error) && /^AccessDenied/.test(String(error.details.providerCode ?? ""));
}

/** Whether a type can't be listed here. */
function isUnlistable(error: unknown): boolean {
  const reasons = /^(Unsupported(Action|Operation)|TypeNotFound|InvalidRequest|Validation)(Exception)?$/;
  return isLiveplaneError(error, "ProviderError") && reasons.test(String(error.details.reason));
}
