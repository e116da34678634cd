import type { CloudFault, SlowWrites, WorldFacts } from "../plan.ts";
import type { Mistake, VariedStates } from "./declarations.ts";
import type { VariedName } from "./values.ts";

/** What happens in a varied world. Components are named by their position. */
export type VariedDeed =
  | { readonly kind: "declare" | "plan-new"; readonly states: VariedStates }
  | { readonly kind: "plan"; readonly states: VariedStates; readonly mistake: Mistake | null }
  | { readonly kind: "edit"; readonly component: number; readonly name: VariedName; readonly nth: number }
  | { readonly kind: "take-over" | "hand-back" | "remove"; readonly component: number }
  /** A person acts once the agent has claimed the component for its next write, or right after it has sent that. */
  | {
      readonly kind: "cross";
      readonly component: number;
      readonly when: "claimed" | "sent";
      readonly does: "take-over" | "remove" | "edit";
    }
  | { readonly kind: "recreate"; readonly component: number; readonly isManaged: boolean }
  | { readonly kind: "tag"; readonly component: number; readonly key: string; readonly value: string }
  /** One of two people notes something about an override; `null` clears what was noted. */
  | {
      readonly kind: "annotate";
      readonly component: number;
      readonly isOther: boolean;
      readonly note: { readonly reason?: string | null; readonly ticket?: string | null };
      readonly remindInMs: number | null;
    }
  /** A person accepts what the cloud shows at some places, or forgets it. */
  | { readonly kind: "accept" | "forget"; readonly component: number; readonly every: number }
  | { readonly kind: "check" | "plan-hand-back"; readonly component: number }
  | { readonly kind: "rotate"; readonly value: string | null }
  | {
      readonly kind: "fault";
      readonly cloud: number;
      readonly call: "read" | "write" | "bulk";
      readonly what: CloudFault["what"];
    }
  | { readonly kind: "slow"; readonly cloud: number; readonly writes: SlowWrites }
  | { readonly kind: "delete" }
  /** The owner's account is closed: everything is fenced, and released after a while. */
  | { readonly kind: "release"; readonly afterMs: number }
  /** Another live system declares a resource that exists, as it is or as it should be. */
  | {
      readonly kind: "adopt";
      readonly exact: boolean;
      readonly size: number;
      /** It refers to something that isn't there. */
      readonly refers: boolean;
      /** It has a secret. */
      readonly hides: boolean;
    }
  | { readonly kind: "read" };

/** A deed, and how long nothing else happens after it. */
export interface VariedTurn {
  readonly deed: VariedDeed;
  readonly thenMs: number;
}

/** A whole varied world. */
export interface VariedPlan {
  readonly seed: number;
  readonly world: WorldFacts;
  /** How each cloud stores each parameter, by position. */
  readonly stored: readonly Readonly<Record<VariedName, number>>[];
  /** Whether the clouds leave out empty values. */
  readonly omitsEmpty: boolean;
  readonly deeds: readonly VariedTurn[];
}
