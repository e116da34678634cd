import type { ResourceRef } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import tables from "../../tables/aws.json" with { type: "json" };
import { nearIt, nearNames } from "../cloud-http/near-names.ts";

/** Where the tags of a type are, and in which form. */
export interface AwsTags {
  /** The property. */
  readonly at: string;
  /** The member of it that holds the list. @default the property itself */
  readonly within?: string;
  /** `list`: items of `Key` and `Value`; `launched`: those of Auto Scaling, which say whether instances get them; `map`: values by key. */
  readonly form: "list" | "launched" | "map";
  /** They can't be written after the creation. @default false */
  readonly fixed?: true;
}

/** What AWS publishes about a type. Absent lists are empty. */
export interface AwsKind {
  /** The properties that make the identifier, in order: a name, or a path like `Device/DeviceName`. */
  readonly id: readonly string[];
  /** Absent: the type carries no tags. */
  readonly tags?: AwsTags;
  /** The form of the ARN. Where it names the identifier's properties, one gives the other. */
  readonly arn?: string;
  readonly required?: readonly string[];
  /** Pointers of what can't change after the creation. */
  readonly fixed?: readonly string[];
  readonly readOnly?: readonly string[];
  /** Pointers of secrets that are never shown. */
  readonly secret?: readonly string[];
  /** Pointers of other values that are never shown. */
  readonly input?: readonly string[];
}

/** A type with its facts. */
export interface NamedAwsKind extends AwsKind {
  readonly type: string;
}

const kinds = tables as Readonly<Record<string, AwsKind>>;

/** The facts of a type; `null` if AWS doesn't describe it. */
export function awsKindOf(type: string): NamedAwsKind | null {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  return kind === undefined ? null : { type, ...kind };
}

/** The facts of a resource's type, which must be known. */
export function knownAwsKind({ type }: Pick<ResourceRef, "type">): NamedAwsKind {
  const kind = awsKindOf(type);
  if (kind !== null) return kind;
  throw new LiveplaneError("ProviderError", unknownAwsType(type), { details: { reason: "UnknownType" } });
}

/** The error for an unknown type, with similar ones. */
export function unknownAwsType(type: string): string {
  const near = nearIt(nearNames(type, Object.keys(kinds), (name) => name.toLowerCase()));
  return `This isn't a known AWS type.${near} A type is a vendor, a service and a resource: AWS::S3::Bucket.`;
}

/** Whether a resource's ARN is its identifier. A secret calls it `Id`. */
export function isItsArn({ type, id: [only = "", ...others] }: NamedAwsKind): boolean {
  return others.length === 0 && (/arn$/i.test(only) || type === "AWS::SecretsManager::Secret");
}

/** All types that AWS describes. */
export const awsKinds: readonly NamedAwsKind[] = Object.entries(kinds).map(([type, kind]) => ({ type, ...kind }));

/** Where the name is that the caller chooses and that alone identifies a resource; `null` if AWS chooses, or if there are several. */
export function namePointer({ id, readOnly = [] }: AwsKind): string | null {
  const [only, ...others] = id;
  return only === undefined || others.length > 0 || readOnly.includes(`/${only}`) ? null : `/${only}`;
}
