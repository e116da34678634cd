import type { Component } from "../contract/schemas/live-system-schemas.ts";
import type { AdoptionPlan } from "../contract/schemas/override-schemas.ts";
import type { LoggedEvent } from "../events/event-chain.ts";

/** What is told: an event of the log, or a test, which has no place there. */
export type OutgoingEvent = Omit<LoggedEvent, "sequence" | "about"> & Partial<Pick<LoggedEvent, "sequence">>;

/** What a message says beside the event. */
export interface MessageContext {
  /** What the event is about as it is now; `null`: nothing is known of it any more. */
  readonly component: ComponentFacts | null;
  /** The name of whoever did it; `null`: nobody knows one. */
  readonly actorName: string | null;
  /** Where the console is; empty: there is none. */
  readonly consoleUrl: string;
  readonly now: number;
}

/** What is known of a component at the moment at which somebody is told of it. */
export interface ComponentFacts {
  readonly liveSystemName: string;
  /** `null`: it is gone. */
  readonly component: Component | null;
  /** What a hand-back would put back. */
  readonly plan: Pick<AdoptionPlan, "possible" | "reason" | "changes"> | null;
}
