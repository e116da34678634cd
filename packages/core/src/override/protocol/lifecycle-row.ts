/** The statuses of a component. */
export type Status = "Active" | "ManualOverride" | "ReconcileRequested";

/** The event that an overridden component waits for. */
export type Awaiting = "management-tag" | "reconcile-tag" | "redeploy";

/** How an override ended. */
export type EpisodeOutcome = "Reconciled" | "Resumed" | "Reprovisioned" | "Released" | "Deleted";

/** What a management tag that returns without the reconcile tag means. */
export type RestoredTag = "resume-when-clean" | "resume" | "wait";

/** What the agent may do to a resource. */
export type Effect = "create" | "adopt" | "correct" | "removeReconcileTag";

/** Whether an exactly adopted resource may get the management tag. `none`: there is no such adoption, or it is done. */
export type Adoption =
  | { readonly state: "none" | "due" }
  | { readonly state: "refused"; readonly code: string; readonly detail: string };

/** Events that a row of the table emits. */
export type RowEvent =
  | "component.override.started"
  | "component.reconcile.requested"
  | "component.reconcile.withdrawn"
  | "component.reconcile.failed"
  | "component.reconcile.completed";

/** Everything that a row is chosen by: the status, the observation, and the policy. */
export interface LifecycleFacts {
  readonly status: Status;
  /** `working` and `failed` only if the tags are known; otherwise `unreadable`. */
  readonly seen: "unreadable" | "missing" | "working" | "failed" | "present";
  /** For a component marked missing: whether the resource that exists now is the former one. */
  readonly returned: "never-gone" | "same" | "another";
  readonly managementTag: boolean;
  readonly reconcileTag: boolean;
  readonly drift: boolean;
  /** Marked reconciled, and the fresh read shows no drift. */
  readonly reconciled: boolean;
  readonly restoredTag: RestoredTag;
  /** A deploy is working on this component: a missing resource may be created again. */
  readonly redeploy: boolean;
  /** For an exact adoption: whether it may happen now. */
  readonly adoption: "none" | "due" | "refused";
}

/** One row: the first that matches decides. */
export interface LifecycleRow {
  readonly from: Status;
  /** What must hold; a list means any of its values. Facts that aren't named don't matter. */
  readonly when: {
    readonly [Fact in Exclude<keyof LifecycleFacts, "status">]?: LifecycleFacts[Fact] | readonly LifecycleFacts[Fact][];
  };
  readonly to: Status;
  readonly effect?: Effect;
  readonly awaiting?: Awaiting;
  /** Marks the resource as missing, or keeps the mark. */
  readonly lost?: true;
  /** What happens to the reconcile request. @default it is dropped */
  readonly request?: "open" | "keep" | "reconciled" | "reopen";
  readonly ends?: EpisodeOutcome;
  readonly emits?: RowEvent;
  /** The next check follows at once. */
  readonly again?: true;
  /** The component keeps its status. */
  readonly stays?: true;
  /** For people: what is observed, and what the check does. */
  readonly seen: string;
  readonly does: string;
}
