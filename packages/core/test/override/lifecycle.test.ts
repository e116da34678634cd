import { expect, test } from "vitest";
import { type DatedObservation, type Managed, transition } from "../../src/override/protocol/lifecycle.ts";
import { everyFacts, rowFor } from "../../src/override/protocol/lifecycle-lookup.ts";
import type { LifecycleRow, RestoredTag, Status } from "../../src/override/protocol/lifecycle-row.ts";
import { lifecycleTable } from "../../src/override/protocol/lifecycle-table.ts";

const at = "2026-01-01T00:00:00.000Z";

function component(status: Status, more: Partial<Managed> = {}): Managed {
  const override = {
    episodeId: "e",
    since: at,
    awaiting: null,
    reason: null,
    ticket: null,
    remindAt: null,
    claimedBy: null,
    said: null,
    reminded: [],
  };
  const request = { id: "r", requestedAt: at, fingerprint: "f", reconciled: false };
  return {
    status,
    identity: "one",
    lost: false,
    request: status === "ReconcileRequested" ? request : null,
    override: status === "Active" ? null : override,
    ...more,
  };
}

function observed(state: "missing" | "unreadable"): DatedObservation {
  const nothing = {
    differs: false,
    managementTag: false,
    reconcileTag: false,
    fingerprint: "f",
    adoption: { state: "none" },
  } as const;
  return { at, newId: "new", reading: { state }, ...nothing };
}

type Seen = Partial<Pick<DatedObservation, "managementTag" | "reconcileTag" | "differs">> & {
  readonly identity?: string | null;
};

function present({ identity = "one", ...more }: Seen = {}): DatedObservation {
  const base = {
    differs: false,
    managementTag: true,
    reconcileTag: false,
    fingerprint: "f",
    adoption: { state: "none" },
  } as const;
  const reading = { state: "present" as const, ...(identity !== null && { identity }) };
  return { at, newId: "new", reading, ...base, ...more };
}

const policy = { restoredTag: "resume-when-clean" as RestoredTag, redeploy: false };

test("decides every combination of facts there can be", () => {
  let count = 0;
  for (const facts of everyFacts()) {
    count += 1;
    const row: LifecycleRow | undefined = rowFor(facts);
    expect(row, JSON.stringify(facts)).toBeDefined();
    expect(row.from).toBe(facts.status);
  }
  expect(count).toBe(3 * 5 * 3 * 2 * 2 * 2 * 2 * 3 * 2 * 3);
});

test("uses every row of the table", () => {
  const used = new Set([...everyFacts()].map(rowFor));
  expect(lifecycleTable.filter((row) => !used.has(row))).toEqual([]);
});

test("permits a write only with the management tag on, to make what is missing, or to adopt what equals its declaration", () => {
  for (const facts of everyFacts()) {
    const row = rowFor(facts);
    if (row.effect === "create") expect(facts.seen).toBe("missing");
    else if (row.effect === "adopt")
      expect(facts).toMatchObject({ seen: "present", drift: false, redeploy: true, adoption: "due" });
    else if (row.effect !== undefined) {
      expect(["present", "failed"]).toContain(facts.seen);
      expect(facts.managementTag).toBe(true);
    }
  }
});

test("permits nothing and changes nothing while it can't read", () => {
  for (const status of ["Active", "ManualOverride", "ReconcileRequested"] as const) {
    const before = component(status);
    expect(transition(before, observed("unreadable"), policy)).toEqual({
      component: before,
      effect: null,
      events: [],
      ended: null,
      again: false,
    });
  }
});

test("removes the reconcile tag only without drift", () => {
  for (const facts of everyFacts()) {
    if (rowFor(facts).effect === "removeReconcileTag") expect(facts.drift).toBe(false);
  }
});

test("ends an override only with the management tag on, or by a redeploy of what is missing", () => {
  for (const facts of everyFacts()) {
    const { ends } = rowFor(facts);
    if (ends === undefined) continue;
    expect(facts.managementTag || (facts.redeploy && facts.seen === "missing")).toBe(true);
    if (facts.seen !== "present") continue;
    expect(ends === "Reconciled" || ends === "Resumed" || facts.redeploy).toBe(true);
  }
});

