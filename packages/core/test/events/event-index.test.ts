import fc from "fast-check";
import { expect, test } from "vitest";
import { eventTypes } from "../../src/contract/event-types.ts";
import type { EventTarget, Target } from "../../src/contract/target.ts";
import { createEventLog } from "../../src/events/event-log.ts";
import { ownerScope, scopeOfOwner } from "../../src/events/event-owner.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Metrics } from "../../src/ports/runtime.ts";
import type { Entry, Json, Key, Store } from "../../src/ports/store.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { exportStore, importStore } from "../../src/records/transfer.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const cause = { actor: "somebody", requestId: "request-1" };
const person = (id: string) => scopeOfOwner({ type: "Personal", id });
const organization = (id: string) => scopeOfOwner({ type: "Organizational", id });
const account = (accountId: string): EventTarget => ({ kind: "account", accountId });
const dev = { type: "Organizational", ownerId: "o1", shortName: "dev" } as const;

function setUp(store?: Store, ownerOf?: Parameters<typeof createEventLog>[0]["ownerOf"], metrics?: Metrics) {
  const runtime = { ...fakeRuntime(), ...(metrics && { metrics }) };
  const kept = store ?? memoryStore({ now: runtime.clock.now });
  const log = createEventLog({ store: kept, runtime, ...(ownerOf && { ownerOf }) });
  const records = createRecords({ store: kept, runtime });
  const emit = (abouts: readonly EventTarget[]) =>
    records.change(cause, (change) => {
      for (const about of abouts)
        change.emit({ type: "environment.updated", subject: "y", about, data: { changed: [] } });
    });
  return { runtime, store: kept, log, emit };
}

/** What an event of each kind is about. */
const abouts: Readonly<Record<string, readonly EventTarget[]>> = {
  environment: [{ kind: "environment", ...dev }],
  cicd_profile: [{ kind: "environment", ...dev }],
  secret: [{ kind: "environment", ...dev }],
  service_account: [{ kind: "environment", ...dev }, account("a1"), { kind: "organization", organizationId: "o1" }],
  account: [account("a1")],
  identity: [account("a1")],
  session: [account("a1"), { kind: "environment", ...dev }, { kind: "installation" }],
  organization: [{ kind: "organization", organizationId: "o1" }],
  team: [{ kind: "team", organizationId: "o1", shortName: "t" }],
  resource_group: [
    { kind: "group", type: "Organizational", ownerId: "o1", shortName: "g" },
    { kind: "group", type: "Personal", ownerId: "a1", shortName: "g" },
  ],
  permission: [{ kind: "team", organizationId: "o1", shortName: "t" }],
  subscription: [{ kind: "subscription", id: "s1", accountId: "a1" }],
  livesystem: [{ kind: "liveSystem", id: "l1", environment: dev }],
  component: [{ kind: "liveSystem", id: "l1", environment: dev }],
  webhook: [account("a1"), { kind: "organization", organizationId: "o1" }],
};
const owners = new Set([person("a1"), organization("o1"), ["installation"]].map(String));

test.each(eventTypes)("%s has an owner", (type) => {
  const kinds = abouts[type.split(".")[0] ?? ""] ?? [];
  expect(kinds.length).toBeGreaterThan(0);
  for (const about of kinds) expect(owners).toContain(String(ownerScope(about)));
});

/** The entries under the parts of the log. */
async function parts(store: Store) {
  const under = async (name: string) => (await store.list({ prefix: ["event", name], limit: 10_000 })) as Entry[];
  return { log: await under("log"), index: await under("of") };
}

