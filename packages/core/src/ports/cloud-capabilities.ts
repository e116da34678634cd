/** What a cloud lets stand in a tag, and how much of it. */
export interface TagRules {
  readonly most: number;
  /** Why a key or its value is refused; `null`: it is fine. Pure. */
  readonly refusal: (key: string, value: string) => string | null;
}

/** How many calls a scope takes: a bucket of so many, and how many flow into it each second. */
export interface CallPace {
  readonly perSecond: number;
  readonly burst: number;
}

/** Calls that a cloud counts apart: of single resources, of many at once, and what changes something. */
export type CallSort = "read" | "bulk" | "write";

/** What a cloud has said of how many calls it still takes before it refuses. */
export interface RemainingCalls {
  readonly calls: number;
  /** When it said so: what is said again later is another number, also where it is the same. */
  readonly at: number;
}

/** What a cloud can't be made to do. */
export interface CloudCapabilities {
  /** Writes are refused when the etag moved. Without it the agent rereads right before each write and reports a race. */
  readonly conditionalWrites: boolean;
  /** The most resources that one `readMany` takes. 1: it has no bulk read. */
  readonly bulkReadSize: number;
  /** Tag keys are compared without case. */
  readonly caselessTagKeys: boolean;
  /** The name of the parameter that declares tags: `tags` or `labels`. */
  readonly tagParameter: string;
  /** What declared tags are judged by, before anything is done with them. @default anything may stand in a tag */
  readonly tagRules?: TagRules;
  readonly deviceAuthorization: boolean;
  /**
   * It was given an identity of the host's, which `workload` credentials stand for: it serves only what the host lists. @default false: it
   * has none that could be used for others
   */
  readonly ownIdentity?: boolean;
  /** How many calls of each sort one scope takes. @default what the host says, for calls of all sorts together */
  readonly pace?: Readonly<Record<CallSort, CallPace>>;
  /** How long after a change its own record tells of it, for whoever asks `whoChanged`. @default 0 */
  readonly recordLagMs?: number;
}
