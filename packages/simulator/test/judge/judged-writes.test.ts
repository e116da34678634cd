import type { Reading } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { component, deploy, managed, process, provider, read, tell, there, toldJudge, update } from "./told-judge.ts";

/** Where the judge once took a write that was right for wrong: what it was told, and beside it what it has to find still. */

test.each([
  { says: "couldn't be read yet", broken: null },
  { says: "was read", broken: { invariant: "races-are-told" } },
])("nobody has told of a race on what nothing declares any more, and it $says", (story) => {
  const judge = toldJudge({ properties: "mask", tags: "mask" });
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
  const net = component("net", { resource: { id: "/net" } });
  tell(judge, { components: [net] });
  const [resourceId, before] = ["/net", { resourceId: "/net", tags: managed, parameters: { size: 7 } }];
  judge.sees({
    kind: "changed",
    process: null,
    provider,
    change: { ...there("/net"), operation: "create", after: before },
  });
  read(judge, "/net", { state: "present", ...before, outputs: {} } as unknown as Reading);
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId });
  judge.sees({
    kind: "changed",
    process,
    provider,
    change: { operation: "update", resourceId, before, after: before },
  });
  tell(judge, { components: [{ ...net, operation: { kind: "correct" } as never }] });
  const taken = { ...before, tags: {} };
  judge.sees({
    kind: "changed",
    process: null,
    provider,
    change: { operation: "update", resourceId, before, after: taken },
  });
  const after = { ...taken, parameters: { size: 1 } };
  judge.sees({
    kind: "landed",
    provider,
    change: { operation: "update", resourceId, before: taken, after, failed: false },
  });
  deploy(judge, "two", [], { status: "Running" });
  read(judge, "/net", { state: "present", ...after, outputs: {} } as unknown as Reading);
  read(judge, "/net", { state: "unreadable", reason: "ProviderTimeout" });
  const unread = { value: false, reason: "ProviderTimeout", message: "" };
  const unknown = { value: null, reason: "Unreadable", message: "" };
  const conditions =
    story.broken === null
      ? { ...net.conditions, readable: unread, inSync: unknown }
      : { ...net.conditions, inSync: unread };
  tell(judge, { components: [{ ...net, conditions: conditions as never }] });
  expect(judge.broken).toEqual(story.broken && expect.objectContaining(story.broken));
});

const asked = { ...managed, platform: "reconcile" };

test.each([
  { status: "Active", broken: null },
  { status: "ManualOverride", broken: { invariant: "no-write-while-handed-over" } },
])("a correction is judged by the status that it was sent in, however late it arrives: $status", (story) => {
  const { status, broken } = story;
  const judge = toldJudge();
  const resource = { id: "/net" };
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Running" });
  tell(judge, { components: [component("net", { status, resource })] });
  read(judge, "/net", { state: "present", tags: asked, parameters: { size: 2 }, outputs: {} } as unknown as Reading);
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net" });
  judge.sees({ kind: "straggles", process, provider, resourceId: "/net", straggler: 1 });
  tell(judge, { components: [component("net", { status: "ManualOverride", resource, updatedBy: "somebody" })] });
  const before = { resourceId: "/net", tags: asked, parameters: { size: 2 } };
  const after = { ...before, parameters: { size: 1 } };
  const change = { operation: "update", resourceId: "/net", before, after, straggler: 1 } as const;
  judge.sees({ kind: "changed", process, provider, change });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { operation: "remove", stops: "no deletion", broken: null },
  { operation: "update", stops: "a correction", broken: { invariant: "writes-are-bound-to-their-read" } },
] as const)("a request that is withdrawn right before a write stops $stops", (story) => {
  const { operation, broken } = story;
  const judge = toldJudge({ properties: "none", tags: "none" });
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Running" });
  const shown = (tags: object) =>
    read(judge, "/net", { state: "present", tags, parameters: { size: 2 }, outputs: {} } as unknown as Reading);
  const resource = { id: "/net" };
  tell(judge, { components: [component("net", { resource })] });
  shown(asked);
  if (operation === "remove") deploy(judge, "two", [], { status: "Running" });
  const work = { id: "w", worker: process, kind: operation === "remove" ? "remove" : "correct" };
  tell(judge, { components: [component("net", { resource, leaving: operation === "remove", work })] });
  shown(managed);
  judge.sees({ kind: "sent", process, provider, operation, resourceId: "/net", etag: null });
  const before = { resourceId: "/net", tags: managed, parameters: { size: 2 } };
  const after = operation === "remove" ? null : { ...before, parameters: { size: 1 } };
  judge.sees({ kind: "changed", process, provider, change: { operation, resourceId: "/net", before, after } });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { reads: [managed, null], broken: null },
  { reads: [null], broken: { invariant: "writes-are-bound-to-their-read" } },
])(
  "a write needs a read of its own right before it, whatever another pass can't read ($reads)",
  ({ reads, broken }) => {
    const judge = toldJudge({ properties: "mask", tags: "mask" });
    deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Running" });
    const seen = (tags: object) =>
      ({ state: "present", tags, parameters: { size: 2 }, outputs: {} }) as unknown as Reading;
    const resource = { id: "/net" };
    tell(judge, { components: [component("net", { resource })] });
    read(judge, "/net", seen(managed));
    const work = { id: "w", worker: process, kind: "correct" };
    tell(judge, { components: [component("net", { resource, work })] });
    for (const tags of reads)
      read(judge, "/net", tags === null ? { state: "unreadable", reason: "RateLimited" } : seen(tags));
    judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net", etag: null });
    const before = { resourceId: "/net", tags: managed, parameters: { size: 2 } };
    const after = { ...before, parameters: { size: 1 } };
    update(judge, before, after);
    expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
  },
);

