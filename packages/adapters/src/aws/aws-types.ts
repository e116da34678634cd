import { type BoundBy, type Cloud, plainType, type ResourceType, type TagRules } from "@liveplane/core/clouds";
import { type AwsKind, awsKindOf, unknownAwsType } from "./aws-kinds.ts";

/** The parameter that declares tags, whatever the type's own property is called. */
export const tagParameter = "Tags";

/** Begins the keys that only AWS sets. */
export const reserved = "aws:";

/** What AWS accepts in tags. */
export const awsTagRules: TagRules = {
  most: 50,
  refusal(key, value) {
    if (key.toLowerCase().startsWith(reserved)) return "Keys that begin with aws: are reserved for AWS.";
    if (!/^[\p{L}\p{N}\p{Z}_.:/=+@-]{1,128}$/u.test(key))
      return "A key must have 1 to 128 letters, digits, spaces and _ . : / = + - @";
    return /^[\p{L}\p{N}\p{Z}_.:/=+@-]{0,256}$/u.test(value)
      ? null
      : "A value must have at most 256 letters, digits, spaces and _ . : / = + - @";
  },
};

const known = new Map<string, ResourceType>();

/** The tables' facts about a type. An unknown type has no tags, so that nobody waits for one. */
export function awsType(type: string): ResourceType {
  const kind = awsKindOf(type);
  if (kind === null) return { ...plainType, taggable: false };
  const found = known.get(type) ?? described(kind);
  known.set(type, found);
  return found;
}

/** All types are in the tables, so nothing is asked. */
export const describeAwsTypes: NonNullable<Cloud["describeTypes"]> = async (types) =>
  types.map((type) =>
    awsKindOf(type) === null ? { refused: unknownAwsType(type) } : { taggable: awsType(type).taggable },
  );

function described(kind: AwsKind): ResourceType {
  const { tags, fixed = [], readOnly = [], secret = [], input = [], required = [] } = kind;
  const hidden = [...secret, ...input];
  // AWS checks the whole resource after each update, and what it never shows is missing there.
  const wholeBody = required.some((name) => hidden.includes(`/${name}`));
  return {
    ...plainType,
    taggable: tags !== undefined,
    boundBy: boundBy(kind, { wholeBody }),
    wholeBody,
    immutable: fixed.map((pointer) => (pointer === `/${tags?.at}` ? tagParameter : named(pointer))),
    writeOnly: secret.map(named),
    inputOnly: input.map(named),
    readOnly,
    name: /^[^\s|]{1,512}$/,
  };
}

/** The type's name for the place at a pointer: a top-level member has just its name. */
function named(pointer: string): string {
  return /^\/([^/~]+)$/.exec(pointer)?.[1] ?? pointer;
}

/** A creation never overwrites. An update can test a tag, and AWS's call for tags only names what it changes. */
function boundBy({ tags, readOnly = [] }: AwsKind, { wholeBody }: { readonly wholeBody: boolean }): BoundBy {
  const byCall = wholeBody && readOnly.includes("/Arn") ? "mask" : "test";
  const isWritable = tags !== undefined && tags.fixed !== true;
  return { create: "etag", properties: tags === undefined ? "mask" : "test", tags: isWritable ? byCall : "none" };
}