const reconciled = { id: "r", requestedAt: at, fingerprint: "f", reconciled: true };

test("is Active once it is marked reconciled and the tag is gone", () => {
  const after = transition(component("ReconcileRequested", { request: reconciled }), present(), policy);
  expect(after).toMatchObject({ ended: "Reconciled", component: { status: "Active", request: null, override: null } });
  expect(after.events.map(({ type }) => type)).toEqual(["component.reconcile.completed", "component.override.ended"]);
});

test("owes the cleanup while the tag is still there, and takes it for no new request", () => {
  const before = component("ReconcileRequested", { request: reconciled });
  expect(transition(before, present({ reconcileTag: true }), policy)).toMatchObject({
    effect: "removeReconcileTag",
    component: before,
  });
});

test("drops the mark when the fresh read shows drift", () => {
  const before = component("ReconcileRequested", { request: reconciled });
  const after = transition(before, present({ reconcileTag: true, differs: true }), policy);
  expect(after).toMatchObject({ effect: "correct", component: { request: { reconciled: false } } });
});

const lost = component("ManualOverride", { lost: true });

test("doesn't take another resource for the one that is gone, whatever its tags", () => {
  for (const tags of [{ managementTag: false }, { reconcileTag: true }, {}]) {
    const after = transition(lost, present({ identity: "two", ...tags }), policy);
    expect(after).toMatchObject({ effect: null, component: { status: "ManualOverride", lost: true, identity: "one" } });
  }
  expect(transition(lost, present({ identity: null, reconcileTag: true }), policy).component).toMatchObject({
    status: "ManualOverride",
    lost: true,
  });
});

test("goes on as before when the same resource is back", () => {
  expect(transition(lost, present({ managementTag: false }), policy).component).toMatchObject({ lost: false });
  expect(transition(lost, present({ reconcileTag: true }), policy).component.status).toBe("ReconcileRequested");
});

test("sees by the identity that it was deleted and made again between two checks", () => {
  const after = transition(component("ManualOverride"), present({ identity: "two", reconcileTag: true }), policy);
  expect(after.component).toMatchObject({ status: "ManualOverride", lost: true });
});

test("provisions what is missing at a redeploy", () => {
  const redeploy = { ...policy, redeploy: true };
  expect(transition(lost, observed("missing"), redeploy)).toMatchObject({
    effect: "create",
    ended: "Reprovisioned",
    component: { status: "Active" },
  });
  expect(transition(lost, present({ identity: "two", differs: true }), redeploy)).toMatchObject({
    effect: "correct",
    ended: "Reprovisioned",
  });
  expect(transition(lost, present({ identity: "two", managementTag: false }), redeploy)).toMatchObject({
    effect: null,
    component: { status: "ManualOverride" },
  });
});

test("lets the host choose what a management tag means that comes back alone", () => {
  const drifting = present({ differs: true });
  expect(transition(component("ManualOverride"), drifting, { ...policy, restoredTag: "resume" }).component.status).toBe(
    "ReconcileRequested",
  );
  expect(transition(component("ManualOverride"), present(), { ...policy, restoredTag: "wait" }).component.status).toBe(
    "ManualOverride",
  );
  expect(transition(component("ReconcileRequested"), drifting, { ...policy, restoredTag: "resume" }).effect).toBe(
    "correct",
  );
});

test("reports every change of status, and where it came from", () => {
  const flags = [true, false];
  const tags = flags.flatMap((managementTag) => flags.map((reconcileTag) => ({ managementTag, reconcileTag })));
  const looks = tags.flatMap((both) => flags.map((differs) => present({ ...both, differs })));
  for (const status of ["Active", "ManualOverride", "ReconcileRequested"] as const)
    for (const observation of [observed("missing"), ...looks]) {
      const { events, component: after } = transition(component(status), observation, policy);
      for (const { data } of events) expect(data).toMatchObject({ from: status, status: after.status });
      if (after.status !== status) expect(events).not.toEqual([]);
    }
});
