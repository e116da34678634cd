import type { CloudCapabilities } from "./cloud-capabilities.ts";

/**
 * What protects a write against changes since the read. `etag`: refused if anything in the resource has changed. `fingerprint`: refused if
 * that part of it has changed. `test`: refused if the tag in its condition is gone or has another value. `mask`: never refused, but only
 * named members are written, so concurrent changes to others stay. `none`: the whole body is written as it was read.
 */
export type Binding = "etag" | "fingerprint" | "test" | "mask" | "none";

/** How the writes of a type are bound. */
export interface BoundBy {
  /** `none`: a creation may overwrite what somebody else created at the same moment. */
  readonly create: Binding;
  readonly properties: Binding;
  readonly tags: Binding;
}

/** What a cloud knows about a resource type. Pure facts, from a table. */
export interface ResourceType {
  /** How its writes are bound. @default by etag if the cloud has `conditionalWrites`, otherwise only named members are written */
  readonly boundBy?: BoundBy;
  /** A change of its parameters is sent as its whole body: the cloud loses what isn't in it. @default false */
  readonly wholeBody?: boolean;
  /** Can it carry tags? If not it is overridden with another component. */
  readonly taggable: boolean;
  /** Pointers of arrays without a meaningful order. In these and all pointers below, `*` matches every name and index. */
  readonly sets: readonly string[];
  /** The members that identify list items, by the list's pointer. @default the first of `name`, `key` and `id` that all items have */
  readonly keys?: Readonly<Record<string, string>>;
  /** Pointers of strings that are compared without case and spaces, such as a location's name. */
  readonly caseless: readonly string[];
  /**
   * The canonical spelling of a link to a resource, for links within this scope; `null` if the text isn't a link.
   * @default no text is a link
   */
  readonly linkOf?: (text: string, scope: string) => string | null;
  /** Pointers of whole numbers that the cloud shows as strings: `10` equals `"10"`. */
  readonly wholeNumbers?: readonly string[];
  /** Pointers of strings that name a range: `80` equals `80-80`. */
  readonly ranges?: readonly string[];
  /** Names of members whose strings are compared without case, wherever they are, because they hold one of a few words. @default none */
  readonly words?: RegExp;
  /** Empty values (`false`, zero, an empty string or list) are left out of reads. @default false */
  readonly omitsEmpty?: boolean;
  /** Pointers with a documented non-empty default: there, empty isn't the same as absent. */
  readonly keepsEmpty?: readonly string[];
  /** Pointers of lists that the cloud fills itself where they are declared empty. @default none */
  readonly filled?: readonly string[];
  /** Words that leave the choice to the cloud, such as Google's `MODE_UNSPECIFIED`. Any value matches them. @default none */
  readonly undecided?: RegExp;
  /** Documented defaults that aren't empty, by pointer. A declaration of an existing resource leaves them out. @default none */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>;
  /** What can't change once the resource exists: top-level parameters by name, deeper ones by pointer. */
  readonly immutable: readonly string[];
  /** The only top-level parameters that can change once the resource exists. @default all but those in `immutable` */
  readonly changeable?: readonly string[];
  /** Secrets that the cloud takes and never gives back: top-level parameters by name, what lies deeper by its pointer. */
  readonly writeOnly: readonly string[];
  /**
   * What the cloud takes and never gives back though it isn't secret, named as in `writeOnly`. Where a resource shows some of it all the
   * same, that is compared. What counts at a creation alone MUST be in `immutable` too. @default nothing
   */
  readonly inputOnly?: readonly string[];
  /** Pointers of members that only the cloud sets, although it shows them among the parameters. @default none */
  readonly readOnly?: readonly string[];
  /** Pointers of values that the cloud shows and nobody else may, such as settings with connection strings. @default none */
  readonly sensitive?: readonly string[];
  /** Outputs that must not be shown. */
  readonly sensitiveOutputs: readonly string[];
  /** The type as a declaration of an existing resource names it, such as with an API version. @default as it is asked for */
  readonly declaredAs?: string;
  /** The pattern of a declared `resourceName`. @default segments of up to 90 letters, digits and `.`, `_`, `-` */
  readonly name?: RegExp;
}

/** A type about which nothing is known: it can have tags, and its parameters are compared literally. */
export const plainType: ResourceType = {
  taggable: true,
  sets: [],
  caseless: [],
  immutable: [],
  writeOnly: [],
  sensitiveOutputs: [],
};

/** What a cloud says about a type before anything of it is created. */
export type TypeDescription =
  | { readonly taggable: boolean }
  /** It can't be created. The reason and similar types, for whoever declared it. */
  | { readonly refused: string };

/** Something wrong in declared parameters, and where: a pointer rooted at them. Never contains a value. */
export interface ParameterMistake {
  readonly pointer: string;
  readonly detail: string;
}

const byEtags: BoundBy = { create: "etag", properties: "etag", tags: "etag" };
const byMasks: BoundBy = { create: "etag", properties: "mask", tags: "mask" };

/** The parts of a cloud that tell how writes are bound. */
export interface BindingFacts {
  readonly capabilities: Pick<CloudCapabilities, "conditionalWrites">;
  readonly resourceType: (type: string) => Pick<ResourceType, "boundBy">;
}

/** How the writes of a type are bound: by its facts, otherwise by the cloud's capabilities. */
export function boundByOf(cloud: BindingFacts, type: string): BoundBy {
  return cloud.resourceType(type).boundBy ?? (cloud.capabilities.conditionalWrites ? byEtags : byMasks);
}

/** Which part of a resource a change writes. One without anything in it applies all properties again. */
export function writtenPart({
  parameters,
  tags,
}: {
  readonly parameters: readonly unknown[];
  readonly tags: object;
}): "properties" | "tags" {
  return parameters.length === 0 && Object.keys(tags).length > 0 ? "tags" : "properties";
}
