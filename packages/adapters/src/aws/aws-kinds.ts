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
  /** The properties that make the identifier, in order. */
  readonly id: readonly string[];
  /** Absent: the type carries no tags. */
  readonly tags?: AwsTags;
  /** The ARN, if it contains the identifier's properties. */
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
