import type { Json } from "@liveplane/core/store";

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
  /** Its governor. */
  readonly governedBy?: string | null;
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
  /** The names of the applied items in each list that may hold more than is declared. */
  readonly appliedItems?: Readonly<Record<string, readonly string[]>>;
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
  /** What its last property writes were for: the deploy that had brought the declaration. */
  readonly tried?: { readonly mutationId: string } | null;
  readonly step: {
    readonly mutationId: string;
    readonly state: string;
    readonly error?: { readonly code: string } | null;
    readonly waiting?: StoredWaiting | null;
  } | null;
  /** Its corrections of the same places, which are put off for longer each time. */
  readonly contested?: { readonly restMs: number } | null;
  readonly operation?: { readonly kind: string; readonly changes: readonly { readonly pointer: string }[] } | null;
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
  readonly remindAt?: string | null;
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

/** The parts of a shown mutation that the judge reads. */
export interface ShownMutation extends Pick<StoredMutation, "id" | "kind" | "status" | "held" | "released" | "error"> {
  readonly steps: readonly {
    readonly componentId: string;
    readonly state: string;
    readonly waiting: unknown;
    readonly error: { readonly code: string } | null;
  }[];
}

/** The parts of a shown override in the list of all that the judge reads. */
export interface OverrideRow {
  readonly component: { readonly id: string };
  readonly override: { readonly since: string };
  readonly driftCount: number;
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
export interface StoredEpisode extends ShownEpisode {
  readonly liveSystemId: string;
  readonly path: string;
  readonly start: {
    readonly declared: Readonly<Record<string, Json>>;
    readonly actual: Readonly<Record<string, Json>>;
  };
  readonly end: { readonly actual: Readonly<Record<string, Json>> } | null;
}

/** The parts of a ledger line that people are shown. */
export interface ShownEpisode {
  readonly id: string;
  readonly startedAt?: string;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  readonly reason?: string | null;
  readonly claimedBy?: string | null;
}
