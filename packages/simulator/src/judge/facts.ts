import type { Binding, Reading } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";

import type {
  Acknowledged,
  OverrideRow,
  PlannedHandBack,
  ShownComponent,
  ShownEpisode,
  ShownLiveSystem,
  ShownMutation,
  StoredWaiting,
} from "./stored-facts.ts";

export type { Broken, Invariant } from "./invariant-facts.ts";
export type {
  Acknowledged,
  OverrideRow,
  PlannedHandBack,
  SaidOfOverride,
  ShownComponent,
  ShownEpisode,
  ShownLiveSystem,
  ShownMutation,
  StoredComponent,
  StoredEpisode,
  StoredMutation,
  StoredWaiting,
  StoredWitness,
} from "./stored-facts.ts";

/** The judge's knowledge of a cloud: facts, and none of its code. */
export interface JudgedCloud {
  readonly provider: string;
  /** How the writes of a type are bound. */
  readonly bindingsOf: (type: string) => { readonly properties: Binding; readonly tags: Binding };
  readonly caselessTagKeys: boolean;
  /** The parameter that declares tags. */
  readonly tagParameter: string;
  /** Whether resources of the type can have tags. */
  readonly isTaggable: (type: string) => boolean;
  /** Pointers of arrays without a meaningful order. */
  readonly setsOf: (type: string) => readonly string[];
  /** The places with its own forms of values. @default none */
  readonly words?: CloudWords;
  /** After what time its activity log shows a change. Absent: it has none. */
  readonly logMs?: number;
  /** It chooses the IDs of new resources, so a late creation makes a second one. @default false */
  readonly choosesIds?: boolean;
  /** The parameters of a type that it never shows. @default none */
  readonly unseenOf?: (type: string) => readonly string[];
  /** The key with which a resource may be called. @default any */
  readonly keyFor?: (name: string) => string;
}

/** How a cloud changes the values of writes. */
export interface CloudWords {
  /** The parameter with such places. */
  readonly parameter: string;
  /** Its members that are such places. */
  readonly members: readonly string[];
  /**
   * Every form that it may show for an accepted value in one of these editions of its words; `null` for nothing. Empty: it ignores the
   * value.
   *
   * @default every edition
   */
  readonly forms: (member: string, sent: Json, editions?: readonly number[]) => readonly Json[];
  /** The edition of a resource's words. */
  readonly editionOf: (parameters: ResourceTruth["parameters"]) => number;
}

/** What stays the same in a world. */
export interface JudgedWorld {
  readonly clouds: readonly JudgedCloud[];
  readonly restoredTag: "resume-when-clean" | "resume" | "wait";
  /** With several processes on the store, how long claims count. `null` with one process. */
  readonly claimMs: number | null;
  /** The same for a claim on a write that is refused when it is late, made under a lease: it ends with the lease. Absent: as any claim. */
  readonly leasedClaimMs?: number;
  /** How old an override is that people are reminded of, if no clock is wrong. Absent: nobody knows. */
  readonly overdueMs?: number;
  /** How long a step of a deploy waits for a cloud that is working, and for one that fails. Absent: nobody knows. */
  readonly waitsMs?: Readonly<Record<StoredWaiting["why"], number>>;
  /** Which process has a lease now; `null` if none. It may take what was claimed under it. */
  readonly leaseHolder?: (lease: string) => string | null;
  /** Milliseconds since the world began, independent of any process's clock. */
  readonly now: () => number;
}

/** The actual state of a resource. */
export interface ResourceTruth {
  readonly resourceId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly identity?: string;
  /** What it says about its failed last write, if it can be retried: it doesn't match then, whatever it shows. */
  readonly failed?: object;
}

/** Who changed a resource by hand, as its cloud's activity log says. */
export interface Logged {
  readonly name: string;
  readonly at: string;
  readonly operation: string;
  readonly isOfTags: boolean;
}

/** A change to a resource, at the time it happened. */
export interface ResourceChanged {
  readonly operation: "create" | "update" | "remove" | "removeTag";
  readonly resourceId: string;
  readonly before: ResourceTruth | null;
  readonly after: (ResourceTruth & { readonly intent?: string | null }) | null;
  /** The worded places that it sent. */
  readonly sent?: readonly string[];
  /** It is accepted, and changes parameters when it ends. */
  readonly isBegun?: true;
  /** What an activity log says of it. Absent: there is none, or a process made the change. */
  readonly logged?: Logged;
  /** The straggler that it is: its sender had given up before it arrived. */
  readonly straggler?: number;
}

/** The result of an accepted write that has ended. */
export interface Landed extends ResourceChanged {
  /** The cloud gave up. */
  readonly failed: boolean;
  /** Nobody saw the resource while it was being made. */
  readonly wasHidden?: boolean;
}

/** An event as it is committed. */
export interface ToldEvent {
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly [name: string]: Json | undefined };
}

/** A declaration as sent. */
export interface SentDefinition {
  readonly adopt?: "exact" | null;
  readonly components: readonly SentComponent[];
}

