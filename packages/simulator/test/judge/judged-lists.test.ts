import type { Reading } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { component, deploy, managed, process, provider, read, tell, there, toldJudge, update } from "./told-judge.ts";

/** Lists that others add to, and what shows nothing or comes in another order: what the judge was told, and beside it what it has to find still. */

const [one, two, guest] = [
  { name: "one", size: 1 },
  { name: "two", size: 2 },
  { name: "guest", size: 7 },
];
const declared = { path: "net", parameters: { rules: [one] }, allowExtraItems: ["/rules"] };
const appliedItems = { "/rules": ["name=one", "name=two"] };

test.each([
  { after: "the items of others stay", rules: [one, guest], broken: null },
  { after: "members come in another order", rules: [{ size: 1, name: "one" }, guest], broken: null },
  { after: "an item of others is lost", rules: [one], broken: 'which lost {"name":"guest","size":7}' },
  { after: "an item came that nobody declared", rules: [one, guest, { name: "new" }], broken: "which got" },
  { after: "the declared item is missing", rules: [guest], broken: "which has no" },
])("a write to a list with items of others: $after", ({ rules, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [declared], { status: "Running" });
  const resource = { id: "/net" };
  tell(judge, { components: [component("net", { resource, appliedItems })] });
  const before = { resourceId: "/net", tags: managed, parameters: { rules: [two, guest] } };
  read(judge, "/net", { state: "present", ...before, outputs: {}, etag: "e" } as unknown as Reading);
  const work = { id: "w", worker: process, kind: "correct" };
  tell(judge, { components: [component("net", { resource, appliedItems, work })] });
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net", etag: "e" });
  update(judge, before, { ...before, parameters: { rules } });
  const detail = broken && expect.stringContaining(broken);
  expect(judge.broken).toEqual(broken && { invariant: "writes-what-is-declared", detail });
});

test.each([
  { has: "one, guest", says: "no drift", rules: [one, guest], drift: {}, broken: null },
  {
    has: "one, two",
    says: "drift",
    rules: [one, two],
    drift: { rules: { declared: [one], actual: [one, two] } },
    broken: null,
  },
  { has: "one, two", says: "no drift", rules: [one, two], drift: {}, broken: "it shows the drift []" },
  {
    has: "one, guest",
    says: "drift",
    rules: [one, guest],
    drift: { rules: { declared: [one], actual: [one, guest] } },
    broken: "it shows the drift",
  },
])("drift is what was applied and isn't declared, and not what others have: $says with $has", (story) => {
  const { rules, drift, broken } = story;
  const judge = toldJudge();
  deploy(judge, "one", [declared], { status: "Succeeded" });
  const net = component("net", { resource: { id: "/net" }, appliedItems, updatedBy: "a person" });
  tell(judge, { components: [{ ...net, observed: { outputs: { size: 0 }, drift: {} } }] });
  const parameters = { rules };
  read(judge, "/net", { state: "present", tags: managed, parameters, outputs: {} } as unknown as Reading);
  const inSync = { value: Object.keys(drift).length === 0, reason: "", message: "" };
  const conditions = { ...net.conditions, inSync };
  tell(judge, { components: [{ ...net, conditions, observed: { outputs: {}, drift }, updatedBy: "agent" }] });
  const detail = broken && expect.stringContaining(broken);
  expect(judge.broken).toEqual(broken && { invariant: "drift-as-last-read", detail });
});

test.each([
  { reason: "Unproven", size: undefined, broken: null },
  { reason: "Unproven", size: 2, broken: { invariant: "at-rest-as-declared" } },
  { reason: "Drift", size: undefined, broken: { invariant: "at-rest-as-declared" } },
])("what shows nothing after its writes may rest ($reason, $size)", ({ reason, size, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
  const conditions = { ...component("").conditions, inSync: { value: false, reason, message: "" } };
  tell(judge, { components: [component("net", { resource: { id: "/net" }, conditions })] });
  const parameters = size === undefined ? {} : { size };
  const after = { resourceId: "/net", tags: managed, parameters };
  judge.sees({ kind: "changed", process: null, provider, change: { ...there("/net"), operation: "create", after } });
  judge.atRest();
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { actual: { b: 2, a: 1 }, broken: null },
  { actual: { a: 1, b: 3 }, broken: { invariant: "events-tell-each-status" } },
])("drift that comes in another order hasn't changed ($actual)", ({ actual, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net" }], { status: "Succeeded" });
  const held = component("net", { status: "ManualOverride", updatedBy: "a person" });
  const drifting = (now: object) => ({
    ...held,
    observed: { outputs: {}, drift: { mode: { declared: {}, actual: now } } },
  });
  tell(judge, { components: [drifting({ a: 1, b: 2 })] });
  tell(judge, { components: [drifting(actual)] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});
