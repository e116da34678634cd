import fc from "fast-check";
import { expect, test } from "vitest";
import { eventTypes } from "../../src/contract/event-types.ts";
import type { EventTarget } from "../../src/contract/target.ts";
import { createEventLog } from "../../src/events/event-log.ts";
import { ownerScope, scopeOfOwner } from "../../src/events/event-owner.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Entry, Store } from "../../src/ports/store.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { exportStore, importStore } from "../../src/records/transfer.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const cause = { actor: "somebody", requestId: "request-1" };
const person = (id: string) => scopeOfOwner({ type: "Personal", id });
const organization = (id: string) => scopeOfOwner({ type: "Organizational", id });
const account = (accountId: string): EventTarget => ({ kind: "account", accountId });
const dev = { type: "Organizational", ownerId: "o1", shortName: "dev" } as const;

function setUp(store?: Store) {
  const runtime = fakeRuntime();
  const kept = store ?? memoryStore({ now: runtime.clock.now });
  const log = createEventLog({ store: kept, runtime });
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
  factor: [account("a1")],
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

test.each(["batch", "read"] as const)("what is removed during a %s is never left out in silence", async (how) => {
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
  const { log: reader } = setUp(disturbed);
  const reading = how === "read" ? reader.read(0, 10) : reader.batch([person("a0")], 0, 10);
  await expect(reading).rejects.toMatchObject({ code: "EventsExpired" });
});

test("what a clock that was ahead stamped is removed in its turn, and holds nothing back", async () => {
  const fake = fakeRuntime();
  let ahead = 10 * 365 * 86_400_000;
  const runtime = { ...fake, clock: { ...fake.clock, now: () => fake.clock.now() + ahead } };
  const store = memoryStore({ now: runtime.clock.now });
  const log = createEventLog({ store, runtime });
  const records = createRecords({ store, runtime });
  const data = { changed: [] };
  const emit = (count: number) =>
    records.change(cause, (change) => {
      for (let at = 0; at < count; at++)
        change.emit({ type: "environment.updated", subject: "y", about: { kind: "installation" }, data });
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

test("an export contains the index", async () => {
  const { store, log, emit } = setUp();
  await emit([account("a1"), account("a2"), account("a1")]);
  await log.sequence();
  const lines: string[] = [];
  for await (const line of exportStore(store, { atRest: true })) lines.push(line);
  const fresh = setUp();
  await importStore(fresh.store, lines);
  const { events } = await fresh.log.batch([person("a1")], 0, 10);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 3]);
  expect(await fresh.log.verify()).toEqual({ verified: 3, broken: null, waiting: 0 });
});
