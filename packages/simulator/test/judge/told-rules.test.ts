import type { Reading } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { component, deploy, managed, process, provider, read, tell, toldJudge } from "./told-judge.ts";

/** What the judge is told, with one thing that is right or wrong in it. */

test.each([
  { by: "two", broken: null },
  { by: "one", broken: { invariant: "superseded-does-nothing" } },
])("a step ends by the newest mutation alone ($by)", ({ by, broken }) => {
  const judge = toldJudge();
  const net = component("net");
  deploy(judge, "one", [{ path: "net" }], { status: "Running" });
  tell(judge, { components: [{ ...net, step: { mutationId: "one", state: "begun" } } as never] });
  deploy(judge, "two", [{ path: "net" }], { status: "Running" });
  tell(judge, { components: [{ ...net, step: { mutationId: by, state: "held" } } as never] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

const seenAt = (changedAt: string, observedAt: string, value = true) => ({
  value,
  reason: "",
  message: "",
  changedAt,
  observedAt,
});

test.each([
  { now: seenAt("one", "two"), broken: null },
  { now: seenAt("two", "two"), broken: { invariant: "conditions-keep-their-times" } },
  { now: seenAt("one", "two", false), broken: { invariant: "conditions-keep-their-times" } },
])("a condition says since when it is so ($now.changedAt, $now.value)", ({ now, broken }) => {
  const judge = toldJudge();
  const net = component("net");
  const inSync = (is: ReturnType<typeof seenAt>) => ({ ...net.conditions, inSync: is });
  tell(judge, { components: [{ ...net, conditions: inSync(seenAt("one", "one")) } as never] });
  tell(judge, { components: [{ ...net, conditions: inSync(now), updatedAt: "two", leaving: true } as never] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

const present = (etag: string): Reading =>
  ({ state: "present", tags: managed, parameters: { size: 7 }, outputs: {}, etag }) as Reading;

test.each([
  { bound: "etag", etag: "1", reads: 1, broken: null },
  { bound: "etag", etag: "2", reads: 1, broken: { invariant: "writes-are-bound-to-their-read" } },
  { bound: "etag", etag: null, reads: 1, broken: { invariant: "writes-are-bound-to-their-read" } },
  { bound: "mask", etag: null, reads: 2, broken: null },
  { bound: "mask", etag: null, reads: 1, broken: { invariant: "writes-are-bound-to-their-read" } },
] as const)("a write bound by $bound carries $etag after $reads reads", ({ bound, etag, reads, broken }) => {
  const judge = toldJudge({ properties: bound, tags: bound });
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
  const net = component("net", { resource: { id: "/net" } });
  const resource = { resourceId: "/net", tags: managed, parameters: { size: 7 } };
  const made = { operation: "create", resourceId: "/net", before: null, after: resource } as const;
  judge.sees({ kind: "changed", process: null, provider, change: made });
  tell(judge, { components: [net] });
  read(judge, "/net", present("1"));
  tell(judge, { components: [{ ...net, work: { id: "w", worker: "one" } } as never] });
  for (let again = 1; again < reads; again++) read(judge, "/net", present("1"));
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net", etag });
  const change = {
    operation: "update",
    resourceId: "/net",
    before: resource,
    after: { ...resource, parameters: { size: 1 } },
  } as const;
  judge.sees({ kind: "changed", process, provider, change });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

const answered = { observedAt: "one", managementTag: null, writesInFlight: 1, lastWriteAt: "one" };

test.each([
  { said: {}, broken: null },
  { said: { writesInFlight: 0 }, broken: { invariant: "acknowledged-as-stored" } },
  { said: { lastWriteAt: null }, broken: { invariant: "acknowledged-as-stored" } },
  { said: { managementTag: false }, broken: { invariant: "acknowledged-as-stored" } },
])("a check is answered with what is stored, and with no tag that can't be read ($said)", ({ said, broken }) => {
  const judge = toldJudge();
  const net = component("net", { operation: { kind: "correct" }, lastWriteAt: "one", resource: { id: "/net" } });
  const value = { ...net, conditions: { ...net.conditions, readable: { value: false, observedAt: "one" } } };
  const sets = [{ key: ["record", "component", "s", "net"], value: value as never }];
  judge.sees({ kind: "committed", process, sets, deletes: [], events: [], version: 5 });
  const shown = { ...value, id: "s/net", lookedAt: "one", version: "5" } as never;
  judge.sees({
    kind: "acknowledged",
    id: "s/net",
    answer: { component: shown, acknowledgement: { ...answered, ...said } },
  });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { intents: ["one", "two"], broken: null },
  { intents: ["one", "one"], broken: { invariant: "each-resource-made-once" } },
])("each component is made by an intent of its own ($intents)", ({ intents, broken }) => {
  const judge = toldJudge();
  deploy(judge, "one", [{ path: "net" }, { path: "twin" }], { status: "Succeeded" });
  const [net, twin] = intents.map((intent, at) => component(["net", "twin"][at] ?? "", { intent }));
  tell(judge, { components: [net as never] });
  tell(judge, { components: [twin as never] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

const override = { episodeId: "e", since: "2026-01-01T00:00:10.000Z", awaiting: "management-tag" };
const line = { id: "e", liveSystemId: "s", path: "net", endedAt: null, outcome: null, end: null };

/** A component that somebody has taken over. */
const held = (more: object = {}) =>
  component("net", { status: "ManualOverride", resource: { id: "/net" }, override: { ...override, ...more } });

/** A take-over is stored, with its line and its event. */
function takeOver(judge: ReturnType<typeof toldJudge>): void {
  const data = { status: "ManualOverride", episodeId: "e", awaiting: "management-tag", owner: null };
  tell(judge, {
    components: [held()],
    records: { "override-episode": { ...line, start: { declared: {}, actual: {} } } },
    events: [{ type: "component.override.started", subject: "s/net", data }],
  });
}

test.each([
  { says: { episodeId: "e", outcome: "Resumed" }, broken: null },
  { says: { episodeId: "another", outcome: "Resumed" }, broken: { invariant: "events-tell-each-status" } },
  { says: { episodeId: "e", outcome: "Reconciled" }, broken: { invariant: "events-tell-each-status" } },
])("an event says of an override what is stored ($says)", ({ says, broken }) => {
  const judge = toldJudge();
  takeOver(judge);
  const data = { from: "ManualOverride", status: "Active", ...says };
  tell(judge, {
    components: [component("net", { resource: { id: "/net" }, updatedBy: "a person" })],
    records: { "override-episode": { ...line, endedAt: "b", outcome: "Resumed" } },
    events: [{ type: "component.override.ended", subject: "s/net", data }],
  });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { waits: { since: "one", waitedMs: 900 }, broken: null },
  { waits: { since: "two", waitedMs: 900 }, broken: { invariant: "steps-wait-as-told" } },
  { waits: { since: "one", waitedMs: 90_000 }, broken: { invariant: "steps-wait-as-told" } },
])("a step says for how long it has waited ($waits)", ({ waits, broken }) => {
  let now = 1_000;
  const judge = toldJudge(undefined, () => now);
  const waiting = { why: "working", detail: "", since: "one", waitedMs: 0 };
  const net = (more: object) =>
    component("net", { step: { mutationId: "one", state: "begun", waiting: { ...waiting, ...more } } });
  tell(judge, { components: [net({})] });
  now += 60_000;
  tell(judge, { components: [net(waits)] });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

const changed = (name: string, tags: object, before: object) => ({
  kind: "changed" as const,
  ...{ process: null, provider },
  change: {
    ...{ operation: "update" as const, resourceId: "/net" },
    before: { resourceId: "/net", tags: before, parameters: {} } as never,
    after: { resourceId: "/net", tags, parameters: {} } as never,
    logged: { name, at: "2026-01-01T00:00:00.000Z", operation: "update", isOfTags: tags !== before },
  },
});

test.each([
  { name: "ann", broken: null },
  { name: "bob", broken: { invariant: "override-says-what-was-said" } },
])("whoever changed the tags is said to have taken a component over ($name)", ({ name, broken }) => {
  const judge = toldJudge();
  judge.sees(changed("ann", {}, managed));
  const same = {};
  judge.sees(changed("bob", same, same));
  takeOver(judge);
  const takenOverBy = { name, at: "2026-01-01T00:00:00.000Z", operation: "update" };
  const data = { episodeId: "e", takenOverBy };
  tell(judge, {
    components: [held({ takenOverBy })],
    events: [{ type: "component.override.attributed", subject: "s/net", data }],
  });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});
