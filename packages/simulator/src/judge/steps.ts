import type { Reading, SeenResource } from "@liveplane/core/clouds";
import type {
  Fact,
  Invariant,
  JudgedCloud,
  Landed,
  ResourceChanged,
  SentDefinition,
  StoredComponent,
  StoredEpisode,
  StoredMutation,
  ToldEvent,
  Wanted,
} from "./facts.ts";

/** The position of a step in the order of everything, and its millisecond. */
export interface StepTime {
  readonly order: number;
  readonly at: number;
}

/** A direct read. */
export interface Sighting extends StepTime {
  readonly reading: Reading;
}

/** A change that a process sent to a resource. */
export interface Sent extends StepTime {
  readonly process: string;
  readonly operation: ResourceChanged["operation"];
  /** The etag that it is bound to; `null` if none; `undefined`: not known. */
  readonly etag: string | null | undefined;
  /** It is to change nothing but tags. */
  readonly isOfTags: boolean;
  /** The live systems that the process read in the same millisecond, each with the position of its first read. */
  readonly looks: ReadonlyMap<string, number>;
  /** How long its process had fetched nothing before, which it does at each turn unless it pauses. */
  readonly idleMs: number;
  /** The component with the resource, as it was stored. */
  readonly component: StoredComponent | null;
}

/** A stored component, and since when. */
export interface Kept {
  readonly record: StoredComponent;
  readonly order: number;
}

/** A deploy or a delete was accepted. */
export interface MutationAccepted {
  readonly kind: "accepted";
  readonly mutation: StoredMutation;
  /** `null` for a delete. */
  readonly definition: SentDefinition | null;
  /** The moves in the definition: new paths by old ones, without case. */
  readonly movesAsked: ReadonlyMap<string, string>;
  /** The moves in the commit's events: new IDs by old ones, without case. */
  readonly movesTold: ReadonlyMap<string, string>;
}

interface MutationStored {
  readonly kind: "mutation-stored";
  readonly before: StoredMutation | null;
  readonly after: StoredMutation;
  readonly events: readonly ToldEvent[];
}

/** Components moved: new IDs by old ones, without case. */
interface Moved {
  readonly kind: "moved";
  readonly ids: ReadonlyMap<string, string>;
}

export interface ComponentStored {
  readonly kind: "component-stored";
  /** Without case. */
  readonly id: string;
  readonly before: StoredComponent | null;
  /** The position of the commit that stored `before`. */
  readonly since: number;
  readonly after: StoredComponent | null;
  readonly process: string;
  readonly events: readonly ToldEvent[];
  /** The ledger lines in the same commit. */
  readonly lines: readonly StoredEpisode[];
  /** The resource key of a component that is gone, and whether it was left behind. `null`: it had none, or isn't gone. */
  readonly parted: { readonly key: string; readonly isReleased: boolean } | null;
  /** The read that explains what the agent stored. Some rules judge before it is known. */
  readonly explainedBy?: Reading;
}

/** A read that may explain what the agent stored. */
interface Explaining {
  readonly before: StoredComponent;
  readonly after: StoredComponent;
  readonly reading: Reading;
  readonly resource: SeenResource | null;
  readonly declared: Wanted;
  readonly cloud: JudgedCloud;
}

/** It shows the resource, or that there is none. */
export interface Look extends Explaining {
  readonly kind: "look";
  /** The differing parameters without references, whose values only the read knows. */
  readonly differing: readonly string[];
  readonly referring: ReadonlySet<string>;
}

/** The cloud is working on the resource, or gave up without showing it. */
interface Glimpse extends Explaining {
  readonly kind: "glimpse";
}

/** A process changed a component's resource. */
export interface Wrote {
  readonly kind: "wrote";
  readonly process: string;
  readonly component: StoredComponent;
  readonly cloud: JudgedCloud;
  readonly change: ResourceChanged;
  readonly sent: Sent;
  /** The read that it was decided on, as far as is known: the last one before its claim that showed the resource. */
  readonly decided: Sighting | undefined;
  /** The declarations in force since the process's last read, newest last. */
  readonly declared: readonly Wanted[];
}

/** An accepted write has succeeded. */
export interface Finished {
  readonly kind: "finished";
  readonly process: string;
  readonly component: StoredComponent;
  readonly cloud: JudgedCloud;
  readonly change: Landed;
  readonly declared: readonly Wanted[];
}

/** All faults have ended, and everything has come to rest. */
interface Rested {
  readonly kind: "rested";
}

/** What rules judge and observe: facts with their meaning, given everything before. */
export type Step = StepTime &
  (
    | Exclude<Fact, { readonly kind: "asked" }>
    | MutationAccepted
    | MutationStored
    | Moved
    | ComponentStored
    | Look
    | Glimpse
    | Wrote
    | Finished
    | Rested
  );

export type StepOf<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>;

type ByKind<Answer> = { readonly [Kind in Step["kind"]]?: (step: StepOf<Kind>) => Answer };

export interface Observer {
  readonly observes: ByKind<void>;
}

/** One invariant. */
export interface Rule extends Partial<Observer> {
  readonly invariant: Invariant;
  /** What is wrong with a step; `null` if nothing. Called before anything observes the step. */
  readonly judges: ByKind<string | null>;
}

export function verdictOf({ judges }: Rule, step: Step): string | null {
  return (judges[step.kind] as ((step: Step) => string | null) | undefined)?.(step) ?? null;
}

/** Lets an observer see a step. */
export function show({ observes }: Partial<Observer>, step: Step): void {
  (observes?.[step.kind] as ((step: Step) => void) | undefined)?.(step);
}
