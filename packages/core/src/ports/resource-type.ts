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
  /** Can it carry tags? If not it is overridden with another component. */
  readonly taggable: boolean;
  /** Pointers of arrays whose order means nothing. */
  readonly sets: readonly string[];
  /** Pointers whose text is compared without case and spaces, such as a location's name. */
  readonly caseless: readonly string[];
  /** Top-level parameters that can't change once the resource exists. */
  readonly immutable: readonly string[];
  /** Top-level parameters that the cloud takes and never gives back. */
  readonly writeOnly: readonly string[];
  /** Outputs whose value must not be shown. */
  readonly sensitiveOutputs: readonly string[];
  /** What a declared `resourceName` has to look like. @default segments of up to 90 letters, digits and `.`, `_`, `-` */
  readonly name?: RegExp;
}

/** What a cloud says of a type before something is made of it. */
export type TypeDescription =
  | { readonly taggable: boolean }
  /** Nothing can be made of it. Why, and which types are near: for whoever declared it. */
  | { readonly refused: string };
