import type { Reading } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { forecastOf, wrongPlan } from "../../src/judge/invariants/plans-come-true.ts";
import {
  component,
  deploy,
  end,
  giveUp,
  managed,
  process,
  provider,
  read,
  tell,
  there,
  toldJudge,
  unsynced,
} from "./told-judge.ts";

/** Where the judge once took what was right for wrong: what it was told, and beside it what it has to find still. */

const nothingCame = {
  invariant: "at-rest-as-declared",
  detail: "s/net: the tag is back, and nothing came of it",
};

test.each([
  { gaveUp: "and says so", broken: null },
  { gaveUp: "and says nothing of it", broken: nothingCame },
  { gaveUp: "never", broken: nothingCame },
])("its tag alone doesn't hand back what the cloud gave up ($gaveUp)", ({ gaveUp, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
  tell(judge, { components: [component("net", { status: "ManualOverride", resource: { id: "/net" } })] });
  const after = { resourceId: "/net", tags: managed, parameters: { size: 1 } };
  judge.sees({ kind: "changed", process: null, provider, change: { ...there("/net"), operation: "create", after } });
  if (gaveUp !== "never") giveUp(judge, after, { says: gaveUp === "and says so" });
  judge.atRest();
  expect(judge.broken).toEqual(broken);
});

test.each([
  { lastWith: "net", broken: null },
  { lastWith: null, broken: { invariant: "mutations-end-as-they-went" } },
])("what left and came back goes by what was declared of it last (overrideWith: $lastWith)", ({ lastWith, broken }) => {
  const judge = toldJudge();
  const [net, rule] = [{ path: "net" }, { path: "rule", overrideWith: lastWith }];
  deploy(judge, "one", [net, rule], { status: "Succeeded" });
  deploy(judge, "two", [net], { status: "Succeeded" });
  tell(judge, { components: [component("net", { status: "ManualOverride" }), component("rule")] });
  deploy(judge, "three", [net, { path: "rule" }], { status: "Running" });
  const held = ["s/net", "s/rule"];
  end(judge, "three", { held });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { governedBy: "net", broken: null },
  { governedBy: null, broken: { invariant: "at-rest-as-declared", detail: "s/rule: its resource isn't there" } },
])(
  "who stood for what a person held does until it is given back, and is named ($governedBy)",
  ({ governedBy, broken }) => {
    const judge = toldJudge();
    const rule = { path: "rule", overrideWith: "net" };
    deploy(judge, "one", [{ path: "net" }, rule], { status: "Succeeded" });
    const gone = { value: false, reason: "Missing", message: "" };
    const conditions = { ...component("").conditions, exists: gone, inSync: gone };
    const net = component("net", { status: "ManualOverride", resource: { id: "/net" } });
    tell(judge, { components: [net, component("rule", { conditions, governedBy, updatedBy: "a person" })] });
    const after = { resourceId: "/net", tags: managed, parameters: {} };
    judge.sees({ kind: "changed", process: null, provider, change: { ...there("/net"), operation: "create", after } });
    giveUp(judge, after, { says: true });
    deploy(judge, "two", [{ path: "net" }, { path: "rule" }], { status: "Succeeded" });
    judge.atRest();
    expect(judge.broken).toEqual(broken);
  },
);

test.each([
  { comesBack: "the second", broken: null },
  { comesBack: "another", broken: { invariant: "override-moves-as-seen" } },
])("what leaves has the identity that a look at a failed write showed: it comes back as $comesBack", (story) => {
  const judge = toldJudge();
  const looksLike = (identity: string) => ({ tags: managed, parameters: {}, outputs: {}, identity });
  deploy(judge, "one", [{ path: "net" }], { status: "Succeeded" });
  const held = { status: "ManualOverride", resource: { id: "/net" } };
  tell(judge, { components: [component("net", held)] });
  deploy(judge, "two", [], { status: "Succeeded" });
  const failed = { state: "failed", resource: looksLike("the second"), reason: "Full" };
  read(judge, "/net", failed as unknown as Reading);
  tell(judge, { components: [component("net", { ...held, leaving: true, ...unsynced })] });
  deploy(judge, "three", [{ path: "net" }], { status: "Succeeded" });
  read(judge, "/net", { state: "present", ...looksLike(story.comesBack) } as unknown as Reading);
  tell(judge, { components: [component("net", { resource: { id: "/net" } })] });
  expect(judge.broken).toEqual(story.broken && expect.objectContaining(story.broken));
});

test.each([
  { written: "tags", seen: "present", broken: null },
  { written: "tags", seen: "failed", broken: null },
  { written: "parameters", seen: "present", broken: { invariant: "no-write-while-handed-over" } },
])(
  "$written are written after a take-over, $seen right before: a write of tags alone is bound as tags are",
  (story) => {
    const judge = toldJudge({ properties: "etag", tags: "mask" });
    deploy(judge, "one", [{ path: "net", parameters: { size: 1, tags: { team: "blue" } } }], { status: "Running" });
    tell(judge, { components: [component("net", { resource: { id: "/net" } })] });
    const seen = { tags: managed, parameters: { size: 2 }, outputs: {} };
    const shown = story.seen === "present" ? { state: "present", ...seen } : { state: "failed", resource: seen };
    read(judge, "/net", shown as unknown as Reading);
    judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net" });
    const before = { resourceId: "/net", tags: { team: "red" }, parameters: { size: 2 } };
    const after =
      story.written === "tags" ? { ...before, tags: { team: "blue" } } : { ...before, parameters: { size: 1 } };
    const change = { operation: "update", resourceId: "/net", before, after } as const;
    judge.sees({ kind: "changed", process, provider, change });
    expect(judge.broken).toEqual(story.broken && expect.objectContaining(story.broken));
  },
);

test.each([
  { converged: "once", broken: null },
  { converged: "never", broken: { invariant: "made-in-order" } },
])("a mutation makes what follows on what has converged in it, though it went since ($converged)", (story) => {
  const judge = toldJudge();
  const app = { path: "app", dependsOn: ["net"] };
  deploy(judge, "one", [{ path: "net" }, app], { status: "Running" });
  const begun = { mutationId: "one", state: "begun" };
  const gone = { value: false, reason: "Missing", message: "" };
  const missing = { conditions: { ...component("net").conditions, exists: gone }, resource: { id: "/net" } };
  tell(judge, { components: [component("net", missing), component("app", { step: begun, resource: { id: "/app" } })] });
  const net = { resourceId: "/net", tags: managed, parameters: {} };
  if (story.converged !== "never") {
    judge.sees({
      kind: "changed",
      process: null,
      provider,
      change: { ...there("/net"), operation: "create", after: net },
    });
    const removed = { operation: "remove", resourceId: "/net", before: net, after: null } as const;
    judge.sees({ kind: "changed", process: null, provider, change: removed });
  }
  judge.sees({ kind: "sent", process, provider, operation: "create", resourceId: "/app" });
  const made = { ...there("/app"), operation: "create", after: { ...net, resourceId: "/app" } } as const;
  judge.sees({ kind: "changed", process, provider, change: made });
  expect(judge.broken).toEqual(story.broken && expect.objectContaining(story.broken));
});

test.each([
  { of: "one that left", broken: null },
  { of: "its own", broken: { invariant: "writes-what-is-declared" } },
])("what comes to its end of a resource that another component has by then is $of", ({ of, broken }) => {
  const judge = toldJudge();
  const rule = { path: "rule", parameters: { level: 2 } };
  deploy(judge, "one", [rule], { status: "Succeeded" });
  const kept = component("rule", { resource: { id: "/rule" } });
  tell(judge, { components: [kept] });
  const before = { resourceId: "/rule", tags: managed, parameters: { level: 1 } };
  judge.sees({
    kind: "changed",
    process: null,
    provider,
    change: { ...there("/rule"), operation: "create", after: before },
  });
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/rule" });
  const begun = { operation: "update", resourceId: "/rule", before, after: before } as const;
  judge.sees({ kind: "changed", process, provider, change: begun });
  if (of === "one that left") {
    deploy(judge, "two", [], { status: "Succeeded" });
    const data = { mutationId: "two", resourceId: "/rule" };
    tell(judge, { gone: ["rule"], events: [{ type: "component.released", subject: "s/rule", data }] });
    deploy(judge, "three", [{ path: "other", parameters: { level: 3 } }], { status: "Succeeded" });
    tell(judge, { components: [component("other", { resource: { id: "/rule" } })] });
  }
  const level = of === "one that left" ? 2 : 3;
  const change = {
    operation: "update",
    resourceId: "/rule",
    before,
    after: { ...before, parameters: { level } },
  } as const;
  judge.sees({ kind: "landed", provider, change: { ...change, failed: false } });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { says: true, unconditionalWrites: true, action: "correct" },
  { says: true, unconditionalWrites: false, action: "hold" },
  { says: false, unconditionalWrites: true, action: "none" },
  { says: false, unconditionalWrites: false, action: "none" },
])(
  "what the cloud gave up and differs in nothing: $action, where the resource says so ($says) and may be written ($unconditionalWrites)",
  ({ says, unconditionalWrites, action }) => {
    const net = { path: "net", provider, type: "net", parameters: { size: 1 } };
    const isWrong = (planned: string) => {
      const judge = toldJudge({ properties: "none", tags: "none" });
      deploy(judge, "one", [net], { status: "Failed" });
      tell(judge, { components: [component("net", { resource: { id: "/net" } })] });
      giveUp(judge, { resourceId: "/net", tags: managed, parameters: { size: 1 } }, { says });
      const forecast = forecastOf("s", { components: [{ ...net, unconditionalWrites }] }, judge.evidence);
      expect(judge.broken).toBeNull();
      return wrongPlan({ components: [{ componentId: "s/net", action: planned }], error: null }, forecast) !== null;
    };
    const others = ["correct", "hold", "none"].filter((one) => one !== action);
    expect(isWrong(action)).toBe(false);
    expect(others.map(isWrong)).toEqual([true, true]);
  },
);

test.each([
  { says: true, broken: null },
  {
    says: false,
    broken: { invariant: "at-rest-as-declared", detail: "s/app: it is said to be blocked, and nothing is in its way" },
  },
])("what the cloud gave up is in the way of others as long as its resource says so ($says)", ({ says, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net" }, { path: "app", dependsOn: ["net"] }], { status: "Succeeded" });
  const blocked = { value: false, reason: "Blocked", message: "net has to be as it is declared first." };
  const conditions = { ...component("").conditions, exists: { ...blocked, reason: "NotProvisioned" }, inSync: blocked };
  const net = component("net", { resource: { id: "/net" } });
  tell(judge, { components: [net, component("app", { provisioned: false, conditions })] });
  giveUp(judge, { resourceId: "/net", tags: managed, parameters: {} }, { says });
  judge.atRest();
  expect(judge.broken).toEqual(broken);
});

test.each([
  { reason: "ProvisioningFailed", broken: null },
  { reason: "InSync", broken: { invariant: "override-moves-as-seen" } },
])("a request that is withdrawn while its write comes to nothing holds, where it is said so ($reason)", (story) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
  const held = component("net", { status: "ManualOverride", resource: { id: "/net" }, updatedBy: "a person" });
  tell(judge, { components: [held] });
  const net = { ...held, status: "ReconcileRequested" };
  const events = [{ type: "component.reconcile.requested", subject: "s/net", data: {} }];
  tell(judge, { components: [net], events });
  const there = { resourceId: "/net", tags: managed, parameters: { size: 1 } };
  giveUp(judge, there, { says: false });
  read(judge, "/net", { state: "present", ...there, outputs: {} } as unknown as Reading);
  const inSync = { value: story.reason === "InSync", reason: story.reason, message: "" };
  const conditions = { ...net.conditions, inSync };
  const withdrawn = { ...net, status: "ManualOverride", conditions, updatedBy: "agent" };
  tell(judge, { components: [withdrawn] });
  expect(judge.broken).toEqual(story.broken && expect.objectContaining(story.broken));
});

test.each([
  { size: undefined, broken: null },
  { size: 1, broken: { detail: "s/app: it is said to be blocked, and nothing is in its way" } },
])("what refers to nothing is in the way of others (the output: $size)", ({ size, broken }) => {
  const judge = toldJudge();
  const declared = [{ path: "net" }, { path: "web", parameters: { of: { $output: "net#size" } } }];
  deploy(judge, "one", [...declared, { path: "app", dependsOn: ["web"] }], { status: "Failed" });
  const gone = { value: false, reason: "ReferenceNotFound", message: "net#size is not there." };
  const blocked = { value: false, reason: "Blocked", message: "web has to be as it is declared first." };
  const conditions = { ...component("").conditions, exists: { ...blocked, reason: "NotProvisioned" }, inSync: blocked };
  const web = { resource: { id: "/web" }, conditions: { ...conditions, exists: { value: true }, inSync: gone } };
  const net = component("net", { resource: { id: "/net" } });
  tell(judge, {
    components: [net, component("web", web), component("app", { provisioned: false, conditions })],
  });
  for (const [resourceId, parameters] of [
    ["/net", size === undefined ? {} : { size }],
    ["/web", size === undefined ? {} : { of: size }],
  ] as const) {
    const after = { resourceId, tags: managed, parameters };
    judge.sees({
      kind: "changed",
      process: null,
      provider,
      change: { ...there(resourceId), operation: "create", after },
    });
  }
  judge.atRest();
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { says: true, broken: null },
  { says: false, broken: { invariant: "clean-hand-back-writes-nothing" } },
])(
  "a hand-back asks once more for what a resource says that it failed with, though nothing differs ($says)",
  (story) => {
    const judge = toldJudge();
    deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
    const net = component("net", { status: "ManualOverride", resource: { id: "/net" } });
    tell(judge, { components: [net] });
    const before = { resourceId: "/net", tags: { ...managed, platform: "reconcile" }, parameters: { size: 1 } };
    giveUp(judge, before, { says: story.says });
    const events = [{ type: "component.reconcile.requested", subject: "s/net", data: {} }];
    tell(judge, { components: [{ ...net, status: "ReconcileRequested", updatedBy: "a person" }], events });
    judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net" });
    const change = { operation: "update", resourceId: "/net", before, after: before } as const;
    judge.sees({ kind: "changed", process, provider, change });
    expect(judge.broken).toEqual(story.broken && expect.objectContaining(story.broken));
  },
);

test.each([
  { tells: true, says: "InSync", broken: null },
  { tells: false, says: "InSync", broken: { invariant: "races-are-told" } },
  { tells: false, says: "InTransition", broken: null },
])("a write that crossed a take-over is reported by whoever reads next ($tells, $says)", ({ tells, says, broken }) => {
  const judge = toldJudge({ properties: "mask", tags: "mask" });
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
  const net = component("net", { resource: { id: "/net" } });
  const [resourceId, drifting] = ["/net", { size: 7 }];
  const there = { resourceId, tags: managed, parameters: drifting };
  judge.sees({
    kind: "changed",
    process: null,
    provider,
    change: { operation: "create", resourceId, before: null, after: there },
  });
  tell(judge, { components: [net] });
  read(judge, "/net", { state: "present", tags: managed, parameters: drifting, outputs: {} } as Reading);
  tell(judge, { components: [{ ...net, work: { id: "w", worker: "one" } } as never] });
  read(judge, "/net", { state: "present", tags: managed, parameters: drifting, outputs: {} } as Reading);
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId });
  const taken = { ...there, tags: {} };
  judge.sees({
    kind: "changed",
    process: null,
    provider,
    change: { operation: "update", resourceId, before: there, after: taken },
  });
  const written = { ...taken, parameters: { size: 1 } };
  judge.sees({
    kind: "changed",
    process,
    provider,
    change: { operation: "update", resourceId, before: taken, after: written },
  });
  read(judge, "/net", { state: "present", tags: {}, parameters: { size: 1 }, outputs: {} } as Reading);
  const override = { episodeId: "e", since: "now", awaiting: "management-tag" };
  const said = { status: "ManualOverride", episodeId: "e", awaiting: "management-tag", owner: null };
  const begun = { type: "component.override.started", subject: "s/net", data: said };
  const race = { type: "component.race_detected", subject: "s/net", data: { status: "ManualOverride" } };
  const line = {
    id: "e",
    liveSystemId: "s",
    path: "net",
    endedAt: null,
    outcome: null,
    start: { declared: {}, actual: {} },
    end: null,
  };
  const conditions = { ...net.conditions, inSync: { ...net.conditions.inSync, reason: says } };
  tell(judge, {
    components: [{ ...net, status: "ManualOverride", override, conditions, lastWriteAt: "now" } as never],
    records: { "override-episode": line },
    events: tells ? [begun, race] : [begun],
  });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});
