import type { StoredComponent } from "./facts.ts";

/** A component's position in its lifecycle. */
export interface Place {
  readonly status: StoredComponent["status"];
  readonly lost: boolean;
}

/** What a read saw. */
export type Glance =
  | { readonly state: "missing" }
  | {
      readonly state: "present";
      readonly managed: boolean;
      readonly asked: boolean;
      /** It differs from its declaration, or a reference has no value. */
      readonly differs: boolean;
      /** A different resource from the one that was taken over. */
      readonly another: boolean;
    };

/** What else decides. */
export interface Circumstances {
  readonly restoredTag: "resume-when-clean" | "resume" | "wait";
  /** A deploy is running. */
  readonly redeploy: boolean;
  /** The hand-back was carried out and verified. */
  readonly reconciled: boolean;
}

/** Whether a deploy had begun with a component when this was stored. It begins at the latest with what its first pass stores. */
export function isDeploying(before: StoredComponent, { step }: StoredComponent): boolean {
  const isBegun = (one: StoredComponent["step"]) => one !== null && one.state !== "pending" && one.state !== "blocked";
  if (before.step?.state === "begun") return true;
  return isBegun(step) && !(isBegun(before.step) && before.step?.mutationId === step?.mutationId);
}

const active: Place = { status: "Active", lost: false };
const held: Place = { status: "ManualOverride", lost: false };
const heldLost: Place = { status: "ManualOverride", lost: true };
const requested: Place = { status: "ReconcileRequested", lost: false };

/** Where a read may take a component: the specification's table as sentences. */
export function placesAfter(from: Place, seen: Glance, circumstances: Circumstances): readonly Place[] {
  if (from.status === "Active") {
    const isTakenOver = seen.state === "present" && !seen.managed;
    return [isTakenOver ? held : active];
  }
  const { redeploy } = circumstances;
  // A missing resource returns only by a deploy; tags don't matter.
  if (seen.state === "missing") return redeploy ? [heldLost, active] : [heldLost];
  if (seen.another) {
    if (from.status === "ManualOverride" && seen.managed && redeploy) return [heldLost, active];
    return [heldLost];
  }
  if (!seen.managed) return [held];
  return from.status === "ManualOverride" ? fromOverride(seen, circumstances) : fromRequest(seen, circumstances);
}

type Present = Extract<Glance, { readonly state: "present" }>;

function fromOverride({ asked, differs }: Present, { restoredTag }: Circumstances): readonly Place[] {
  if (asked) return [requested];
  if (restoredTag === "wait") return [held];
  if (!differs) return [active];
  return [restoredTag === "resume" ? requested : held];
}

function fromRequest({ asked, differs }: Present, { restoredTag, reconciled }: Circumstances): readonly Place[] {
  if (asked) return [requested];
  if (reconciled && !differs) return [active];
  if (restoredTag === "resume") return [differs ? requested : active];
  if (!differs && restoredTag === "resume-when-clean") return [active];
  return [held];
}
