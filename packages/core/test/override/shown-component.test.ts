import { expect, test } from "vitest";
import type { Declared } from "../../src/override/declarations/declaration.ts";
import { type ComponentRecord, components, toComponent } from "../../src/override/records/component-record.ts";
import { deployed } from "../builders/handed-over.ts";

const [earlier, seen, later] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:03:00.000Z", "2026-01-01T00:06:00.000Z"];
const at = (ms: number) => new Date(ms).toISOString();

/** What is shown of a component, of which this is stored besides what is stored of one that is in sync. */
async function shown(facts: Partial<ComponentRecord>, conditions: object = {}, sweptAt: string | null = null) {
  const { world, system } = await deployed();
  const record = await world.records.get(components, [system, "app"]);
  if (record === null) throw new Error("not deployed");
  const readable = { ...record.conditions.readable, observedAt: seen };
  const stored = { ...record, ...facts, conditions: { ...record.conditions, readable, ...conditions } };
  const lists = { dependsOn: [], muteDrift: [], secrets: [], unobservable: [] };
  const declared = { ...lists, leaving: false, parameters: { size: 1 }, digest: record.observed.against };
  return toComponent(stored as never, declared as unknown as Declared, sweptAt);
}

const condition = (value: boolean | null, reason: string, more: object = {}) => ({
  ...{ value, reason, message: "", observedAt: seen, changedAt: earlier, ...more },
});
const differs = { inSync: condition(false, "Drift") };
const rests = { nextAt: 5_000, restMs: 1_000, since: earlier };
const failures = { code: "ProviderError", detail: "It failed.", count: 3, ...rests };
const contested = { places: ["/a"], times: 4, ...rests };
const changed = (...pointers: string[]) =>
  ({
    observed: { changes: pointers.map((pointer) => ({ pointer })), drift: {}, outputs: {}, secrets: [] },
  }) as unknown as Partial<ComponentRecord>;

test.each<[string, Partial<ComponentRecord>, object, string | null]>([
  ["a write failed", { failures }, differs, at(5_000)],
  ["nothing failed", {}, differs, null],
  ["it waits for another one", { failures }, { inSync: condition(false, "Blocked", { blockedBy: "net" }) }, null],
  ["the cloud works on it", { failures, working: { since: earlier, progress: null } }, differs, null],
  ["it can't be read", { failures }, { readable: condition(false, "Unreadable") }, null],
  ["what differs is contested", { contested, ...changed("/a", "/a/b") }, {}, at(5_000)],
  ["something else differs, too", { contested, ...changed("/a", "/ab") }, {}, null],
  ["it isn't put off yet", { contested: { ...contested, restMs: 0 }, ...changed("/a") }, {}, null],
  ["nothing differs", { contested, ...changed() }, {}, null],
])("the next try is told where there is a time for it: %s", async (_, facts, conditions, next) => {
  expect((await shown(facts, conditions)).nextTryAt).toBe(next);
});

test("a failure is told until what it was to change is as declared", async () => {
  const failing = { code: "ProviderError", detail: "It failed.", since: earlier, attempts: 3 };
  expect((await shown({ failures }, differs)).failing).toEqual(failing);
  expect((await shown({ failures })).failing).toBeNull();
});

test.each([
  ["a sweep since then covers it", {}, {}, later, later],
  ["not one before", {}, {}, earlier, seen],
  ["nor one that may have met a write", { work: { id: "w", worker: "w", kind: "correct" } }, {}, later, seen],
  ["nor one of what can't be read", {}, { readable: condition(false, "Unreadable") }, later, seen],
  ["nor is there always one", {}, {}, null, seen],
] as const)("a component was looked at when it was read last, and %s", async (_, facts, conditions, sweptAt, time) => {
  expect((await shown(facts, conditions, sweptAt)).lookedAt).toBe(time);
});

test("what was compared with another declaration isn't told of this one, and what isn't known stays so", async () => {
  const outdated = { observed: { against: "another", changes: [], drift: {}, outputs: {}, secrets: [] } as never };
  const inSyncOf = async (inSync: object) => (await shown(outdated, { inSync })).conditions.inSync;
  const message = "Its declaration has changed since it was last read.";
  expect(await inSyncOf(condition(false, "Drift"))).toEqual(condition(null, "Redeclared", { message }));
  expect(await inSyncOf(condition(null, "Unreadable"))).toEqual(condition(null, "Unreadable"));
});

test("a form is shown where no secret is or was, and where nothing is", async () => {
  const witness = (form: string | null, more: object = {}) => {
    return { digest: "d", form, type: "T", by: "write", at: seen, ...more } as const;
  };
  const settled = {
    "/a": witness("A"),
    "/b": witness("B"),
    "/c": witness(null),
    "/d": witness(null, { formDigest: "f" }),
  };
  const secrets = ["/b/key", "/c"];
  const { settled: told } = await shown({
    settled,
    observed: { changes: [], drift: {}, outputs: {}, secrets } as never,
  });
  expect(told.map(({ pointer, form }) => [pointer, form])).toEqual([
    ["/a", "A"],
    ["/b", "[redacted]"],
    ["/c", null],
    ["/d", "[redacted]"],
  ]);
});
