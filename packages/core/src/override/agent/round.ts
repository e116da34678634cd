import type { EventType } from "../../contract/event-types.ts";
import type { Json } from "../../ports/store.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { MutationRecord } from "../records/live-system-record.ts";
import type { DirectObservation } from "./agent-observe.ts";
import type { ComponentTransition } from "./agent-transition.ts";
import type { CloudWrite, PlannedWrite } from "./agent-write.ts";

/** One round of a pass. */
export interface Round {
  readonly observation: DirectObservation;
  readonly transition: ComponentTransition;
  /** The mutation whose step begins with this round's decision; `null`: none does. */
  readonly begins: MutationRecord | null;
  /** The writes of this pass; the observation shows what the last one did. */
  readonly writes: readonly CloudWrite[];
  /** The places whose settled forms the last write taught. */
  readonly taught: readonly string[];
}

/** What a decision depends on besides the round: clocks and this process's memory. */
export interface DecisionFacts {
  readonly now: number;
  /** How often components are checked. */
  readonly everyMs: number;
  /** The last write failed or had no effect, so nothing may be written now. */
  readonly rests: boolean;
  /** The lease is ending: no write may start. */
  readonly isOver: boolean;
  readonly requestId: string;
  /** The name of the lease that a write would be sent under; `null` if it doesn't end. */
  readonly lease: string | null;
}

/** The result of a round: the component to store, the events to emit, and the next write. */
export interface RoundDecision {
  readonly next: ComponentRecord;
  readonly events: readonly Emitted[];
  readonly write: PlannedWrite | null;
  /** The result of the previous write, for metrics and the log; `null` if there was none or it hasn't finished. */
  readonly wrote: { readonly outcome: string; readonly failed?: Readonly<Record<string, unknown>> } | null;
}

/** An event of a component. */
export interface Emitted {
  readonly type: EventType;
  readonly data: { readonly [name: string]: Json };
}