test("owners read their events together, in order and without holes or doubles, whatever they ask for at once", async () => {
  const run = fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.integer({ min: 1, max: 90 }));
  const owned = fc
    .array(run, { maxLength: 8 })
    .map((runs) => runs.flatMap(([id, length]) => Array.from({ length }, () => id)));
  const asked = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      owned,
      asked,
      fc.integer({ min: 1, max: 120 }),
      fc.nat({ max: 50 }),
      async (ids, of, limit, from) => {
        const { log, emit } = setUp();
        await emit(ids.map(account));
        await log.sequence();
        const read: number[] = [];
        for (let after = from, more = true; more; ) {
          const batch = await log.batch(of.map(person), after, limit);
          expect(batch.events.length).toBeLessThanOrEqual(limit);
          read.push(...batch.events.map(({ sequence }) => sequence));
          expect(batch.isLast || batch.through > after).toBe(true);
          [after, more] = [batch.through, !batch.isLast];
        }
        const expected = ids.flatMap((id, at) => (of.includes(id as "a") && at + 1 > from ? [at + 1] : []));
        expect(read).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test("the index keeps step with a log whose events are removed", async () => {
  const { runtime, store, log, emit } = setUp();
  await emit(Array.from({ length: 250 }, (_, at) => account(`a${at % 3}`)));
  await log.sequence();
  await runtime.advance(1000);
  await emit([account("a0"), { kind: "installation" }]);
  await log.sequence();
  while ((await log.prune(runtime.clock.now())) > 0);
  const { log: kept, index } = await parts(store);
  expect([kept.length, index.length]).toEqual([2, 2]);
  expect((await log.batch([person("a0")], 250, 10)).events.map(({ sequence }) => sequence)).toEqual([251]);
  await expect(log.batch([person("a0")], 0, 10)).rejects.toMatchObject({ code: "EventsExpired" });
  expect(await log.verify()).toEqual({ verified: 2, broken: null, waiting: 0 });
});

test("what is removed while it is read is never left out in silence", async () => {
  const { runtime, store, log, emit } = setUp();
  await emit(Array.from({ length: 50 }, () => account("a0")));
  await log.sequence();
  await runtime.advance(1000);
  let lists = 0;
  const disturbed: Store = {
    ...store,
    async list(range, options) {
      if (++lists === 1) await log.prune(runtime.clock.now());
      return store.list(range, options);
    },
  };
  await expect(setUp(disturbed).log.batch([person("a0")], 0, 10)).rejects.toMatchObject({ code: "EventsExpired" });
});

test("what a clock that was ahead stamped is removed in its turn, and holds nothing back", async () => {
  const fake = fakeRuntime();
  let ahead = 10 * 365 * 86_400_000;
  const runtime = { ...fake, clock: { ...fake.clock, now: () => fake.clock.now() + ahead } };
  const store = memoryStore({ now: runtime.clock.now });
  const log = createEventLog({ store, runtime });
  const records = createRecords({ store, runtime });
  const emit = (count: number) =>
    records.change(cause, (change) => {
      for (let at = 0; at < count; at++)
        change.emit({
          type: "environment.updated",
          subject: "y",
          about: { kind: "installation" },
          data: { changed: [] },
        });
    });
  await emit(450);
  await log.sequence();
  ahead = 0;
  await emit(3);
  await log.sequence();
  await fake.advance(60_000);
  await emit(2);
  await log.sequence();
  const before = runtime.clock.now() - 1000;
  let removed = 0;
  for (let count = 1; count > 0; removed += count) count = await log.prune(before);
  expect(removed).toBe(453);
  expect((await log.read(453, 10)).length).toBe(2);
});

/** What the first build wrote in place of what this one writes. */
function asFirstBuild(key: Key, value: Json): Json {
  const entry = structuredClone(value) as Record<string, Json> & { event?: { about: Target } };
  const about = key[1] === "pending" ? (entry.about as unknown as Target) : entry.event?.about;
  if (about?.kind === "liveSystem") Reflect.deleteProperty(about, "environment");
  if (about?.kind === "subscription") Reflect.deleteProperty(about, "accountId");
  if (key[1] === "log") Reflect.deleteProperty(entry, "owner");
  if (key[1] === "head") Reflect.deleteProperty(entry, "indexed");
  return entry as Json;
}

/** A store as the first build left it: some events in their places, some that wait for one. */
async function firstBuild(abouts: readonly EventTarget[], waiting: readonly EventTarget[] = []) {
  const store = memoryStore();
  const now = Date.UTC(2026, 0, 1);
  // The first build hashed what it wrote: the chain is made of events that say no more than its own.
  const stripped = abouts.map((about) => asFirstBuild(["event", "pending"], { about } as never) as { about: Json });
  const value = (about: Json) => ({
    ...{ id: "i", type: "x", subject: "y", about, data: {}, actor: "somebody", requestId: "r", time: now },
  });
  await store.commit({ appends: stripped.map(({ about }) => ({ prefix: ["event", "pending"], value: value(about) })) });
  await createEventLog({ store, runtime: fakeRuntime() }).sequence();
  for (const { key, value: kept } of await store.list({ prefix: ["event"], limit: 10_000 }))
    await (key[1] === "of"
      ? store.commit({ deletes: [key] })
      : store.commit({ sets: [{ key, value: asFirstBuild(key, kept) }] }));
  const left = waiting.map((about) => asFirstBuild(["event", "pending"], { about } as never) as { about: Json });
  await store.commit({ appends: left.map(({ about }) => ({ prefix: ["event", "pending"], value: value(about) })) });
  return store;
}

const knownOwners: Parameters<typeof createEventLog>[0]["ownerOf"] = async (about) =>
  about.kind === "liveSystem" && about.id === "l1" ? organization("o1") : null;
const mixed = (count: number): EventTarget[] =>
  Array.from({ length: count }, (_, at): EventTarget => {
    const some: readonly EventTarget[] = [
      { kind: "liveSystem", id: "l1", environment: dev },
      { kind: "liveSystem", id: "gone", environment: dev },
      { kind: "subscription", id: "s1", accountId: "a1" },
      account("a1"),
    ];
    return some[at % 4] ?? { kind: "installation" };
  });

async function readOf(log: ReturnType<typeof setUp>["log"], owner: Key): Promise<number[]> {
  const read: number[] = [];
  for (let after = 0, more = true; more; ) {
    const batch = await log.batch([owner], after, 100);
    read.push(...batch.events.map(({ sequence }) => sequence));
    [after, more] = [batch.through, !batch.isLast];
  }
  return read;
}

/** Lets the log of the first build be carried over. */
async function carriedOver({ log, runtime, store }: ReturnType<typeof setUp>) {
  await log.sequence();
  for (let turns = 0; turns < 50; turns++) {
    await runtime.settle();
    const [head] = await store.get([["event", "head"]]);
    const value = head?.value as { indexed?: number; sequence: number } | undefined;
    if (value !== undefined && value.indexed === value.sequence) return;
  }
  throw new RangeError("It was never carried over.");
}

test("a log of the first build is indexed by whose each event is, and its chain holds", async () => {
  const [placed, waiting] = [mixed(998), [account("a1"), ...mixed(10)]];
  const all = [...placed, ...waiting];
  const left: number[] = [];
  const gauge = (name: string, value: number) => void (name === "liveplane_events_to_index" && left.push(value));
  const world = setUp(await firstBuild(placed, waiting), knownOwners, { count: () => {}, observe: () => {}, gauge });
  await carriedOver(world);
  const places = (holds: (about: EventTarget) => boolean) => all.flatMap((about, at) => (holds(about) ? [at + 1] : []));
  const isLive = (about: EventTarget) => about.kind === "liveSystem" && about.id === "l1";
  const isOwn = (about: EventTarget) => about.kind === "account";
  expect(await readOf(world.log, organization("o1"))).toEqual(places(isLive));
  expect(await readOf(world.log, person("a1"))).toEqual(places(isOwn));
  expect(await readOf(world.log, ["installation"])).toEqual(places((about) => !isLive(about) && !isOwn(about)));
  expect(await world.log.verify()).toEqual({ verified: all.length, broken: null, waiting: 0 });
  const { log, index } = await parts(world.store);
  expect(index.length).toBe(log.length);
  expect(left).toEqual(left.toSorted((a, b) => b - a));
  expect([left[0], left.at(-1)]).toEqual([all.length - 200, 0]);
});

test("carrying a log over goes on where it was broken off, beside a process of the first build that still writes", async () => {
  const store = await firstBuild(mixed(1000));
  let commits = 0;
  const dying: Store = {
    ...store,
    async commit(commit, options) {
      if (++commits > 2) throw new RangeError("The process ended.");
      return store.commit(commit, options);
    },
  };
  const first = setUp(dying, knownOwners);
  await first.log.sequence();
  await first.runtime.settle();
  const [half] = await store.get([["event", "head"]]);
  expect(half?.value).toMatchObject({ indexed: 400, sequence: 1000 });
  // What a process of the first build adds now: it takes the head along as it finds it.
  const added = await firstBuild(mixed(4));
  const [link] = await added.list({ prefix: ["event", "log"], limit: 1 });
  const event = { ...(link?.value as { event: object } | undefined)?.event, sequence: 1001 };
  const key = ["event", "log", String(1001).padStart(16, "0")];
  const head = { ...(half?.value as object), sequence: 1001 };
  await store.commit({
    sets: [
      { key, value: { event, hash: "" } as never },
      { key: ["event", "head"], value: head as never },
    ],
  });
  const second = setUp(store, knownOwners);
  await carriedOver(second);
  expect((await readOf(second.log, organization("o1"))).length).toBe(251);
});

test("what isn't indexed yet is not told, and nothing is left out once it is", async () => {
  const { log } = setUp(await firstBuild(mixed(500)), knownOwners);
  expect(await log.batch([person("a1")], 0, 100)).toEqual({ events: [], through: 0, isLast: true });
});

test("an export carries the index, and one of the first build is indexed where it is imported", async () => {
  const world = setUp(await firstBuild(mixed(100)), knownOwners);
  const lines: string[] = [];
  for await (const line of exportStore(world.store, { atRest: true })) lines.push(line);
  const old = setUp(memoryStore(), knownOwners);
  await importStore(old.store, lines);
  await carriedOver(old);
  const again: string[] = [];
  for await (const line of exportStore(old.store, { atRest: true })) again.push(line);
  const fresh = setUp();
  await importStore(fresh.store, again);
  expect((await readOf(fresh.log, organization("o1"))).length).toBe(25);
  expect(await fresh.log.verify()).toEqual({ verified: 100, broken: null, waiting: 0 });
});