test.each([
  { deletes: "after its claim, while its process paused", isEarlier: false, pausedMs: 25_000, broken: null },
  { deletes: "after its claim", isEarlier: false, pausedMs: 0, broken: { invariant: "writes-what-is-declared" } },
  { deletes: "before its claim", isEarlier: true, pausedMs: 25_000, broken: { invariant: "writes-what-is-declared" } },
])("whether a deletion that is asked for $deletes stops a write", ({ isEarlier, pausedMs, broken }) => {
  let now = 1_000;
  const judge = toldJudge(undefined, () => now);
  deploy(judge, "one", [{ path: "net", parameters: { size: 1 } }], { status: "Succeeded" });
  const resource = { id: "/net" };
  tell(judge, { components: [component("net", { resource })] });
  const before = { resourceId: "/net", tags: managed, parameters: { size: 2 } };
  read(judge, "/net", { state: "present", ...before, outputs: {}, etag: "e" } as unknown as Reading);
  const withdraw = () => deploy(judge, "two", [], { status: "Running" });
  if (isEarlier) withdraw();
  tell(judge, { components: [component("net", { resource, work: { id: "w", worker: process, kind: "correct" } })] });
  judge.sees({ kind: "fetched", process, key: ["record", "component", "s", "net"] });
  if (!isEarlier) withdraw();
  now += pausedMs;
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net", etag: "e" });
  const after = { ...before, parameters: { size: 1 } };
  update(judge, before, after);
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});

test.each([
  { again: { size: 2 }, broken: null },
  { again: { size: 3 }, broken: { invariant: "writes-are-bound-to-their-read" } },
])("an adoption carries the etag of another read, which shows the same ($again)", ({ again, broken }) => {
  const judge = toldJudge();
  const declared = [{ path: "net", resourceId: "/net", parameters: { size: 2 } }];
  deploy(judge, "one", declared, { status: "Running", adopt: "exact" });
  const shown = (etag: string, parameters: object) =>
    read(judge, "/net", { state: "present", tags: {}, parameters, outputs: {}, etag } as unknown as Reading);
  const own = { provisioned: false, intent: "i", resource: { id: "/net" } };
  tell(judge, { components: [component("net", own)] });
  shown("e-1", { size: 2 });
  tell(judge, { components: [component("net", { ...own, work: { id: "w", worker: process, kind: "adopt" } })] });
  shown("e-2", again);
  judge.sees({ kind: "sent", process, provider, operation: "update", resourceId: "/net", etag: "e-2" });
  const before = { resourceId: "/net", tags: {}, parameters: again };
  update(judge, before, { ...before, tags: managed });
  expect(judge.broken).toEqual(broken && expect.objectContaining(broken));
});
