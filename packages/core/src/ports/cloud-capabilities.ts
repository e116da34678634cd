/** What a cloud accepts in tags, and how many. */
export interface TagRules {
  readonly most: number;
  /** Why a key or its value is refused; `null` if it is fine. Pure. */
  readonly refusal: (key: string, value: string) => string | null;
}

/** How many calls a scope accepts: the size of a bucket, and its refill per second. */
export interface CallPace {
  readonly perSecond: number;
  readonly burst: number;
}

/** Calls that a cloud counts separately: reads of one resource, bulk reads, and writes. */
export type CallSort = "read" | "bulk" | "write";

/** How many calls a cloud says it will still accept. */
export interface RemainingCalls {
  readonly calls: number;
  /** When it said so. The same count said later is news. */
  readonly at: number;
}

/** The abilities and limits of a cloud. */
export interface CloudCapabilities {
  /** Writes are refused if the etag has changed. Otherwise the agent reads again right before each write and reports races. */
  readonly conditionalWrites: boolean;
  /** The most resources that one `readMany` accepts. 1 means there is no bulk read. */
  readonly bulkReadSize: number;
  /** Tag keys are compared without case. */
  readonly caselessTagKeys: boolean;
  /** The name of the parameter that declares tags: `tags` or `labels`. */
  readonly tagParameter: string;
  /** The rules for declared tags. @default anything is allowed in a tag */
  readonly tagRules?: TagRules;
  readonly deviceAuthorization: boolean;
  /**
   * The adapter has an identity of the host's, which `workload` credentials refer to. It serves only the places that the host lists.
   * @default false: there is no identity that could be used for others
   */
  readonly ownIdentity?: boolean;
  /** How many calls of each kind one scope accepts. @default the host's limit for all kinds together */
  readonly pace?: Readonly<Record<CallSort, CallPace>>;
  /** How long after a change the activity log shows it to `whoChanged`. @default 0 */
  readonly recordLagMs?: number;
}
