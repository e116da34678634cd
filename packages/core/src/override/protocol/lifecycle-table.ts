/** The statuses of a component. */
export type Status = "Active" | "ManualOverride" | "ReconcileRequested";

/** What an overridden component waits for. */
export type Awaiting = "management-tag" | "reconcile-tag" | "redeploy";

/** How an override came to its end. */
export type EpisodeOutcome = "Reconciled" | "Resumed" | "Reprovisioned" | "Released" | "Deleted";

/** What a management tag that comes back alone means. */
export type RestoredTag = "resume-when-clean" | "resume" | "wait";

/** What the agent may be told to do to a resource. */
export type Effect = "create" | "correct" | "removeReconcileTag";

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

const off = { managementTag: false } as const;
const on = { managementTag: true } as const;

/** The lifecycle. Read from the top: the first row that fits decides. */
export const lifecycleTable: readonly LifecycleRow[] = [
  {
    from: "Active",
    when: { seen: "unreadable" },
    to: "Active",
    stays: true,
    seen: "unreadable",
    does: "nothing: unreadable means neither untagged nor missing",
  },
  {
    from: "Active",
    when: { seen: "missing" },
    to: "Active",
    effect: "create",
    seen: "missing",
    does: "creates it, with the management tag",
  },
  {
    from: "Active",
    when: off,
    to: "ManualOverride",
    awaiting: "management-tag",
    emits: "component.override.started",
    seen: "management tag off",
    does: "opens an override episode and records the drift; writes nothing",
  },
  {
    from: "Active",
    when: { seen: "working" },
    to: "Active",
    stays: true,
    seen: "management tag on, the cloud is at a write",
    does: "nothing: waits at the cloud's pace",
  },
  {
    from: "Active",
    when: { seen: "failed" },
    to: "Active",
    effect: "correct",
    seen: "management tag on, the cloud's last write of it failed",
    does: "writes it once more, after a rest that grows",
  },
  {
    from: "Active",
    when: { drift: true },
    to: "Active",
    effect: "correct",
    seen: "management tag on, drift",
    does: "corrects",
  },
  {
    from: "Active",
    when: { reconcileTag: true },
    to: "Active",
    effect: "removeReconcileTag",
    seen: "both tags, no drift",
    does: "removes the stray reconcile tag, so that it can't arm a later hand-back",
  },
  { from: "Active", when: {}, to: "Active", seen: "management tag on, no drift", does: "nothing" },

  {
    from: "ManualOverride",
    when: { seen: "unreadable" },
    to: "ManualOverride",
    stays: true,
    seen: "unreadable",
    does: "nothing: the drift stays as last read",
  },
  {
    from: "ManualOverride",
    when: { seen: "missing", redeploy: true },
    to: "Active",
    effect: "create",
    ends: "Reprovisioned",
    seen: "missing, at a redeploy",
    does: "creates it anew, with the management tag; the episode ends as reprovisioned",
  },
  {
    from: "ManualOverride",
    when: { seen: "missing" },
    to: "ManualOverride",
    lost: true,
    awaiting: "redeploy",
    seen: "missing",
    does: "marks it missing: every declared parameter drifts. Tags can't bring it back",
  },
  {
    from: "ManualOverride",
    when: { seen: "working", ...on },
    to: "ManualOverride",
    stays: true,
    seen: "management tag on, the cloud is at a write",
    does: "nothing: waits until it can be compared",
  },
  {
    from: "ManualOverride",
    when: { returned: "another", ...on, drift: true, redeploy: true },
    to: "Active",
    effect: "correct",
    ends: "Reprovisioned",
    seen: "marked missing, another resource is there with the management tag and drift, at a redeploy",
    does: "adopts and corrects it; the episode ends as reprovisioned",
  },
  {
    from: "ManualOverride",
    when: { returned: "another", ...on, redeploy: true },
    to: "Active",
    ends: "Reprovisioned",
    seen: "marked missing, another resource is there with the management tag, at a redeploy",
    does: "adopts it; the episode ends as reprovisioned",
  },
  {
    from: "ManualOverride",
    when: { returned: "another", ...off },
    to: "ManualOverride",
    lost: true,
    awaiting: "management-tag",
    seen: "marked missing, another resource is there, management tag off",
    does: "recalculates the drift against it",
  },
  {
    from: "ManualOverride",
    when: { returned: "another" },
    to: "ManualOverride",
    lost: true,
    awaiting: "redeploy",
    seen: "marked missing, another resource is there, management tag on",
    does: "recalculates the drift against it; a redeploy adopts it",
  },
  {
    from: "ManualOverride",
    when: off,
    to: "ManualOverride",
    awaiting: "management-tag",
    seen: "management tag off",
    does: "recalculates the drift; a lone reconcile tag has no effect",
  },
  {
    from: "ManualOverride",
    when: { reconcileTag: true },
    to: "ReconcileRequested",
    request: "open",
    emits: "component.reconcile.requested",
    again: true,
    seen: "both tags",
    does: "stores the request; writes nothing. The next check follows at once",
  },
  {
    from: "ManualOverride",
    when: { drift: false, restoredTag: ["resume-when-clean", "resume"] },
    to: "Active",
    ends: "Resumed",
    seen: "management tag on, no drift",
    does: "nothing is to be reconciled: nothing is written (unless the host chose `wait`)",
  },
  {
    from: "ManualOverride",
    when: { restoredTag: "resume" },
    to: "ReconcileRequested",
    request: "open",
    emits: "component.reconcile.requested",
    again: true,
    seen: "management tag on, drift, the host chose `resume`",
    does: "takes it as a request and stores it; writes nothing",
  },
  {
    from: "ManualOverride",
    when: {},
    to: "ManualOverride",
    awaiting: "reconcile-tag",
    seen: "management tag on, drift",
    does: "waits for the reconcile tag",
  },

  {
    from: "ReconcileRequested",
    when: { seen: "unreadable" },
    to: "ReconcileRequested",
    stays: true,
    request: "keep",
    seen: "unreadable",
    does: "nothing",
  },
  {
    from: "ReconcileRequested",
    when: { seen: "missing", redeploy: true },
    to: "Active",
    effect: "create",
    ends: "Reprovisioned",
    seen: "missing, at a redeploy",
    does: "creates it anew, with the management tag; the episode ends as reprovisioned",
  },
  {
    from: "ReconcileRequested",
    when: { seen: "missing" },
    to: "ManualOverride",
    lost: true,
    awaiting: "redeploy",
    emits: "component.reconcile.failed",
    seen: "missing",
    does: "marks it missing; waits for a redeploy",
  },
  {
    from: "ReconcileRequested",
    when: { seen: "working", ...on },
    to: "ReconcileRequested",
    stays: true,
    request: "keep",
    seen: "management tag on, the cloud is at a write",
    does: "nothing: waits at the cloud's pace",
  },
  {
    from: "ReconcileRequested",
    when: { returned: "another", ...off },
    to: "ManualOverride",
    lost: true,
    awaiting: "management-tag",
    emits: "component.reconcile.failed",
    seen: "another resource is there, management tag off",
    does: "marks the old one missing; writes nothing",
  },
  {
    from: "ReconcileRequested",
    when: { returned: "another" },
    to: "ManualOverride",
    lost: true,
    awaiting: "redeploy",
    emits: "component.reconcile.failed",
    seen: "another resource is there, management tag on",
    does: "marks the old one missing; a redeploy adopts it",
  },
  {
    from: "ReconcileRequested",
    when: off,
    to: "ManualOverride",
    awaiting: "management-tag",
    emits: "component.reconcile.withdrawn",
    seen: "management tag off",
    does: "the person took it back: writes nothing",
  },
  {
    from: "ReconcileRequested",
    when: { reconciled: true, drift: false, reconcileTag: true },
    to: "ReconcileRequested",
    effect: "removeReconcileTag",
    request: "keep",
    seen: "marked reconciled, reconcile tag still there",
    does: "removes it again: cleanup is owed, it is no new request",
  },
  {
    from: "ReconcileRequested",
    when: { reconciled: true, drift: false },
    to: "Active",
    ends: "Reconciled",
    emits: "component.reconcile.completed",
    seen: "marked reconciled, reconcile tag gone",
    does: "closes the episode; the drift is cleared",
  },
  {
    from: "ReconcileRequested",
    when: { reconcileTag: true, drift: true },
    to: "ReconcileRequested",
    effect: "correct",
    request: "reopen",
    seen: "both tags, drift",
    does: "corrects and reads again",
  },
  {
    from: "ReconcileRequested",
    when: { reconcileTag: true },
    to: "ReconcileRequested",
    effect: "removeReconcileTag",
    request: "reconciled",
    seen: "both tags, no drift",
    does: "marks it reconciled, then removes the reconcile tag",
  },
  {
    from: "ReconcileRequested",
    when: { restoredTag: "resume", drift: true },
    to: "ReconcileRequested",
    effect: "correct",
    request: "reopen",
    seen: "management tag on, drift, the host chose `resume`",
    does: "corrects and reads again",
  },
  {
    from: "ReconcileRequested",
    when: { restoredTag: "resume" },
    to: "Active",
    ends: "Reconciled",
    emits: "component.reconcile.completed",
    seen: "management tag on, no drift, the host chose `resume`",
    does: "closes the episode; the drift is cleared",
  },
  {
    from: "ReconcileRequested",
    when: { drift: false, restoredTag: "resume-when-clean" },
    to: "Active",
    ends: "Resumed",
    emits: "component.reconcile.withdrawn",
    seen: "reconcile tag gone before it was reconciled, no drift",
    does: "nothing is to be reconciled: nothing is written",
  },
  {
    from: "ReconcileRequested",
    when: {},
    to: "ManualOverride",
    awaiting: "reconcile-tag",
    emits: "component.reconcile.withdrawn",
    seen: "reconcile tag gone before it was reconciled",
    does: "the person withdrew the request: writes nothing",
  },
];
