import type { Reading } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { component, deploy, managed, process, read, tell, toldJudge } from "./told-judge.ts";

/** How steps end, and what isn't known yet: what the judge is told, with one thing that is right or wrong in it. */

const gone = { ...component("").conditions, exists: { value: false, reason: "", message: "" } };
const drifted = { ...component("").conditions, inSync: { value: false, reason: "Drift", message: "" } };

test.each([
  { end: { state: "converged" }, more: {}, broken: null },
  { end: { state: "converged" }, more: { conditions: gone }, broken: "isn't there" },
  { end: { state: "converged" }, more: { conditions: drifted }, broken: "says Drift" },
  { end: { state: "failed", error: { code: "Immutable" } }, more: { conditions: drifted }, broken: null },
  { end: { state: "failed", error: null }, more: { conditions: drifted }, broken: "its error is" },
])("a step ends as its component stands ($end, $more)", ({ end, more, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net" }], { status: "Running" });
  const stood = component("net", { ...more, updatedBy: "a person" });
  const step = (is: object) => ({ ...stood, step: { mutationId: "one", ...is } }) as never;
  tell(judge, { components: [step({ state: "begun" })] });
  tell(judge, { components: [step(end)] });
  const detail = broken && expect.stringContaining(broken);
  expect(judge.broken).toEqual(broken && { invariant: "steps-end-as-they-stand", detail });
});

test.each([
  { net: "converged", broken: null },
  { net: "held", broken: null },
  { net: "failed", broken: { invariant: "steps-end-as-they-stand" } },
  { net: "pending", broken: { invariant: "steps-end-as-they-stand" } },
])("a step begins after what it needs ($net)", ({ net, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net" }, { path: "app", dependsOn: ["net"] }], { status: "Running" });
  const step = (state: string) => ({ mutationId: "one", state, error: state === "failed" ? { code: "Full" } : null });
  tell(judge, { components: [component("net", { step: step(net) })] });
  tell(judge, { components: [component("app", { step: step("begun") })] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { status: "Active", broken: null },
  { status: "ManualOverride", broken: { invariant: "steps-end-as-they-stand" } },
])("what a person has waits for no cloud ($status)", ({ status, broken }) => {
  let now = 1_000;
  const judge = toldJudge(undefined, () => now);
  deploy(judge, "one", [{ path: "net" }], { status: "Running" });
  const net = (waiting: object | null) =>
    component("net", { status, updatedBy: "a person", step: { mutationId: "one", state: "begun", waiting } });
  tell(judge, { components: [net(null)] });
  now += 5_000;
  tell(judge, { components: [net({ why: "working", since: "one", waitedMs: 0 })] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

const there: Reading = { state: "present", tags: managed, parameters: {}, outputs: {} };

test.each([
  { reads: [there], broken: null },
  { reads: [{ state: "missing" } as const], broken: null },
  { reads: [{ state: "unreadable", reason: "Failed" } as const], broken: { invariant: "kept-until-known" } },
])("an unbound write stays stored until a read shows what it did ($reads)", ({ reads, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net" }], { status: "Succeeded" });
  const net = component("net", { resource: { id: "/net" } });
  tell(judge, { components: [{ ...net, unread: [] } as never] });
  for (const reading of reads) read(judge, "/net", reading);
  tell(judge, { components: [net] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { order: ["followed", "read"], broken: null },
  { order: ["read", "followed"], broken: { invariant: "kept-until-known" } },
])("what a write did shows in a read after its end ($order)", ({ order, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net" }], { status: "Succeeded" });
  const net = component("net", { resource: { id: "/net" }, lastWriteAt: "one" });
  tell(judge, { components: [{ ...net, operation: { kind: "correct" }, lost: true } as never] });
  for (const one of order) {
    if (one === "read") read(judge, "/net", there);
    else judge.sees({ kind: "followed", process, name: "/net" });
  }
  tell(judge, { components: [net] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});
