/** The statuses of a component. */
export type Status = "Active" | "ManualOverride" | "ReconcileRequested";

/** What an overridden component waits for. */
export type Awaiting = "management-tag" | "reconcile-tag" | "redeploy";

/** How an override came to its end. */
export type EpisodeOutcome = "Reconciled" | "Resumed" | "Reprovisioned" | "Released" | "Deleted";

/** What a management tag that comes back alone means. */
export type RestoredTag = "resume-when-clean" | "resume" | "wait";

/** What the agent may be told to do to a resource. */
export type Effect = "create" | "adopt" | "correct" | "removeReconcileTag";

/** Whether a resource that is adopted as it is may get the management tag. `none`: nothing is adopted so, or it is done. */
export type Adoption =
  | { readonly state: "none" | "due" }
  | { readonly state: "refused"; readonly code: string; readonly detail: string };

/** Events that a row of the table tells of by itself. */
export type RowEvent =
  | "component.override.started"
  | "component.reconcile.requested"
  | "component.reconcile.withdrawn"
  | "component.reconcile.failed"
  | "component.reconcile.completed";

/** All that a row is chosen by: the status, what was observed, and the policy. */
export interface LifecycleFacts {
  readonly status: Status;
  /** `working` and `failed` only where the tags are known: otherwise nothing is, and it is `unreadable`. */
  readonly seen: "unreadable" | "missing" | "working" | "failed" | "present";
  /** Of a component marked missing: whether what stands there now is what was there before. */
  readonly returned: "never-gone" | "same" | "another";
  readonly managementTag: boolean;
  readonly reconcileTag: boolean;
  readonly drift: boolean;
  /** Marked reconciled, and the fresh read shows no drift. */
  readonly reconciled: boolean;
  readonly restoredTag: RestoredTag;
  /** A deploy is at this component: what is missing may be made anew. */
  readonly redeploy: boolean;
  /** Of a resource to be adopted as it is: whether that may happen now. */
  readonly adoption: "none" | "due" | "refused";
}

/** One row: the first that fits decides. */
export interface LifecycleRow {
  readonly from: Status;
  /** What must hold; a list means any of it. What isn't named doesn't matter. */
  readonly when: {
    readonly [Fact in Exclude<keyof LifecycleFacts, "status">]?: LifecycleFacts[Fact] | readonly LifecycleFacts[Fact][];
  };
  readonly to: Status;
  readonly effect?: Effect;
  readonly awaiting?: Awaiting;
  /** Marks the resource missing, or keeps it so marked. */
  readonly lost?: true;
  /** What becomes of the request to reconcile. @default it is dropped */
  readonly request?: "open" | "keep" | "reconciled" | "reopen";
  readonly ends?: EpisodeOutcome;
  readonly emits?: RowEvent;
  /** The next check follows at once. */
  readonly again?: true;
  /** Whatever the component is now, it stays. */
  readonly stays?: true;
  /** For people: what is seen, and what the check does. */
  readonly seen: string;
  readonly does: string;
}
