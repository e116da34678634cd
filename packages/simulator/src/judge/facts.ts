import type { Binding, Reading } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";

export type { Broken, Invariant } from "./invariant-facts.ts";

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

/** A change to a resource, at the time it happened. */
export interface ResourceChanged {
  readonly operation: "create" | "update" | "remove" | "removeTag";
  readonly resourceId: string;
  readonly before: ResourceTruth | null;
  readonly after: (ResourceTruth & { readonly intent?: string | null }) | null;
  /** The worded places that it sent. */
  readonly sent?: readonly string[];
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
  | { readonly kind: "shown"; readonly system: ShownLiveSystem; readonly components: readonly ShownComponent[] }
  /** A person asked for a check, and was answered. */
  | { readonly kind: "acknowledged"; readonly id: string; readonly answer: Acknowledged }
  /** A person asked for the plan of a hand-back, and was answered. */
  | { readonly kind: "planned"; readonly id: string; readonly plan: PlannedHandBack }
  /** A process called a cloud about resources, by their IDs or names, with this key. */
  | {
      readonly kind: "called";
      readonly process: string;
      readonly provider: string;
      readonly names: readonly string[];
      readonly key: string | null;
    }
  /** A logged warning or error. */
  | { readonly kind: "logged"; readonly fields: Readonly<Record<string, unknown>>; readonly message: string };

/** The parts of a stored component that the judge reads: as few as possible. */
export interface StoredComponent {
  readonly liveSystemId: string;
  readonly path: string;
  readonly provider: string;
  readonly type: string;
  readonly status: "Active" | "ManualOverride" | "ReconcileRequested";
  readonly lost: boolean;
  readonly identity?: string | null;
  readonly leaving: boolean;
  readonly provisioned: boolean;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly overrideWith: string | null;
  /** Its governor. */
  readonly governedBy?: string | null;
  readonly deletionPolicy: "Delete" | "Retain";
  readonly resource: { readonly id: string | null };
  readonly intent: string | null;
  readonly request: {
    readonly id: string;
    readonly reconciled: boolean;
    readonly fingerprint?: string;
    readonly requestedAt?: string;
  } | null;
  readonly override: StoredOverride | null;
  readonly observed: {
    /** `null`: there is no resource. Absent: not known. */
    readonly managementTag?: boolean | null;
    readonly reconcileTag?: boolean;
    readonly outputs: Readonly<Record<string, Json>>;
    readonly drift: Readonly<Record<string, ShownSides>>;
    readonly fingerprint?: string;
    readonly changes?: readonly { readonly pointer: string }[];
    readonly ignored?: Readonly<Record<string, ShownSides>>;
  };
  /** The known forms of its cloud's worded places. */
  readonly settled?: Readonly<Record<string, StoredWitness>>;
  readonly conditions: Readonly<
    Record<
      "readable" | "exists" | "inSync",
      {
        readonly value: boolean | null;
        readonly reason: string;
        readonly message: string;
        readonly observedAt?: string | null;
        readonly changedAt?: string;
        readonly blockedBy?: string;
      }
    >
  >;
  readonly step: {
    readonly mutationId: string;
    readonly state: string;
    readonly error?: { readonly code: string } | null;
    readonly waiting?: StoredWaiting | null;
  } | null;
  readonly operation?: { readonly kind: string } | null;
  readonly work: {
    readonly id: string;
    readonly worker: string;
    readonly kind?: string;
    /** The lease that it ends with. */
    readonly under?: string;
  } | null;
  /** What an unbound write changes whose result isn't known. */
  readonly unread?: unknown;
  readonly lastWriteAt: string | null;
  readonly failures?: { readonly code: string; readonly count?: number; readonly since?: string } | null;
  readonly working?: unknown;
  readonly createdAt?: string;
  readonly createdBy?: string;
  readonly updatedBy: string;
  readonly updatedAt?: string;
}

/** What a step waits for, and for how long. */
export interface StoredWaiting {
  readonly why: "working" | "failing";
  readonly since: string;
  readonly waitedMs: number;
}

/** The parts of a witness that the judge reads. */
export interface StoredWitness {
  readonly form: Json;
  readonly formDigest?: string;
  readonly by: "write" | "spelling" | "person";
  readonly at: string;
}

/** The declared and actual values of something. */
interface ShownSides {
  readonly declared: Json;
  readonly actual: Json;
}

/** The parts of an open override that the judge reads. */
interface StoredOverride {
  readonly episodeId: string;
  readonly since: string;
  readonly awaiting: string | null;
  readonly reason?: string | null;
  readonly claimedBy?: string | null;
  readonly said?: SaidOfOverride | null;
  /** Absent: the cloud wasn't asked yet. */
  readonly takenOverBy?: unknown;
}

/** What a person said about an override when starting it. */
export interface SaidOfOverride {
  readonly reason: string | null;
  readonly owner: string | null;
  readonly until: string | null;
}

/** The parts of a check's answer that the judge reads. */
export interface Acknowledged {
  readonly component: ShownComponent & { readonly lookedAt: string | null; readonly version: string };
  readonly acknowledgement: {
    readonly observedAt: string | null;
    readonly managementTag: boolean | null;
    readonly writesInFlight: number;
    readonly lastWriteAt: string | null;
  };
}

/** The parts of the plan of a hand-back that the judge reads. */
export interface PlannedHandBack {
  readonly changes: readonly { readonly pointer: string; readonly cause: string; readonly actual: Json }[];
  readonly unobservable: readonly string[];
}

/** The parts of a shown live system that the judge reads. */
export interface ShownLiveSystem {
  readonly id: string;
  readonly lastMutation: Pick<StoredMutation, "id" | "kind" | "status" | "error"> | null;
}

/** The parts of a shown component that the judge reads. */
export interface ShownComponent
  extends Pick<StoredComponent, "status" | "leaving" | "conditions" | "type" | "provider">,
    Pick<StoredComponent, "working" | "createdAt" | "createdBy" | "updatedAt" | "updatedBy"> {
  readonly id: string;
  readonly resourceId: string | null;
  readonly dependsOn: readonly string[];
  readonly fingerprint: string | null;
  readonly failing: { readonly code: string; readonly attempts: number; readonly since: string } | null;
  readonly outputFields: Readonly<Record<string, Json>>;
  readonly ignored: Readonly<Record<string, ShownSides>>;
  readonly override: StoredOverride | null;
}

/** The parts of a stored mutation that the judge reads. */
export interface StoredMutation {
  readonly id: string;
  readonly liveSystemId: string;
  readonly kind: "Deploy" | "Delete";
  readonly status: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly requestId: string;
  readonly released: readonly string[];
  readonly held: readonly string[];
  readonly error: { readonly code: string; readonly componentId: string | null } | null;
}

/** The parts of a ledger line that the judge reads. */
export interface StoredEpisode {
  readonly id: string;
  readonly liveSystemId: string;
  readonly path: string;
  readonly startedAt?: string;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  readonly reason?: string | null;
  readonly claimedBy?: string | null;
  readonly start: {
    readonly declared: Readonly<Record<string, Json>>;
    readonly actual: Readonly<Record<string, Json>>;
  };
  readonly end: { readonly actual: Readonly<Record<string, Json>> } | null;
}