/** One component of it. */
export interface SentComponent {
  readonly path: string;
  readonly provider: string;
  readonly type: string;
  readonly resourceId?: string | null;
  readonly parameters?: Readonly<Record<string, Json>> | null;
  readonly dependsOn?: readonly string[] | null;
  readonly overrideWith?: string | null;
  readonly muteDrift?: readonly string[] | null;
  readonly deletionPolicy?: "Delete" | "Retain" | null;
  readonly ignoreChanges?: readonly string[] | null;
  readonly allowExtraItems?: readonly string[] | null;
  readonly movedFrom?: string | null;
  readonly unconditionalWrites?: boolean | null;
}

/** A declared component as the judge sees it. */
export interface Wanted extends SentComponent {
  /** Its dependencies, declared or implied by references. */
  readonly needs: readonly string[];
  /** Its existing resource is adopted only as it is. */
  readonly adoptsExactly?: boolean;
}

/** Everything that a judge receives. Plain data, in the order in which it happens. */
export type Fact =
  /** A request for a deploy, or without a definition for a delete. The commits tell whether it is accepted. */
  | {
      readonly kind: "asked";
      readonly requestId: string;
      readonly definition: SentDefinition | null;
    }
  /** A process read a resource directly, or looked for one by its intent. */
  | { readonly kind: "read"; readonly process: string; readonly name: string; readonly reading: Reading }
  /** A process has asked about an accepted write to a resource, which has ended. */
  | { readonly kind: "followed"; readonly process: string; readonly name: string }
  /** A process begins to read a resource directly. */
  | { readonly kind: "asks"; readonly process: string; readonly name: string }
  /** A process sends a change of a resource. */
  | {
      readonly kind: "sent";
      readonly process: string;
      readonly provider: string;
      readonly operation: ResourceChanged["operation"];
      readonly resourceId: string;
      /** The etag that it is bound to; `null` if none. Absent: not known. */
      readonly etag?: string | null;
      /** It is to change nothing but tags. @default false */
      readonly isOfTags?: boolean;
    }
  /** The process gives up the write that it has just sent. It still arrives, under this number. */
  | {
      readonly kind: "straggles";
      readonly process: string;
      readonly provider: string;
      readonly resourceId: string;
      readonly straggler: number;
    }
  /** The process got its answer: made, not made (or only started), or unknown. */
  | {
      readonly kind: "answered";
      readonly process: string;
      readonly provider: string;
      readonly resourceId: string;
      readonly made: boolean;
      /** The answer was lost, so its process doesn't know. */
      readonly isLost?: boolean;
    }
  /** A call of the process to the store failed, or its answer was lost. */
  | { readonly kind: "hindered"; readonly process: string }
  /** A process died; what it sent may still arrive. */
  | { readonly kind: "died"; readonly process: string }
  /** A resource changed; `null` if a person did it. */
  | {
      readonly kind: "changed";
      readonly process: string | null;
      readonly provider: string;
      readonly change: ResourceChanged;
    }
  /** An accepted write has ended, successfully or not. */
  | { readonly kind: "landed"; readonly provider: string; readonly change: Landed }
  /** A process read a record. */
  | { readonly kind: "fetched"; readonly process: string; readonly key: readonly string[] }
  /** A process stored something. */
  | {
      readonly kind: "committed";
      readonly process: string;
      readonly sets: readonly { readonly key: readonly string[]; readonly value: Json }[];
      readonly deletes: readonly (readonly string[])[];
      readonly events: readonly ToldEvent[];
      /** The version that it gives its records. Absent: not known. */
      readonly version?: number;
    }
  /** The environment's secret has this value now; `null` if it is deleted. */
  | { readonly kind: "secret"; readonly name: string; readonly value: string | null }
  /** A live system and its components as shown to people while nothing changed. */
  | {
      readonly kind: "shown";
      readonly system: ShownLiveSystem;
      readonly components: readonly ShownComponent[];
      /** Its last mutation. */
      readonly mutation: ShownMutation;
      /** The ledgers of some components, by their IDs. */
      readonly ledgers: ReadonlyMap<string, readonly ShownEpisode[]>;
      /** Every open override. */
      readonly overrides: readonly OverrideRow[];
    }
  /** A person asked for a check, and was answered. */
  | { readonly kind: "acknowledged"; readonly id: string; readonly answer: Acknowledged }
  /** A person asked for the plan of a hand-back, and was answered. */
  | {
      readonly kind: "planned";
      readonly id: string;
      readonly plan: PlannedHandBack;
      /** The position of the newest acceptance when they asked. */
      readonly since: number;
    }
  /** A process called a cloud about resources, by their IDs or names, with this key. */
  | {
      readonly kind: "called";
      readonly process: string;
      readonly provider: string;
      readonly names: readonly string[];
      readonly key: string | null;
    }
  /** Somebody called an operation, and was answered or refused. */
  | { readonly kind: "said"; readonly operation: string; readonly answer: Json }
  /** A logged warning or error. */
  | { readonly kind: "logged"; readonly fields: Readonly<Record<string, unknown>>; readonly message: string };
