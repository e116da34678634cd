import { expect, test } from "vitest";
import {
  everySituation,
  type Managed,
  type Observation,
  rowFor,
  transition,
} from "../../src/override/protocol/lifecycle.ts";
import {
  type LifecycleRow,
  lifecycleTable,
  type RestoredTag,
  type Status,
} from "../../src/override/protocol/lifecycle-table.ts";

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

function present(more: Partial<Extract<Observation, { seen: "present" }>> = {}): Observation {
  const base = { identity: "one", managementTag: true, reconcileTag: false, drift: false, fingerprint: "f" };
  return { at, newId: "new", seen: "present", ...base, ...more };
}

const policy = { restoredTag: "resume-when-clean" as RestoredTag, redeploy: false };

test("decides every situation there can be", () => {
  let count = 0;
  for (const situation of everySituation()) {
    count += 1;
    const row: LifecycleRow | undefined = rowFor(situation);
    expect(row, JSON.stringify(situation)).toBeDefined();
    expect(row.from).toBe(situation.status);
  }
  expect(count).toBe(3 * 3 * 3 * 2 * 2 * 2 * 2 * 3 * 2);
});

test("uses every row of the table", () => {
  const used = new Set([...everySituation()].map(rowFor));
  expect(lifecycleTable.filter((row) => !used.has(row))).toEqual([]);
});

test("permits a write only with the management tag on, or to make what is missing", () => {
  for (const situation of everySituation()) {
    const row = rowFor(situation);
    if (row.effect === "create") expect(situation.seen).toBe("missing");
    else if (row.effect !== undefined) expect([situation.seen, situation.managementTag]).toEqual(["present", true]);
  }
});

test("permits nothing and changes nothing while it can't read", () => {
  for (const status of ["Active", "ManualOverride", "ReconcileRequested"] as const) {
    const before = component(status);
    expect(transition(before, { at, newId: "new", seen: "unreadable" }, policy)).toEqual({
      component: before,
      effect: null,
      events: [],
      ended: null,
      again: false,
    });
  }
});

test("removes the reconcile tag only without drift", () => {
  for (const situation of everySituation()) {
    if (rowFor(situation).effect === "removeReconcileTag") expect(situation.drift).toBe(false);
  }
});

test("ends an override only with the management tag on, or by a redeploy of what is missing", () => {
  for (const situation of everySituation()) {
    const { ends } = rowFor(situation);
    if (ends === undefined) continue;
    expect(situation.managementTag || (situation.redeploy && situation.seen === "missing")).toBe(true);
    if (situation.seen !== "present") continue;
    expect(ends === "Reconciled" || ends === "Resumed" || situation.redeploy).toBe(true);
  }
});

const cases: [string, Managed, Observation, Partial<ReturnType<typeof transition>>, Status][] = [
  ["creates what is missing", component("Active"), { at, newId: "n", seen: "missing" }, { effect: "create" }, "Active"],
  [
    "takes an untagged resource for overridden",
    component("Active"),
    present({ managementTag: false }),
    { effect: null },
    "ManualOverride",
  ],
  ["leaves what is as declared alone", component("Active"), present(), { effect: null }, "Active"],
  ["corrects drift", component("Active"), present({ drift: true }), { effect: "correct" }, "Active"],
  [
    "corrects before it removes a stray reconcile tag",
    component("Active"),
    present({ drift: true, reconcileTag: true }),
    { effect: "correct" },
    "Active",
  ],
  [
    "removes a stray reconcile tag",
    component("Active"),
    present({ reconcileTag: true }),
    { effect: "removeReconcileTag" },
    "Active",
  ],
  [
    "marks an overridden resource missing",
    component("ManualOverride"),
    { at, newId: "n", seen: "missing" },
    { effect: null },
    "ManualOverride",
  ],
  [
    "ignores a lone reconcile tag",
    component("ManualOverride"),
    present({ managementTag: false, reconcileTag: true }),
    { effect: null, again: false },
    "ManualOverride",
  ],
  [
    "resumes when the tag is back and nothing differs",
    component("ManualOverride"),
    present(),
    { effect: null, ended: "Resumed" },
    "Active",
  ],
  [
    "waits for the reconcile tag when something differs",
    component("ManualOverride"),
    present({ drift: true }),
    { effect: null },
    "ManualOverride",
  ],
  [
    "takes both tags for a request and writes nothing yet",
    component("ManualOverride"),
    present({ drift: true, reconcileTag: true }),
    { effect: null, again: true },
    "ReconcileRequested",
  ],
  [
    "takes both tags for a request also without drift",
    component("ManualOverride"),
    present({ reconcileTag: true }),
    { effect: null, again: true },
    "ReconcileRequested",
  ],
  [
    "corrects what was requested",
    component("ReconcileRequested"),
    present({ drift: true, reconcileTag: true }),
    { effect: "correct" },
    "ReconcileRequested",
  ],
  [
    "removes the tag once nothing differs",
    component("ReconcileRequested"),
    present({ reconcileTag: true }),
    { effect: "removeReconcileTag" },
    "ReconcileRequested",
  ],
  [
    "gives up a request whose resource is gone",
    component("ReconcileRequested"),
    { at, newId: "n", seen: "missing" },
    { effect: null },
    "ManualOverride",
  ],
  [
    "lets a person take it back",
    component("ReconcileRequested"),
    present({ managementTag: false, reconcileTag: true }),
    { effect: null },
    "ManualOverride",
  ],
  [
    "lets a person withdraw the request",
    component("ReconcileRequested"),
    present({ drift: true }),
    { effect: null },
    "ManualOverride",
  ],
  [
    "lets a person withdraw a request that has nothing to do",
    component("ReconcileRequested"),
    present(),
    { ended: "Resumed" },
    "Active",
  ],
];

test.each(cases)("%s", (_title, before, observation, outcome, status) => {
  const after = transition(before, observation, policy);
  expect(after).toMatchObject(outcome);
  expect(after.component.status).toBe(status);
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
  const after = transition(before, present({ reconcileTag: true, drift: true }), policy);
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
  expect(transition(lost, { at, newId: "n", seen: "missing" }, redeploy)).toMatchObject({
    effect: "create",
    ended: "Reprovisioned",
    component: { status: "Active" },
  });
  expect(transition(lost, present({ identity: "two", drift: true }), redeploy)).toMatchObject({
    effect: "correct",
    ended: "Reprovisioned",
  });
  expect(transition(lost, present({ identity: "two", managementTag: false }), redeploy)).toMatchObject({
    effect: null,
    component: { status: "ManualOverride" },
  });
});

test("lets the host choose what a management tag means that comes back alone", () => {
  const drifting = present({ drift: true });
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

test("tells where each event came from and led to", () => {
  for (const [, before, observation] of cases) {
    const { events, component: after } = transition(before, observation, policy);
    for (const { data } of events) expect(data).toMatchObject({ from: before.status, status: after.status });
    if (before.status !== after.status) expect(events.length).toBeGreaterThan(0);
  }
});
