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
