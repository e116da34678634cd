import {
  type CloudTarget,
  outsideTarget,
  type ParsedResourceId,
  type ParsedScope,
  type ResourceRef,
  resourceIdRefusal,
} from "@liveplane/core/clouds";
import { elsewhere } from "../cloud-http/cloud-http.ts";
import { awsKindOf, knownAwsKind, type NamedAwsKind, namePointer, unknownAwsType } from "./aws-kinds.ts";

/** A resource with what its ID contains. */
export interface PlacedAwsResource {
  readonly kind: NamedAwsKind;
  readonly resourceId: string;
  readonly account: string;
  readonly region: string;
  /** AWS's own identifier. */
  readonly identifier: string;
}

/** A place that requests go to. */
export type AwsPlace = Pick<PlacedAwsResource, "account" | "region">;

/** Services whose resources aren't in any region. */
const global = /^AWS::(CloudFront|IAM|Organizations|Route53)::/;

/** Whether a type's resources are in no region. */
export function isGlobalType(type: string): boolean {
  return global.test(type);
}

const form = /^(\d{12})\/([a-z]{2}(?:-[a-z]+)+-\d+)\/(\w+::\w+::\w+)\/(.+)$/;

/** The part of AWS that a region belongs to. Each has its own accounts. */
export function partitionOf(region: string): "aws" | "aws-cn" | "aws-us-gov" {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}

/** The region that serves what is in none, in the same partition. */
export function globalRegionOf(region: string): string {
  return { aws: "us-east-1", "aws-cn": "cn-north-1", "aws-us-gov": "us-gov-west-1" }[partitionOf(region)];
}

/** Where resources of a type are: in the target's region, unless they are global. */
export function placeFor(type: string, { scope, region }: CloudTarget): AwsPlace {
  return { account: scope, region: global.test(type) ? globalRegionOf(region) : region };
}

/** Where resources that are made for a target may be. */
export function placesIn({ scope, region }: CloudTarget): readonly AwsPlace[] {
  return [...new Set([region, globalRegionOf(region)])].map((one) => ({ account: scope, region: one }));
}

/** The ID of a resource: account, region, type and AWS's own identifier, which only tells resources of one type apart. */
export function awsIdOf({ account, region }: AwsPlace, type: string, identifier: string): string {
  return `${account}/${region}/${type}/${written(identifier)}`;
}

/** The ID that a name gives; `null` if AWS chooses the identifier. */
export function awsIdFor(type: string, name: string, target: CloudTarget): string | null {
  const kind = awsKindOf(type);
  return kind === null || namePointer(kind) === null ? null : awsIdOf(placeFor(type, target), type, name);
}

/** The type in an ID; `null` if AWS doesn't describe it. */
export function awsTypeOf(resourceId: string): string | null {
  const [, , , type = ""] = form.exec(resourceId) ?? [];
  return awsKindOf(type) === null ? null : type;
}

/** A stored ID, validated again before anything is sent: its region is part of an address. */
export function placedAws(ref: ResourceRef): PlacedAwsResource {
  const [, account = "", region = "", type = "", rest = ""] = form.exec(ref.resourceId) ?? [];
  const identifier = readBack(rest);
  if (account === "" || type !== ref.type || identifier === null) throw elsewhere();
  return { kind: knownAwsKind(ref), resourceId: ref.resourceId, account, region, identifier };
}

/** Validates a declared ID. */
export function parseAwsId(type: string, id: string, target: CloudTarget): ParsedResourceId {
  if (awsKindOf(type) === null) return { refused: "type", detail: unknownAwsType(type) };
  const detail = resourceIdRefusal(id);
  if (detail !== null) return { refused: "resourceId", detail };
  const [, account = "", region = "", own = "", rest = ""] = form.exec(id) ?? [];
  const identifier = readBack(rest);
  if (account === "" || identifier === null)
    return {
      refused: "resourceId",
      detail:
        "An ID is an account, a region, a type and AWS's identifier: 123456789012/eu-central-1/AWS::S3::Bucket/my-bucket.",
    };
  if (own !== type) return { refused: "resourceId", detail: `The ID is one of ${own}, not of ${type}.` };
  const isInside = account === target.scope && (target.location === undefined || region === target.location);
  const isGlobal = account === target.scope && global.test(type) && region === globalRegionOf(target.region);
  if (!isGlobal && (global.test(type) || !isInside)) return outsideTarget;
  return { id: awsIdOf({ account, region }, type, identifier), name: identifier };
}

/** An account, or a region in it. */
export function parseAwsScope(id: string): ParsedScope | null {
  const [, scope, location] = /^(\d{12})(?:\/([a-z]{2}(?:-[a-z]+)+-\d+))?$/.exec(id) ?? [];
  return scope === undefined ? null : { id, scope, ...(location !== undefined && { location }) };
}

/** Characters that an ID can't have, and slashes and dots that would make it another path. */
const unfit = /[^\w.~$&'()*+,;=:@/-]|^\/|\/(?=\/|$)|(?<=^|\/)\.{1,2}(?=\/|$)/gu;

/** An identifier as part of an ID. What doesn't fit is written as `!` and two digits for each byte. */
function written(identifier: string): string {
  return identifier.replace(unfit, (found) =>
    [...new TextEncoder().encode(found)].map((byte) => `!${byte.toString(16).padStart(2, "0").toUpperCase()}`).join(""),
  );
}

/** The identifier in an ID; `null` if it isn't one. */
function readBack(text: string): string | null {
  try {
    return text === "" ? null : decodeURIComponent(text.replaceAll("!", "%"));
  } catch {
    return null;
  }
}
