import type { CloudCapabilities } from "./cloud-capabilities.ts";

/**
 * What keeps a write from falling on what has changed since it was read. `etag`: it is refused once anything of the resource moved.
 * `fingerprint`: once that part of it moved. `mask`: nothing is refused, but only what is named is written, so that what a person
 * does beside it stays. `none`: the whole body is written, as it was read.
 */
export type Binding = "etag" | "fingerprint" | "mask" | "none";

/** What binds the writes of a type. */
export interface BoundBy {
  /** `none`: a creation may overwrite what somebody else made at the same moment. */
  readonly create: Binding;
  readonly properties: Binding;
  readonly tags: Binding;
}

/** What a cloud knows of a type of resource. Pure facts, from a table. */
export interface ResourceType {
  /** What binds its writes. @default etags bind everything where the cloud has `conditionalWrites`, else only what is named is written */
  readonly boundBy?: BoundBy;
  /** A change of its parameters is sent as its whole body: the cloud loses what isn't in it. @default false */
  readonly wholeBody?: boolean;
  /** Can it carry tags? If not it is overridden with another component. */
  readonly taggable: boolean;
  /** Pointers of arrays whose order means nothing. In these and the pointers below `*` stands for every name and place. */
  readonly sets: readonly string[];
  /** The members that tell the items of lists apart, by the list's pointer. @default the first of `name`, `key` and `id` that all items have */
  readonly keys?: Readonly<Record<string, string>>;
  /** Pointers whose text is compared without case and spaces, such as a location's name. */
  readonly caseless: readonly string[];
  /** One spelling of a link for all that name the same resource to what is in this scope; `null`: the text isn't a link. @default no text is */
  readonly linkOf?: (text: string, scope: string) => string | null;
  /** Pointers of whole numbers that the cloud writes as texts: `10` is the same as `"10"`. */
  readonly wholeNumbers?: readonly string[];
  /** Pointers of texts that name a range: `80` is the same as `80-80`. */
  readonly ranges?: readonly string[];
  /** Names of members whose texts are compared without case, wherever they are: those that hold one of a few words. @default none */
  readonly words?: RegExp;
  /** Values that say nothing (`false`, zero, an empty text or list) are left out of what is read. @default false */
  readonly omitsEmpty?: boolean;
  /** Pointers with a documented default that isn't empty: there an empty value isn't the same as none. */
  readonly keepsEmpty?: readonly string[];
  /** What can't change once the resource exists: top-level parameters by name, what lies deeper by its pointer. */
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
  /** Pointers of members that only the cloud sets, though it shows them among the parameters. @default none */
  readonly readOnly?: readonly string[];
  /** Values that the cloud shows and nobody else may, such as settings that hold connection strings. Pointers. @default none */
  readonly sensitive?: readonly string[];
  /** Outputs whose value must not be shown. */
  readonly sensitiveOutputs: readonly string[];
  /** What a declared `resourceName` has to look like. @default segments of up to 90 letters, digits and `.`, `_`, `-` */
  readonly name?: RegExp;
}

/** A type of which nothing is known: it can carry tags, and its parameters are compared as they stand. */
export const plainType: ResourceType = {
  taggable: true,
  sets: [],
  caseless: [],
  immutable: [],
  writeOnly: [],
  sensitiveOutputs: [],
};

/** What a cloud says of a type before something is made of it. */
export type TypeDescription =
  | { readonly taggable: boolean }
  /** Nothing can be made of it. Why, and which types are near: for whoever declared it. */
  | { readonly refused: string };

const byEtags: BoundBy = { create: "etag", properties: "etag", tags: "etag" };
const byMasks: BoundBy = { create: "etag", properties: "mask", tags: "mask" };

/** As much of a cloud as tells what binds writes. */
export interface BindingFacts {
  readonly capabilities: Pick<CloudCapabilities, "conditionalWrites">;
  readonly resourceType: (type: string) => Pick<ResourceType, "boundBy">;
}

/** What binds the writes of a type: as its facts say, else as the cloud's capabilities do. */
export function boundByOf(cloud: BindingFacts, type: string): BoundBy {
  return cloud.resourceType(type).boundBy ?? (cloud.capabilities.conditionalWrites ? byEtags : byMasks);
}
